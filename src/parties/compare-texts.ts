import { HASH_FIELD } from '../platform/base/canonical.ts';

/** Mistakes that are often made when a request is signed. */
export const SIGNATURE_HINTS = [
  'encoded',
  'order',
  'hash_included',
  'missing_parameter',
  'further_parameter',
  'line_break',
  'spaces',
  'amount_form',
] as const;
export type SignatureHint = (typeof SIGNATURE_HINTS)[number];

/** Where two texts differ first, in characters from 0; undefined: they are equal. */
export function firstDifference(one: string, other: string): number | undefined {
  if (one === other) return undefined;
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

/**
 * Guesses the mistake in a signed text.
 * @param ours the text that has to be signed.
 * @param yours another one.
 */
export function hintFor(ours: string, yours: string): SignatureHint | undefined {
  if (ours.split('\n').length !== yours.split(/\r?\n/).length) return 'line_break';
  if (decoded(yours) === ours) return 'encoded';
  const [mine, theirs] = [ours.split('&'), yours.split('&')];
  const names = new Set(theirs.map(nameOf));
  if (names.has(HASH_FIELD)) return 'hash_included';
  if (mine.toSorted(byText).join('&') === theirs.toSorted(byText).join('&')) return 'order';
  if (mine.some((part) => !names.has(nameOf(part)))) return 'missing_parameter';
  const known = new Set(mine.map(nameOf));
  if (theirs.some((part) => !known.has(nameOf(part)))) return 'further_parameter';
  if (ours.replaceAll(/\s/g, '') === yours.replaceAll(/\s/g, '')) return 'spaces';
  const amounts = [mine, theirs].map((parts) => parts.find((part) => nameOf(part) === 'amount'));
  return amounts[0] === amounts[1] ? undefined : 'amount_form';
}

function nameOf(part: string): string {
  return part.split('=', 1)[0] ?? '';
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
