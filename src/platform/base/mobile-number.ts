const COUNTRY = '254';
/** What people write between the digits. */
const SEPARATORS = /[\s().-]/g;

/**
 * A Kenyan mobile number as 12 digits beginning with 254: from `+254…`, `254…`, `0…` or the nine
 * digits alone, with spaces, hyphens, dots and parentheses wherever people put them. Undefined when
 * the text is none.
 */
export function kenyanMobileNumber(text: string): string | undefined {
  const digits = text.replace(SEPARATORS, '');
  // Nine digits that begin like a longer form are that form with some missing.
  const [number] = /(?<=^(?:\+?254|0))\d{9}$|^(?!0|254)\d{9}$/.exec(digits) ?? [];
  return number === undefined ? undefined : COUNTRY + number;
}

/**
 * A phone number: a Kenyan one as above, another as its 9 to 15 digits. Undefined when the text is
 * neither.
 */
export function phoneNumber(text: string): string | undefined {
  const kenyan = kenyanMobileNumber(text);
  if (kenyan !== undefined) return kenyan;
  return /^\+?(\d{9,15})$/.exec(text.replace(SEPARATORS, ''))?.[1];
}
