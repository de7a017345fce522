const COUNTRY = '254';
/** Separators that people write between digits. */
const SEPARATORS = /[\s().-]/g;

/**
 * A Kenyan mobile number as 12 digits beginning with 254. Accepts `+254…`, `254…`, `0…` or the nine
 * digits alone, with spaces, hyphens, dots and parentheses anywhere. Undefined if the text is not
 * such a number.
 */
export function kenyanMobileNumber(text: string): string | undefined {
  const digits = text.replace(SEPARATORS, '');
  // Nine digits that start like a longer form are that form with digits missing.
  const [number] = /(?<=^(?:\+?254|0))\d{9}$|^(?!0|254)\d{9}$/.exec(digits) ?? [];
  return number === undefined ? undefined : COUNTRY + number;
}

/**
 * A phone number: a Kenyan one as above, any other as its 9 to 15 digits. Undefined if the text is
 * neither.
 */
export function phoneNumber(text: string): string | undefined {
  const kenyan = kenyanMobileNumber(text);
  if (kenyan !== undefined) return kenyan;
  return /^\+?(\d{9,15})$/.exec(text.replace(SEPARATORS, ''))?.[1];
}
