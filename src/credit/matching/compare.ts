import { childOf } from './child.ts';
import { isGivenName, knownName } from './known-names.ts';
import { NO_NAMES } from './name-shares.ts';
import type { NameUse } from './name-shares.ts';
import {
  abbreviates,
  initials,
  jaroWinkler,
  mayBeMisspelt,
  mayBeMistyped,
  nameWords,
  significantWords,
  soundKey,
  tokenSimilarity,
} from './names.ts';

/** The version of the rule, recorded with every enquiry that it decided. */
export const NAME_RULE = 'names-6';

const MIN_TOKENS = 2;
/** The smallest share of the shorter name that must be found in the other. */
const MIN_SCORE = 0.6;
/** The largest share of people who may have the names in common by chance if another name differs. */
const MAX_SHARE_BY_CHANCE = 1 / 5_000;

export interface NameRules {
  /** Number of names that must agree. Default 2; 1 only where the operation requires no names at all. */
  readonly minTokens?: number;
  /**
   * The smallest share of the given names that must be on file, so that a list of frequent names
   * finds nobody. Default 0.
   */
  readonly minShareOfGiven?: number;
  /**
   * True: the birth date that was given is the one on file. A surname may then differ, as after a
   * marriage, even if the first name is the only other one. Default false.
   */
  readonly isBirthDateKnown?: boolean;
  /**
   * The use of names among the registry's people. Frequent names in common are no evidence for one
   * person, and two names in use are two names, however similar. Default: nothing is known.
   */
  readonly use?: NameUse;
}

export interface NameAgreement {
  /** 0 to 1: the best agreement with any of the names on file. */
  readonly score: number;
  /**
   * Each side has a name that the other lacks, so the person has changed a name; or the first name is
   * so different that it may be a relative's.
   */
  readonly differs: boolean;
}

/**
 * Scores the agreement of names with those on file for one person. Null if none agrees, if the first
 * names contradict, or if each side has a name that the other lacks and nothing else speaks for one
 * person. Pure.
 * @param given names in any order.
 * @param onFile full names, each with the first name first; the newest name first.
 */
export function nameAgreement(
  given: readonly string[],
  onFile: readonly string[],
  rules: NameRules = {},
): NameAgreement | null {
  const allWords = given.flatMap(nameWords);
  // Names beyond the limit are not compared, so they cannot agree.
  if ((rules.minShareOfGiven ?? 0) > 0 && allWords.length > MAX_WORDS) return null;
  const sides = sidesOf(bounded(allWords), onFile);
  const firstName = compareFirstNames(sides, rules);
  if (firstName === 'another' || contradicts(sides, rules)) return null;
  const child = rules.isBirthDateKnown === true ? 'no' : childOf(sides.given, sides.names);
  if (child === 'child') return null;
  const best = bestMatch(sides, rules);
  if (best === null) return null;
  const differs = doNamesDiffer(sides);
  if (differs && !mayDiffer(sides, best.matched, rules)) return null;
  const isDoubtful = firstName === 'doubtful' || child === 'perhaps' || best.isByInitials === true;
  return { score: best.score, differs: differs || isDoubtful };
}

/** The names that are compared. Initials are kept apart: they agree with any name that begins so. */
interface Sides {
  readonly given: readonly string[];
  /** Number of words that each given name was made of, if the file writes it as one word. */
  readonly parts: ReadonlyMap<string, number>;
  readonly givenInitials: readonly string[];
  readonly names: readonly (readonly string[])[];
  readonly initialsOnFile: readonly string[];
}

function sidesOf(givenWords: readonly string[], onFile: readonly string[]): Sides {
  const fileWords = [...new Set(onFile)].map((name) => bounded(nameWords(name)));
  const asked = joinLike(givenWords, fileWords.flat());
  return {
    given: significantWords(asked.words),
    parts: asked.parts,
    givenInitials: initials(asked.words),
    names: fileWords.map((words) => significantWords(joinLike(words, asked.words).words)),
    initialsOnFile: fileWords.flatMap(initials),
  };
}

interface BestMatch {
  readonly matched: readonly string[];
  readonly score: number;
  /** One name and initials agree, and no birth date confirms them. */
  readonly isByInitials?: boolean;
}

