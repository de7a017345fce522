import type { Random } from '../../sandbox/population/random.ts';
import { UNLISTED_NAMES } from './alike-names.ts';

const LETTERS = 'AEIOUKLMNRST'.split('');
const TITLES = 'MR MRS DR HON CAPT SHEIKH HAJI PASTOR'.split(' ');

/** First name first. */
export type Names = readonly string[];
/** The names that an enquiry has, made from those on file and a stranger's; undefined: not for this person. */
type Spoil = (names: Names, random: Random, stranger: Names) => Names | undefined;

export interface Kind {
  readonly kind: string;
  /** True: the person who was meant should be found; false: nobody should. */
  readonly genuine: boolean;
  readonly spoil: Spoil;
}

export const GENUINE = kindsOf(true, {
  'names as registered, in another order': (names, random) => shuffled(names, random),
  'one name of three left out': (names, random) =>
    names.length < 3 ? undefined : names.toSpliced(random.whole(0, names.length - 1), 1),
  'the first name of two, and another surname': (names, _random, stranger) =>
    shared(names, stranger) > 0 ? undefined : [names[0] ?? '', stranger.at(-1) ?? ''],
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
  'a first letter wrong in a name that is not the first': (names, random) => {
    const which = random.whole(1, names.length - 1);
    const wrong = random.pick(LETTERS) + (names[which] ?? '').slice(1);
    return names.length < 3 ? undefined : names.with(which, wrong);
  },
  'two letters wrong in a name of three': (names, random) => {
    const long = names.findIndex((name) => name.length >= 8);
    return names.length < 3 || long === -1
      ? undefined
      : names.map((name, at) => (at === long ? typo(typo(name, random), random) : name));
  },
  'the initial of a name of three': (names, random) => {
    const which = random.whole(0, 2);
    return names.length < 3
      ? undefined
      : names.map((name, at) => (at === which ? name.slice(0, 1) : name));
  },
  'two names written as one': (names, random) => {
    const at = random.whole(0, names.length - 2);
    return names.length < 3
      ? undefined
      : names.toSpliced(at, 2, (names[at] ?? '') + (names[at + 1] ?? ''));
  },
  'a title in front': (names, random) => [random.pick(TITLES), ...names],
  'the first of three names left out': (names) => (names.length < 3 ? undefined : names.slice(1)),
});

export const OTHERS = kindsOf(false, {
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
  'a son or daughter: another first name, followed by the first two of three names': (
    names,
    _random,
    stranger,
  ) =>
    names.length < 3 || shared(names, stranger) > 0
      ? undefined
      : [stranger[0] ?? '', ...names.slice(0, 2)],
  'another initial for the first of three names': (names, random) => {
    const initial = random.pick(LETTERS);
    return names.length < 3 || names.some((name) => name.startsWith(initial))
      ? undefined
      : [initial, ...names.slice(1)];
  },
  'a sibling whose first name is not listed': (names, random) =>
    names.length < 3 ? undefined : shuffled(names.with(0, random.pick(UNLISTED_NAMES)), random),
});

function kindsOf(genuine: boolean, spoils: Readonly<Record<string, Spoil>>): Kind[] {
  return Object.entries(spoils).map(([kind, spoil]) => ({ kind, genuine, spoil }));
}

export function shared(a: Names, b: Names): number {
  return a.filter((name) => b.includes(name)).length;
}

export function shuffled(names: Names, random: Random): Names {
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

export function typo(name: string, random: Random): string {
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
