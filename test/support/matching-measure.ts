import { generateSubjects } from '../../sandbox/population/population.ts';
import { createRandom } from '../../sandbox/population/random.ts';
import type { Random } from '../../sandbox/population/random.ts';
import { matchSubject } from '../../src/credit/matching/match.ts';
import type { IdentityDocument } from '../../src/credit/registry/documents.ts';
import type { FoundSubject } from '../../src/credit/registry/store.ts';
import { PAIRS, UNLISTED_NAMES } from './alike-names.ts';
import type { Pairs } from './alike-names.ts';

/** How many enquiries of one kind found somebody. */
export interface Measured {
  readonly kind: string;
  /** True: the person who was meant should be found; false: nobody should. */
  readonly genuine: boolean;
  readonly enquiries: number;
  /** Share in percent, two decimals. */
  readonly found: string;
}

export interface MatchingMeasure {
  readonly rows: readonly Measured[];
  /** Found among those who were meant, over all genuine kinds, in percent. */
  readonly recall: string;
  /**
   * Share of correct results among those found, in percent, weighted as if genuine and other enquiries
   * were equally many.
   */
  readonly precision: string;
}

type Names = readonly string[];
type Spoil = (names: Names, random: Random, stranger: Names) => Names | undefined;

const GENUINE: Readonly<Record<string, Spoil>> = {
  'names as registered, in another order': (names, random) => shuffled(names, random),
  'one name of three left out': (names, random) =>
    names.length < 3 ? undefined : names.toSpliced(random.whole(0, names.length - 1), 1),
  'a letter doubled': (names, random) =>
    inOne(names, random, (t, at) => t.slice(0, at) + t.slice(at - 1)),
  'a letter left out': (names, random) =>
    inOne(names, random, (t, at) => t.slice(0, at) + t.slice(at + 1)),
  'two letters swapped': (names, random) =>
    inOne(
      names,
      random,
      (t, at) => t.slice(0, at - 1) + (t[at] ?? '') + (t[at - 1] ?? '') + t.slice(at + 1),
    ),
  'a letter replaced': (names, random) =>
    inOne(names, random, (t, at) => t.slice(0, at) + random.pick(LETTERS) + t.slice(at + 1)),
  'a letter wrong in each of two names': (names, random) =>
    names.map((name, index) => (index < 2 ? typo(name, random) : name)),
  'another spelling (I/E, O/U, R/L, K/C, double vowels, silent H)': (names, random) =>
    inOne(names, random, respelt),
  'one name of three is another, but not the first': (names, random, stranger) =>
    names.length < 3 ? undefined : names.with(random.whole(1, names.length - 1), stranger[0] ?? ''),
  'the first of three names left out': (names) => (names.length < 3 ? undefined : names.slice(1)),
};

const OTHERS: Readonly<Record<string, Spoil>> = {
  'names of a stranger': (names, _random, stranger) =>
    shared(names, stranger) > 0 ? undefined : stranger,
  'names of a stranger who shares one': (names, random, stranger) =>
    shared(names, stranger) > 0 ? undefined : [random.pick(names), ...stranger.slice(0, 2)],
  'names of a stranger, with a letter wrong': (names, random, stranger) =>
    shared(names, stranger) > 0 ? undefined : stranger.map((name) => typo(name, random)),
  'a sibling: another first name, the others the same, in any order': (names, random, stranger) =>
    names.length < 3 || shared(names, stranger) > 0
      ? undefined
      : shuffled(names.with(0, stranger[0] ?? ''), random),
  'a sibling whose first name is not listed': (names, random) =>
    names.length < 3 ? undefined : shuffled(names.with(0, random.pick(UNLISTED_NAMES)), random),
};

const LETTERS = 'AEIOUKLMNRST'.split('');
const PEOPLE = 4_000;
const SEED = 31;
const PEOPLE_A_PAIR = 20;

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
  const rows = [
    ...Object.entries(GENUINE).map(([kind, spoil]) =>
      measure(people, { kind, genuine: true, spoil }),
    ),
    ...Object.entries(OTHERS).map(([kind, spoil]) =>
      measure(people, { kind, genuine: false, spoil }),
    ),
    measureWrongDigit(people),
    ...[...PAIRS, misspeltUnlisted()].map((pairs) => measurePairs(people, pairs)),
  ].toSorted((a, b) => Number(b.genuine) - Number(a.genuine));
  const genuine = share(rows.filter((row) => row.genuine));
  const others = share(rows.filter((row) => !row.genuine));
  return {
    rows: rows.map((row) => ({ ...row, found: percent(row.found / row.enquiries) })),
    recall: percent(genuine),
    precision: percent(genuine / (genuine + others)),
  };
}

interface Counted {
  readonly kind: string;
  readonly genuine: boolean;
  readonly enquiries: number;
  readonly found: number;
}