function bestMatch(sides: Sides, rules: NameRules): BestMatch | null {
  const { given, parts, names } = sides;
  const { minTokens = MIN_TOKENS, minShareOfGiven = 0 } = rules;
  const single = singleNameMatch(sides, rules);
  if (single !== null) return single;
  let best: BestMatch | null = null;
  for (const name of names) {
    const found = compare(given, name);
    const count = found.matched.reduce((sum, token) => sum + (parts.get(token) ?? 1), 0);
    const isEnough = count >= minTokens && found.score >= MIN_SCORE;
    if (!isEnough && !isOnlySurnameNew(found.matched, name, { given, rules })) continue;
    if (found.matched.length < minShareOfGiven * given.length) continue;
    if (found.score > (best?.score ?? 0)) best = found;
  }
  return best;
}

/** As many agreeing initials as it takes to tell a family's members apart without a birth date. */
const MIN_INITIALS = 2;

/**
 * A person with a single name, with or without initials, on file (K J MWANGI), or with initials in the
 * request. The name has to agree, and so do the initials. Without the birth date, at least two initials
 * on file have to.
 */
function singleNameMatch(sides: Sides, rules: NameRules): BestMatch | null {
  const { given, givenInitials, names, initialsOnFile } = sides;
  const { isBirthDateKnown = false, minShareOfGiven = 0 } = rules;
  const best = names
    .map((name) => compare(given, name))
    .reduce((a, b) => (b.score > a.score ? b : a), { matched: [], score: 0 });
  if (best.matched.length !== 1 || doNamesDiffer(sides)) return null;
  const unmatched = (token: string): boolean => !isAmong(token, best.matched);
  const others = [...new Set(given.filter(unmatched))];
  if (names.every((name) => name.length === 1)) {
    const agreeing = countInitials(initialsOnFile, [...others, ...givenInitials]);
    const explained = 1 + Math.min(agreeing, others.length);
    const isEnough = isBirthDateKnown || agreeing >= MIN_INITIALS;
    if (!isEnough || explained < minShareOfGiven * (1 + others.length)) return null;
    return { ...best, isByInitials: !isBirthDateKnown };
  }
  const notGiven = names.flat().filter(unmatched);
  const isEnough = given.length === 1 && isBirthDateKnown && minShareOfGiven === 0;
  return isEnough && countInitials(givenInitials, notGiven) > 0 ? best : null;
}

/** Counts the initials that stand for one of these names each, or for the same initial. */
function countInitials(someInitials: readonly string[], words: readonly string[]): number {
  const left = [...words];
  return someInitials.filter((initial) => {
    const at = left.findIndex((word) => abbreviates(initial, word));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  }).length;
}

/** A person with the file's first name and another surname, as after a marriage. */
function isOnlySurnameNew(
  matched: readonly string[],
  name: readonly string[],
  { given, rules }: { readonly given: readonly string[]; readonly rules: NameRules },
): boolean {
  const [first = ''] = name;
  const [asked = ''] = given;
  // A name that is not only a first name, such as WANJIKU, is one where both sides begin with it.
  const isFirst = (token: string): boolean => isGivenName(token) || token === asked;
  return (
    rules.isBirthDateKnown === true &&
    Math.min(given.length, name.length) === MIN_TOKENS &&
    matched.some((token) => isFirst(token) && tokenSimilarity(token, first) > 0)
  );
}

/** True if each side has a name that the other lacks, apart from typing errors and initials. */
function doNamesDiffer(sides: Sides): boolean {
  const { given, givenInitials, names, initialsOnFile } = sides;
  const pool = names.flat();
  const notGiven = [...new Set(pool)].filter(
    (token) =>
      !isAmong(token, given) && !givenInitials.some((initial) => abbreviates(initial, token)),
  );
  const initialsNotGiven = initialsOnFile.filter(
    (initial) =>
      !givenInitials.includes(initial) && !given.some((token) => abbreviates(initial, token)),
  );
  if (notGiven.length + initialsNotGiven.length === 0) return false;
  const notOnFile = given.filter(
    (token) =>
      !isAmong(token, pool) &&
      !initialsOnFile.some((initial) => abbreviates(initial, token)) &&
      !notGiven.some((other) => mayBeMistyped(token, other)),
  );
  return notOnFile.length > 0 || hasUnknownInitial(sides);
}

