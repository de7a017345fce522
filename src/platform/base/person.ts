import { PlainError } from './plain-error.ts';

/** A person as known in the house; there is no login behind it. */
const PERSON_PATTERN = /^[^\p{C}\s](?:[^\p{C}]{0,78}[^\p{C}\s])?$/u;

/** The name of whoever acts. Throws: `PlainError` (field `by`) when it is none. */
export function requirePerson(name: string): string {
  if (PERSON_PATTERN.test(name)) return name;
  throw new PlainError('It must be a person’s name of 1 to 80 characters.', { field: 'by' });
}

/** True for two spellings of one name, for what takes two people. */
export function isSamePerson(one: string, other: string): boolean {
  return spelling(one) === spelling(other);
}

function spelling(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