function measure(
  people: readonly FoundSubject[],
  {
    kind,
    genuine,
    spoil,
  }: { readonly kind: string; readonly genuine: boolean; readonly spoil: Spoil },
): Counted {
  let enquiries = 0;
  let found = 0;
  for (const [index, person] of people.entries()) {
    const random = createRandom(SEED, index);
    const stranger = people[(index * 7 + 701) % people.length] ?? person;
    const given = spoil(namesOf(person), random, namesOf(stranger));
    if (given === undefined) continue;
    enquiries += 1;
    const [document] = person.profile.documents;
    const documents = document === undefined ? [] : [document];
    const match = matchSubject({ documents, names: given, dateOfBirth: '' }, [person]);
    if (match.kind === 'match') found += 1;
  }
  return { kind, genuine, enquiries, found };
}

/**
 * One name of a pair on file as the first name, the other one given, both ways; the other names of a
 * person the same, in any order.
 */
function measurePairs(people: readonly FoundSubject[], { kind, genuine, pairs }: Pairs): Counted {
  let enquiries = 0;
  let found = 0;
  for (const [index, [one = '', other = '']] of pairs.entries()) {
    for (let turn = 0; turn < PEOPLE_A_PAIR; turn += 1) {
      const at = index * PEOPLE_A_PAIR + turn;
      const random = createRandom(SEED, at);
      const person = people[(at * 13) % people.length]!;
      const [onFile, given] = turn % 2 === 0 ? [one, other] : [other, one];
      const others = namesOf(person).slice(turn % 4 < 2 ? 1 : -1);
      const [surname = '', ...forenames] = others.toReversed();
      const name = { surname, forenames: [onFile, ...forenames.toReversed()] };
      const documents = person.profile.documents.slice(0, 1);
      const names = shuffled([given, ...others], random);
      const subject = { ...person, profile: { ...person.profile, name } };
      enquiries += 1;
      if (matchSubject({ documents, names, dateOfBirth: '' }, [subject]).kind === 'match') {
        found += 1;
      }
    }
  }
  return { kind, genuine, enquiries, found };
}

function misspeltUnlisted(): Pairs {
  return {
    kind: 'a letter wrong in a first name that is not listed',
    genuine: true,
    pairs: UNLISTED_NAMES.map((name, at) => [
      name,
      typo(name.toUpperCase(), createRandom(SEED, at)),
    ]),
  };
}

/** The right names with a wrong digit in the document: the person who has that number must not be disclosed. */
function measureWrongDigit(people: readonly FoundSubject[]): Counted {
  const owners = new Map(people.map((person) => [keyOf(person.profile.documents[0]), person]));
  let enquiries = 0;
  let found = 0;
  for (const [index, person] of people.entries()) {
    const random = createRandom(SEED, index);
    const [document] = person.profile.documents;
    if (document === undefined) continue;
    const at = random.whole(document.number.length - 4, document.number.length - 1);
    const number =
      document.number.slice(0, at) + String(random.whole(0, 9)) + document.number.slice(at + 1);
    const owner = owners.get(keyOf({ ...document, number }));
    if (owner === undefined || owner === person) continue;
    enquiries += 1;
    const asked = {
      documents: [{ ...document, number }],
      names: namesOf(person),
      dateOfBirth: '',
    };
    if (matchSubject(asked, [owner]).kind === 'match') found += 1;
  }
  return { kind: 'a digit wrong: the document of somebody else', genuine: false, enquiries, found };
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

function shared(a: Names, b: Names): number {
  return a.filter((name) => b.includes(name)).length;
}

function shuffled(names: Names, random: Random): Names {
  const turn = random.whole(1, names.length - 1);
  return [...names.slice(turn), ...names.slice(0, turn)];
}

/** Changes one name at a letter that is not its first. */
function inOne(names: Names, random: Random, change: (token: string, at: number) => string): Names {
  const which = random.whole(0, names.length - 1);
  return names.map((name, index) =>
    index === which ? change(name, random.whole(1, name.length - 1)) : name,
  );
}

function typo(name: string, random: Random): string {
  const at = random.whole(1, name.length - 1);
  return random.chance(0.5)
    ? name.slice(0, at) + name.slice(at + 1)
    : name.slice(0, at) + random.pick(LETTERS) + name.slice(at + 1);
}

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/I$/, 'E'],
  [/E$/, 'I'],
  [/U$/, 'O'],
  [/O$/, 'U'],
  [/(?<=.)L/, 'R'],
  [/(?<=.)R/, 'L'],
  [/K/, 'C'],
  [/(?<=.)H/, ''],
  [/(?<=.)A/, 'AA'],
];

function respelt(name: string): string {
  const [pattern, instead] = SPELLINGS.find(([one]) => one.test(name)) ?? [/$/, ''];
  return name.replace(pattern, instead);
}