/** True if an initial stands for no name on file but one that is given in full, too. */
function hasUnknownInitial({ given, givenInitials, names, initialsOnFile }: Sides): boolean {
  const left = names.flat().filter((name) => !isAmong(name, given));
  return givenInitials.some(
    (initial) =>
      !initialsOnFile.includes(initial) && !left.some((name) => abbreviates(initial, name)),
  );
}

/**
 * True if it may be one person although a name differs: by the birth date, or because the first names
 * agree and the names in common are too rare to agree by chance. A child's own name comes first, and
 * the father's names follow.
 */
function mayDiffer({ given, names }: Sides, matched: readonly string[], rules: NameRules): boolean {
  const { isBirthDateKnown = false, use: { shareOf } = NO_NAMES } = rules;
  if (isBirthDateKnown) return true;
  const [first = ''] = given;
  const byChance = matched.reduce((share, token) => share * shareOf(token), 1);
  return isAmong(first, names.flat()) && byChance <= MAX_SHARE_BY_CHANCE;
}

const MAX_WORDS = 12;
const MAX_LETTERS = 30;

/** More than any name has. The cost of comparing is the product of both sides. */
function bounded(words: readonly string[]): string[] {
  return words.slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_LETTERS));
}

interface Joined {
  readonly words: readonly string[];
  /** Number of words that each joined word was made of. */
  readonly parts: ReadonlyMap<string, number>;
}

const MAX_JOINED_WORDS = 3;
const MIN_JOINED_LETTERS = 5;
const JOINED_SIMILARITY = 0.94;
/** In letters. */
const MAX_JOINED_DIFFERENCE = 2;

/** Joins words that the other side writes as one: ABDUL RAHMAN if it has ABDULRAHMAN. */
function joinLike(words: readonly string[], others: readonly string[]): Joined {
  const joined: string[] = [];
  const parts = new Map<string, number>();
  for (let at = 0; at < words.length; at += 1) {
    const length = joinedLength(words.slice(at, at + MAX_JOINED_WORDS), others);
    const word = words.slice(at, at + length).join('');
    if (length > 1) parts.set(word, length);
    joined.push(word);
    at += length - 1;
  }
  return { words: joined, parts };
}

function joinedLength(words: readonly string[], others: readonly string[]): number {
  for (let length = words.length; length > 1; length -= 1) {
    const parts = words.slice(0, length);
    const whole = parts.join('');
    if (whole.length < MIN_JOINED_LETTERS) continue;
    const isWritten = others.some(
      (other) =>
        Math.abs(other.length - whole.length) <= MAX_JOINED_DIFFERENCE &&
        jaroWinkler(other, whole) >= JOINED_SIMILARITY &&
        !parts.some((part) => tokenSimilarity(part, other) > 0),
    );
    if (isWritten) return length;
  }
  return 1;
}

/**
 * Pairs tokens, the most similar first. For so few tokens that is as good as an exact assignment.
 */
function compare(
  given: readonly string[],
  name: readonly string[],
): { readonly matched: readonly string[]; readonly score: number } {
  const pairs = given
    .flatMap((token, i) =>
      name.map((other, j) => ({ i, j, similarity: tokenSimilarity(token, other) })),
    )
    .filter(({ similarity }) => similarity > 0)
    .toSorted((p, q) => q.similarity - p.similarity || p.i - q.i || p.j - q.j);
  const usedGiven = new Set<number>();
  const usedName = new Set<number>();
  let sum = 0;
  for (const { i, j, similarity } of pairs) {
    if (usedGiven.has(i) || usedName.has(j)) continue;
    usedGiven.add(i);
    usedName.add(j);
    sum += similarity;
  }
  const matched = [...usedGiven].map((index) => given[index] ?? '');
  // A name that was given twice counts once, unless it is on file twice.
  const repeated = given.filter((token, i) => !usedGiven.has(i) && matched.includes(token)).length;
  const shorter = Math.min(given.length - repeated, name.length);
  return { matched, score: shorter === 0 ? 0 : sum / shorter };
}

