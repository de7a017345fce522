import { PlainError } from './plain-error.ts';

/**
 * The name of a person who uses the command line. It is a login only where people sign in for the step
 * (`src/cli/parties/as-person.ts`). Invisible characters would make two names of one.
 */
const PERSON_PATTERN = /^[^\p{C}\p{DI}\s](?:[^\p{C}\p{DI}]{0,78}[^\p{C}\p{DI}\s])?$/u;

/** Scripts with letters that look like those of another one. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** The name of the person who acts. Throws: `PlainError` (field `by`) if it is not a valid name. */
export function requirePerson(name: string): string {
  if (!PERSON_PATTERN.test(name)) {
    throw new PlainError('It must be a person’s name of 1 to 80 characters.', { field: 'by' });
  }
  if (SCRIPTS.filter((script) => script.test(name)).length > 1) {
    const says = 'It mixes Latin letters with Cyrillic or Greek ones that look like them.';
    throw new PlainError(says, { field: 'by' });
  }
  return name;
}

/** True if two spellings are the same name, or look the same, for actions that need two people. */
export function isSamePerson(one: string, other: string): boolean {
  return spelling(one) === spelling(other);
}

function spelling(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return Array.from(plain, (letter) => LATIN_TWINS.get(letter) ?? letter).join('');
}

/** Cyrillic and Greek letters, and the Latin ones that nobody tells from them. */
const LATIN_TWINS: ReadonlyMap<string, string> = new Map(
  [
    'аa вb сc ԁd еe нh іi јj кk ӏl мm оo рp ԛq ѕs тt уy ԝw хx',
    'αa βb εe ηn ιi κk νv οo ρp τt υu χx ıi',
  ]
    .flatMap((pairs) => pairs.split(' '))
    .map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]),
);
