import { PlainError } from './plain-error.ts';

/**
 * The name of a person who uses the command line. It is a login only where people sign in for the step
 * (`src/cli/parties/as-person.ts`). Invisible characters
 * would make two names of one.
 */
const PERSON_PATTERN = /^[^\p{C}\p{DI}\s](?:[^\p{C}\p{DI}]{0,78}[^\p{C}\p{DI}\s])?$/u;

/** The name of the person who acts. Throws: `PlainError` (field `by`) if it is not a valid name. */
export function requirePerson(name: string): string {
  if (PERSON_PATTERN.test(name)) return name;
  throw new PlainError('It must be a person’s name of 1 to 80 characters.', { field: 'by' });
}

/** True if two spellings are the same name, for actions that need two people. */
export function isSamePerson(one: string, other: string): boolean {
  return spelling(one) === spelling(other);
}

function spelling(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
