import { isMissing } from '../registry/missing.ts';
import { areFormsOfOneName, initialsOf, knownName } from './known-names.ts';

/**
 * Titles and particles. They count as names only if nothing else is left: Ole Kina, Li Na, Al Amin.
 */
const PARTICLES: ReadonlySet<string> = new Set(
  [
    'MR MRS MS MISS DR PROF ENG HON REV SIR MADAM MASTER FR SR PST PASTOR BISHOP CAPT CPT COL GEN LT MAJ SGT CPL INSP',
    'SHEIKH SHEIKHA SHEIK SHEKH HAJI HAJJI ALHAJI HAJ MWL WAKILI ADV',
    'WA OLE ARAP BIN BINTI BINT IBN AL EL NA',
  ].flatMap((line) => line.split(' ')),
);
const MIN_TOKENS = 2;
/** Longer than every particle and every word for a missing name. */
const LETTERS_ALONE = /^[A-Za-z]{8,}$/;
/** Letters that Unicode does not decompose into a letter and a mark. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  Đ: 'D',
  Ð: 'D',
  Ø: 'O',
  Ł: 'L',
  Ħ: 'H',
  Ŧ: 'T',
  Ŋ: 'NG',
  ẞ: 'SS',
  Æ: 'AE',
  Œ: 'OE',
  Þ: 'TH',
  ı: 'I',
  Ɓ: 'B',
  Ɗ: 'D',
  Ɛ: 'E',
  Ɔ: 'O',
};
const OTHER_LETTERS = new RegExp(`[${Object.keys(WRITTEN_OUT).join('')}]`, 'gu');

/**
 * The words of a name as they are compared: diacritics removed, upper case, apostrophes and digits
 * dropped (NG’ANG’A → NGANGA), hyphens split; none if it is a word for a missing name.
 */
