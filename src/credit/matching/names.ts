/** Titles and particles that are no part of a name, and what stands for “no name”. */
const NO_NAME: ReadonlySet<string> = new Set(
  'MR MRS MS MISS DR PROF ENG HON REV SIR MADAM WA OLE ARAP BIN BINTI BINT IBN AL NULL NA NONE'.split(
    ' ',
  ),
);

/**
 * The tokens of a name as it may be written: marks stripped, upper case, apostrophes dropped
 * (NG’ANG’A → NGANGA), hyphens split, titles and particles (wa, ole, arap, bin) left out, no token
 * twice.
 */
export function nameTokens(text: string): string[] {
  if (/^[A-Za-z]+$/.test(text)) {
    const token = text.toUpperCase();
    return token.length > 1 && !NO_NAME.has(token) ? [token] : [];
  }
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
  const tokens = plain
    .replaceAll(/['’‘ʼ`´]/gu, '')
    .split(/[^\p{L}]+/u)
    .filter((token) => token.length > 1 && !NO_NAME.has(token));
  return [...new Set(tokens)];
}

/** Version of the rule, kept with every enquiry it decided. */
export const NAME_RULE = 'names-1';

const STRONG_SIMILARITY = 0.92;
/** Enough where the tokens also sound alike. */
const ALIKE_SIMILARITY = 0.8;
const FEWEST_TOKENS = 2;
/** Least share of the shorter name that must be found in the other. */
const LEAST_SCORE = 0.6;

export interface NameComparison {
  readonly agree: boolean;
  /** Tokens found in both, spelling variants included. */
  readonly matched: number;
  /** Similarity of the matched tokens over the number of tokens of the shorter name, 0 to 1. */
  readonly score: number;
}

/**
 * Compares two names as sets of tokens, in any order. They agree when at least two tokens match, by
 * spelling (Jaro-Winkler) or by a slightly different spelling that sounds alike in Kenyan usage, and
 * these are at least 60 % of the shorter name.
 * @param fewestTokens 1 only where the rules of the operation ask for no names at all.
 */
export function compareNames(
  a: readonly string[],
  b: readonly string[],
  fewestTokens = FEWEST_TOKENS,
): NameComparison {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const pairs = shorter.flatMap((left, i) =>
    longer.map((right, j) => ({ i, j, similarity: tokenSimilarity(left, right) })),
  );
  // The most similar pair first: for a handful of tokens that is as good as an exact assignment.
  const best = pairs
    .filter(({ similarity }) => similarity > 0)
    .toSorted((p, q) => q.similarity - p.similarity || p.i - q.i || p.j - q.j);
  const usedLeft = new Set<number>();
  const usedRight = new Set<number>();
  let sum = 0;
  for (const { i, j, similarity } of best) {
    if (usedLeft.has(i) || usedRight.has(j)) continue;
    usedLeft.add(i);
    usedRight.add(j);
    sum += similarity;
  }
  const matched = usedLeft.size;
  const score = shorter.length === 0 ? 0 : sum / shorter.length;
  return { agree: matched >= fewestTokens && score >= LEAST_SCORE, matched, score };
}

/** 1 for equal tokens, down to 0 for those that are no spelling of each other. */
function tokenSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const similarity = jaroWinkler(a, b);
  if (similarity >= STRONG_SIMILARITY) return similarity;
  return similarity >= ALIKE_SIMILARITY && soundKey(a) === soundKey(b) ? similarity : 0;
}

/**
 * What is left of a name when the differences that spellings of Bantu, Luo and Arabic names show are
 * taken away: r/l, k/g/c/q, silent h, doubled letters, and vowels but for the first letter.
 */
export function soundKey(token: string): string {
  return token
    .replaceAll(/PH/g, 'F')
    .replaceAll(/(?<=.)[HWY]/g, '')
    .replaceAll('L', 'R')
    .replaceAll(/[GCQ]/g, 'K')
    .replaceAll('Z', 'S')
    .replaceAll(/(?<=.)[AEIOU]/g, '')
    .replaceAll(/(.)\1+/g, '$1');
}

const PREFIX_WEIGHT = 0.1;
const LONGEST_PREFIX = 4;

/** Jaro-Winkler similarity, 0 to 1 (Winkler 1990: prefix scale 0.1, at most 4 characters). */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  let prefix = 0;
  while (prefix < LONGEST_PREFIX && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro);
}

function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const takenB = new Set<number>();
  let matchedA = '';
  for (let i = 0; i < a.length; i += 1) {
    for (let j = Math.max(0, i - reach); j <= Math.min(b.length - 1, i + reach); j += 1) {
      if (a[i] !== b[j] || takenB.has(j)) continue;
      takenB.add(j);
      matchedA += a[i];
      break;
    }
  }
  const matches = takenB.size;
  if (matches === 0) return 0;
  const matchedB = [...takenB].toSorted((p, q) => p - q).map((j) => b[j]);
  const outOfPlace = matchedB.filter((character, at) => character !== matchedA[at]).length;
  return (matches / a.length + matches / b.length + (matches - outOfPlace / 2) / matches) / 3;
}
