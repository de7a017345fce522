import { generateSubjects } from '../../sandbox/population/population.ts';
import { createRandom } from '../../sandbox/population/random.ts';
import type { Random } from '../../sandbox/population/random.ts';
import { matchSubject } from '../../src/credit/matching/match.ts';
import { useOfNames } from '../../src/credit/matching/name-shares.ts';
import type { NameUse } from '../../src/credit/matching/name-shares.ts';
import type { IdentityDocument } from '../../src/credit/registry/documents.ts';
import type { FoundSubject } from '../../src/credit/registry/read-subjects.ts';
import { PAIRS, PATRONYMICS, UNLISTED_NAMES } from './alike-names.ts';
import type { Pairs } from './alike-names.ts';
import { GENUINE, OTHERS, shuffled, typo } from './matching-kinds.ts';
import type { Kind, Names } from './matching-kinds.ts';

/** How many enquiries of one kind found somebody. */
export interface Measured {
  readonly kind: string;
  /** True: the person who was meant should be found; false: nobody should. */
  readonly genuine: boolean;
  readonly enquiries: number;
  /** Share in percent, two decimals. The enquiries have no birth date. */
  readonly found: string;
  /** The same for enquiries with the birth date of the person who is meant. */
  readonly foundByBirthDate: string;
}

export interface MatchingMeasure {
  readonly rows: readonly Measured[];
  /** Found among those who were meant, over all genuine kinds, in percent, without birth date. */
  readonly recall: string;
  /**
   * Share of correct results among those found, in percent, without birth date, weighted as if genuine
   * and other enquiries were equally many.
   */
  readonly precision: string;
}

const PEOPLE = 4_000;
const SEED = 31;
const PEOPLE_A_PAIR = 20;
/** The names of the pairs and those that are not listed, each of them one in a thousand people's. */
const NAMES_IN_USE = [...PAIRS.flatMap(({ pairs }) => pairs.flat()), ...UNLISTED_NAMES].flatMap(
  (name) => Array<string>(PEOPLE / 1_000).fill(name),
);
/** Nobody of the population is born on it. */
const OTHER_BIRTH_DATE = '1931-02-03';

/** Asks about every generated person with every kind of names, and about others with one wrong digit. */
export function measureMatching(): MatchingMeasure {
  const people = [...generateSubjects({ seed: SEED, subjects: PEOPLE })].map(
    ({ profile }, index): FoundSubject => ({
      members: [],
      crn: BigInt(index + 1),
      profile,
      birthDates: [profile.dateOfBirth],
      by: ['nationalID'],
    }),
  );
  const fullNames = people.map((person) => namesOf(person).join(' '));
  const { shareOf } = useOfNames(fullNames);
  const { isInUse } = useOfNames([...fullNames, ...NAMES_IN_USE]);
  const use = { shareOf, isInUse };
  const rows = [
    ...[...GENUINE, ...OTHERS].map((kind) => count(kind, use, enquiriesOf(people, kind))),
    ...[PATRONYMIC, GRANDSON].map((kind) => count(kind, use, enquiriesOfChildren(people, kind))),
    count(WRONG_DIGIT, use, enquiriesWithWrongDigit(people)),
    ...PAIRS.map((pairs) => count(pairs, use, enquiriesOfPairs(people, pairs, PEOPLE_A_PAIR))),
    count(MISSPELT_UNLISTED, use, enquiriesOfPairs(people, MISSPELT_UNLISTED, 1)),
  ].toSorted((a, b) => Number(b.genuine) - Number(a.genuine));
  const genuine = share(rows.filter((row) => row.genuine));
  const others = share(rows.filter((row) => !row.genuine));
  return {
    rows: rows.map((row) => ({
      ...row,
      found: percent(row.found / row.enquiries),
      foundByBirthDate: percent(row.foundByBirthDate / row.enquiries),
    })),
    recall: percent(genuine),
    precision: percent(genuine / (genuine + others)),
  };
}

interface Counted {
  readonly kind: string;
  readonly genuine: boolean;
  readonly enquiries: number;
  readonly found: number;
  readonly foundByBirthDate: number;
}

interface Enquiry {
  readonly names: Names;
  readonly documents: readonly IdentityDocument[];
  /** The person who has the document. */
  readonly owner: FoundSubject;
}

function count(
  { kind, genuine }: { readonly kind: string; readonly genuine: boolean },
  use: NameUse,
  enquiries: readonly Enquiry[],
): Counted {
  const findings = (dateOfBirth: (owner: FoundSubject) => string): number =>
    enquiries.filter(({ names, documents, owner }) => {
      const asked = { documents, names, dateOfBirth: dateOfBirth(owner) };
      return matchSubject(asked, [owner], { use }).kind === 'match';
    }).length;
  return {
    kind,
    genuine,
    enquiries: enquiries.length,
    found: findings(() => ''),
    foundByBirthDate: findings(({ profile }) => (genuine ? profile.dateOfBirth : OTHER_BIRTH_DATE)),
  };
}

