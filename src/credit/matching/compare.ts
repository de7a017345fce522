import { isGivenName } from './known-names.ts';
import {
  jaroWinkler,
  mayBeMisspelt,
  nameWords,
  significantWords,
  tokenSimilarity,
} from './names.ts';

/** The version of the rule, recorded with every enquiry that it decided. */
export const NAME_RULE = 'names-2';

const MIN_TOKENS = 2;
/** The smallest share of the shorter name that must be found in the other. */
const MIN_SCORE = 0.6;

export interface NameRules {
  /** How many names must agree. Default 2; 1 only where the operation requires no names at all. */
  readonly minTokens?: number;
  /**
   * The smallest share of the given names that must be on file, so that a list of frequent names
   * finds nobody. Default 0.
   */
  readonly minShareOfGiven?: number;
}

/**
 * How well names agree with those on file for one person, 0 to 1: the best agreement with any of
 * them. Null if none agrees, or if the first names contradict. Pure.
 * @param given names in any order.
 * @param onFile full names, each with the first name first; the newest name first.
 */
export function nameAgreement(
  given: readonly string[],
  onFile: readonly string[],
  { minTokens = MIN_TOKENS, minShareOfGiven = 0 }: NameRules = {},
): number | null {
  const allWords = given.flatMap(nameWords);
  // Names beyond the limit are not compared, so they cannot agree.
  if (minShareOfGiven > 0 && allWords.length > MAX_WORDS) return null;
  const givenWords = bounded(allWords);
  const fileWords = [...new Set(onFile)].map((name) => bounded(nameWords(name)));
  const asked = joinLike(givenWords, fileWords.flat());
  const names = fileWords.map((words) => significantWords(joinLike(words, asked.words).words));
  const tokens = significantWords(asked.words);
  if (contradicts(tokens, names)) return null;
  let best: number | null = null;
  for (const name of names) {
    const { matched, score } = compare(tokens, name);
    const count = matched.reduce((sum, token) => sum + (asked.parts.get(token) ?? 1), 0);
    if (count < minTokens || score < MIN_SCORE) continue;
    if (matched.length < minShareOfGiven * tokens.length) continue;
    if (score > (best ?? 0)) best = score;
  }
  return best;
}

const MAX_WORDS = 12;
const MAX_LETTERS = 30;

/** More than any name has. The cost of comparing is the product of both sides. */
function bounded(words: readonly string[]): string[] {
  return words.slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_LETTERS));
}

interface Joined {
  readonly words: readonly string[];
  /** For each joined word, how many words it was made of. */
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
 * Whether the names are a relative's. They are if a first name on file is not given, and another
 * name is given that is not on file. They also are if both sides have a given name (PETER, PAUL)
 * and no given name agrees, in whatever order.
 */
function contradicts(given: readonly string[], names: readonly (readonly string[])[]): boolean {
  const pool = names.flat();
  const notOnFile = given.filter((token) => !isAmong(token, pool));
  if (notOnFile.length === 0) return false;
  const isMissing = (token: string): boolean =>
    countOf(token, given) < longestRun(token, names) &&
    !notOnFile.some((other) => mayBeMisspelt(token, other));
  if (firstNames(names).some(isMissing)) return true;
  const known = pool.filter(isGivenName);
  return (
    known.length > 0 && notOnFile.some(isGivenName) && !known.some((token) => isAmong(token, given))
  );
}

/** How many of the tokens are a spelling of this one. */
function countOf(token: string, tokens: readonly string[]): number {
  return tokens.filter((other) => tokenSimilarity(token, other) > 0).length;
}

function isAmong(token: string, tokens: readonly string[]): boolean {
  return tokens.some((other) => tokenSimilarity(token, other) > 0);
}

/** How often one name has the token: 2 for MOHAMED MOHAMED. */
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