export function nameWords(text: string): string[] {
  if (LETTERS_ALONE.test(text)) return [text.toUpperCase()];
  if (isMissing(text.trim())) return [];
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(OTHER_LETTERS, (letter) => WRITTEN_OUT[letter] ?? letter);
  return plain
    .replaceAll(/['’‘ʼ`´\p{Nd}]/gu, '')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && !isMissing(word));
}

/** Initials, which stand for a name that is not spelt out. */
export function initials(words: readonly string[]): string[] {
  return words.filter(isInitial);
}

/** One letter; a sign of a script without capitals, such as 李, may be a whole name. */
function isInitial(word: string): boolean {
  return word.length === 1 && !/\p{Lo}/u.test(word);
}

/** An initial can stand for a name in any of the name's listed spellings. */
export function abbreviates(initial: string, name: string): boolean {
  return name.startsWith(initial) || initialsOf(name).has(initial);
}

/** The words of a name that count: no initials, and no particles unless few words are left. */
export function significantWords(words: readonly string[]): string[] {
  const long = words.filter((word) => !isInitial(word));
  const names = long.filter((word) => !PARTICLES.has(word));
  return names.length < MIN_TOKENS ? long : names;
}

/** The words of a name that count. */
export function nameTokens(text: string): string[] {
  return significantWords(nameWords(text));
}

const STRONG_SIMILARITY = 0.92;
/** Enough if the tokens also sound alike. */
const ALIKE_SIMILARITY = 0.8;
/**
 * One wrong letter is accepted only in names of at least this length; shorter ones resemble too many
 * others.
 */
const MIN_LISTED_LETTERS = 4;
const MIN_OTHER_LETTERS = 5;
/** Similarity of two spellings of one listed name. */
const SPELLING_SIMILARITY = 0.98;
/** Similarity of a name and a short or local form of it. */
const FORM_SIMILARITY = 0.95;

/**
 * 1 for equal tokens, down to 0 for tokens that are not spellings of each other. Two listed names
 * are the same name or not, whatever their letters; other names may differ in one letter.
 */
export function tokenSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [nameOfA, nameOfB] = [knownName(a), knownName(b)];
  if (nameOfA !== undefined && nameOfB !== undefined) {
    if (nameOfA === nameOfB) return SPELLING_SIMILARITY;
    return areFormsOfOneName(nameOfA, nameOfB) ? FORM_SIMILARITY : 0;
  }
  const similarity = jaroWinkler(a, b);
  const isOneKnown = nameOfA !== undefined || nameOfB !== undefined;
  const shortest = Math.min(a.length, b.length);
  const isAlike =
    similarity >= STRONG_SIMILARITY ||
    (similarity >= ALIKE_SIMILARITY && soundKey(a) === soundKey(b)) ||
    (shortest >= (isOneKnown ? MIN_LISTED_LETTERS : MIN_OTHER_LETTERS) && isMisspelling(a, b));
  return isAlike && !isGenderedPair(a, b) ? similarity : 0;
}

/** Tokens that are not similar enough to agree may still be one name with a wrong letter. */
export function mayBeMisspelt(a: string, b: string): boolean {
  const areKnown = knownName(a) !== undefined && knownName(b) !== undefined;
  const shortest = Math.min(a.length, b.length);
  return (
    !areKnown && shortest >= MIN_LISTED_LETTERS && isMisspelling(a, b) && !isGenderedPair(a, b)
  );
}

/** In letters. Shorter names with two wrong letters are similar to too many others. */
const MIN_LETTERS_FOR_TWO_ERRORS = 7;

/**
 * True if tokens may be one name with typing errors anywhere, the first letter included. It suggests
 * one person only where something else says so: the other names, or the birth date.
 */
export function mayBeMistyped(a: string, b: string): boolean {
  if (knownName(a) !== undefined && knownName(b) !== undefined) return false;
  const shortest = Math.min(a.length, b.length);
  if (shortest < MIN_LISTED_LETTERS || isGenderedPair(a, b)) return false;
  return (
    isOneEditApart(a, b) ||
    (shortest >= MIN_LETTERS_FOR_TWO_ERRORS && editDistance(a, b) <= 2) ||
    soundKey(a) === soundKey(b)
  );
}

/** Letters added, missing, different or swapped (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
      }
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}

/** One wrong letter, but not the first, which is seldom wrong: KELVIN and MELVIN are two names. */
function isMisspelling(a: string, b: string): boolean {
  const beginAlike = a[0] === b[0] || (a[0] === b[1] && a[1] === b[0]);
  return beginAlike && isOneEditApart(a, b);
}

/** One letter added, missing or different, or two adjacent letters swapped. */
function isOneEditApart(a: string, b: string): boolean {
  if (a.length > b.length) return isOneEditApart(b, a);
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  if (a.slice(at + 1) === b.slice(at + 1)) return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Endings that make a woman’s name from a man’s: JOSEPH, JOSEPHINE. */
const FEMININE_ENDING =
  /^(A|IA|INE|INA|ENE|ENA|ETTE|ETTA|ELLE|ELLA|ILLA|ICIA|ICA|ISCA|ITA|IDA|INAH|AH)$/;
/** Male and female forms of one name: Kalenjin, Luo and Luhya prefixes, Latin endings. */
const GENDERED: readonly (readonly [man: RegExp, woman: RegExp])[] = [
  [/^KIP?(?=.{3})/, /^(CHEP|JEP|TAP|CHE|JE)(?=.{3})/],
  [/^O(?=.{3})/, /^A(?=.{3})/],
  [/^W[AE](?=.{3})/, /^N[AE](?=.{3})/],
  [/(?<=.{3})(O|US|IUS)$/, /(?<=.{3})(A|IA|INA)$/],
];

function isGenderedPair(a: string, b: string): boolean {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  // A listed name without its last letter is a typing error, not a man’s name.
  const isSlip = knownName(longer) !== undefined && knownName(shorter) === undefined;
  if (
    !isSlip &&
    shorter.length >= 3 &&
    !/[AEIOUY]$/.test(shorter) &&
    longer.startsWith(shorter) &&
    FEMININE_ENDING.test(longer.slice(shorter.length))
  ) {
    return true;
  }
  return GENDERED.some(([man, woman]) => isPairOf(a, b, man, woman) || isPairOf(b, a, man, woman));
}

function isPairOf(...[a, b, man, woman]: [string, string, RegExp, RegExp]): boolean {
  return man.test(a) && woman.test(b) && a.replace(man, '') === b.replace(woman, '');
}

/**
 * The token without the differences between spellings of Bantu, Luo and Arabic names: r/l, k/g/c/q,
 * silent h, doubled letters, and vowels other than the first letter.
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
const MAX_PREFIX = 4;

/** Jaro-Winkler similarity, 0 to 1 (Winkler 1990: prefix scale 0.1, at most 4 characters). */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  let prefix = 0;
  while (prefix < MAX_PREFIX && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
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