function enquiriesOf(people: readonly FoundSubject[], { spoil }: Kind): Enquiry[] {
  return people.flatMap((owner, index) => {
    const stranger = people[(index * 7 + 701) % people.length] ?? owner;
    const names = spoil(namesOf(owner), createRandom(SEED, index), namesOf(stranger));
    return names === undefined
      ? []
      : [{ names, documents: owner.profile.documents.slice(0, 1), owner }];
  });
}

/**
 * One name of a pair on file as the first name, the other one given, both ways; the other names of a
 * person the same, in any order.
 */
function enquiriesOfPairs(
  people: readonly FoundSubject[],
  { pairs }: Pairs,
  peopleAPair: number,
): Enquiry[] {
  return pairs.flatMap(([one = '', other = ''], index) =>
    Array.from({ length: peopleAPair }, (_, turn) => {
      const at = index * peopleAPair + turn;
      const person = people[(at * 13) % people.length]!;
      const [onFile, given] = at % 2 === 0 ? [one, other] : [other, one];
      const others = namesOf(person).slice(at % 4 < 2 ? 1 : -1);
      const [surname = '', ...forenames] = others.toReversed();
      const name = { surname, forenames: [onFile, ...forenames.toReversed()] };
      return {
        names: shuffled([given, ...others], createRandom(SEED, at)),
        documents: person.profile.documents.slice(0, 1),
        owner: { ...person, profile: { ...person.profile, name } },
      };
    }),
  );
}

const ERRORS_A_NAME = 20;
const MISSPELT_UNLISTED: Pairs = {
  kind: 'a letter wrong in a first name that is not listed',
  genuine: true,
  pairs: UNLISTED_NAMES.flatMap((name, index) =>
    Array.from({ length: ERRORS_A_NAME }, (_, turn) => [
      name,
      typo(name.toUpperCase(), createRandom(SEED, index * ERRORS_A_NAME + turn)),
    ]),
  ),
};

const PATRONYMIC = {
  kind: 'a son or daughter with Somali or Swahili names: the father’s first two names follow',
  genuine: false,
};
const GRANDSON = { kind: 'a son with the name of his grandfather', genuine: false };
const FATHERS = 3_000;

/** A file of a father A B C, and an enquiry about a child X A B, or B A B. */
function enquiriesOfChildren(people: readonly FoundSubject[], kind: typeof PATRONYMIC): Enquiry[] {
  return Array.from({ length: FATHERS }, (_, at) => {
    const random = createRandom(SEED, at);
    const names = draw(4, PATRONYMICS, random);
    const [child = '', ...[first = '', second = '', surname = '']] = names;
    const person = people[at]!;
    const name = { surname, forenames: [first, second] };
    return {
      names: [kind === GRANDSON ? second : child, first, second],
      documents: person.profile.documents.slice(0, 1),
      owner: { ...person, profile: { ...person.profile, name } },
    };
  });
}

function draw(howMany: number, from: readonly string[], random: Random): string[] {
  const drawn = new Set<string>();
  while (drawn.size < howMany) drawn.add(random.pick(from));
  return [...drawn];
}

const WRONG_DIGIT = { kind: 'a digit wrong: the document of somebody else', genuine: false };

/** The right names with a wrong digit in the document: the person who has that number must not be disclosed. */
function enquiriesWithWrongDigit(people: readonly FoundSubject[]): Enquiry[] {
  const owners = new Map(people.map((person) => [keyOf(person.profile.documents[0]), person]));
  return people.flatMap((person, index) => {
    const random = createRandom(SEED, index);
    const [document] = person.profile.documents;
    if (document === undefined) return [];
    const at = random.whole(document.number.length - 4, document.number.length - 1);
    const number =
      document.number.slice(0, at) + String(random.whole(0, 9)) + document.number.slice(at + 1);
    const owner = owners.get(keyOf({ ...document, number }));
    if (owner === undefined || owner === person) return [];
    return [{ names: namesOf(person), documents: [{ ...document, number }], owner }];
  });
}

function keyOf(document: IdentityDocument | undefined): string {
  return `${document?.type} ${document?.number}`;
}

function namesOf({ profile }: FoundSubject): Names {
  return [...profile.name.forenames, profile.name.surname].map((name) => name.toUpperCase());
}

/** Mean of the kinds' shares: each kind has the same weight. */
function share(rows: readonly Counted[]): number {
  return rows.reduce((sum, row) => sum + row.found / row.enquiries, 0) / rows.length;
}

function percent(part: number): string {
  return (part * 100).toFixed(2);
}
