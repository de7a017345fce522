/** Signs alone, or a word for a value that there is not. `0` and `NA` may be values. */
const MISSING =
  /^(?:[^\p{L}\d]+|#?N\/A|N\.A\.?|NIL|NULL|NONE|UNKNOWN|X{2,}|NOT[ _]?(?:AVAILABLE|APPLICABLE|GIVEN|KNOWN|PROVIDED))$/iu;
const ZEROS = /^0+$/;
/** Longer than every such word. */
const MAX_LENGTH = 14;

/**
 * True if a text stands for a missing value, as `N/A` does. Many people have it in common, so it is
 * nobody's number.
 * @param or `zero` and `na` if these are no values either.
 */
export function isMissing(
  text: string,
  or: { readonly zero?: boolean; readonly na?: boolean } = {},
): boolean {
  if (text.length > MAX_LENGTH || /^[1-9]/.test(text)) return false;
  if (or.zero === true && ZEROS.test(text)) return true;
  if (or.na === true && text.toUpperCase() === 'NA') return true;
  return MISSING.test(text);
}