/**
 * Explains a first name on file that is given with other letters: by a typing error, or because it is a
 * relative's (CLINTON, CLIFTON). If both are names in use and sound different, it is a relative's.
 * Otherwise only a birth date can tell, unless they sound the same and one of them is rare.
 */
function compareFirstNames(
  { given, names }: Sides,
  { isBirthDateKnown = false, use = NO_NAMES }: NameRules,
): 'same' | 'doubtful' | 'another' {
  if (isBirthDateKnown) return 'same';
  const pool = names.flat();
  const verdicts = firstNames(names).map((first) => {
    const alike = given.filter(
      (token) => tokenSimilarity(token, first) > 0 || mayBeMisspelt(token, first),
    );
    const isOnFile = alike.some((token) => pool.some((name) => isSameName(token, name)));
    if (isOnFile || alike.length === 0) return 'same';
    const soundsSame = alike.some((token) => soundKey(token) === soundKey(first));
    if (![first, ...alike].every(use.isInUse)) return soundsSame ? 'same' : 'doubtful';
    return soundsSame ? 'doubtful' : 'another';
  });
  if (verdicts.some((verdict) => verdict === 'another')) return 'another';
  return verdicts.some((verdict) => verdict === 'doubtful') ? 'doubtful' : 'same';
}

/** Tokens are one name if they are equal, or spellings or forms of one listed name. */
function isSameName(a: string, b: string): boolean {
  const areListed = knownName(a) !== undefined && knownName(b) !== undefined;
  return a === b || (areListed && tokenSimilarity(a, b) > 0);
}

/**
 * True if the names are a relative's. They are if a first name on file is not given, and another name
 * or initial is given that is not on file. They also are if both sides have a given name (PETER, PAUL)
 * and no given name agrees, in whatever order.
 */
function contradicts(sides: Sides, rules: NameRules): boolean {
  const { given, givenInitials, names, initialsOnFile } = sides;
  const pool = names.flat();
  const isInitialOf = (token: string): boolean =>
    givenInitials.some((initial) => abbreviates(initial, token));
  const notOnFile = given.filter((token) => !isAmong(token, pool));
  const unexplained = notOnFile.filter(
    (token) => !initialsOnFile.some((initial) => abbreviates(initial, token)),
  );
  if (unexplained.length === 0 && !hasUnknownInitial(sides)) return false;
  const isSpeltAlike = rules.isBirthDateKnown === true ? mayBeMistyped : mayBeMisspelt;
  const isMissing = (token: string): boolean =>
    countOf(token, given) < longestRun(token, names) &&
    !isInitialOf(token) &&
    !notOnFile.some((other) => isSpeltAlike(token, other));
  if (firstNames(names).some(isMissing)) return true;
  const known = pool.filter(isGivenName);
  return (
    known.length > 0 &&
    unexplained.some(isGivenName) &&
    !known.some((token) => isAmong(token, given) || isInitialOf(token))
  );
}

/** Counts the tokens that are a spelling of this one. */
function countOf(token: string, tokens: readonly string[]): number {
  return tokens.filter((other) => tokenSimilarity(token, other) > 0).length;
}

function isAmong(token: string, tokens: readonly string[]): boolean {
  return tokens.some((other) => tokenSimilarity(token, other) > 0);
}

/** Counts a token within one name: 2 for MOHAMED MOHAMED. */
function longestRun(token: string, names: readonly (readonly string[])[]): number {
  return Math.max(...names.map((name) => name.filter((other) => other === token).length));
}

/**
 * The first name of each full name, except those that another name has further back: lenders write
 * names in different orders, and leave first names out.
 */
function firstNames(names: readonly (readonly string[])[]): string[] {
  const later = names.flatMap((name) => name.slice(1));
  const firsts = names.flatMap((name) => name.slice(0, 1));
  const certain = firsts.filter((first, index) => {
    const ownLater = names[index]?.slice(1) ?? [];
    return !isAmong(first, later) || isAmong(first, ownLater);
  });
  return certain.length > 0 ? certain : firsts.slice(0, 1);
}
