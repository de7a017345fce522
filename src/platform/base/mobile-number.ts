const COUNTRY = '254';
/** A Kenyan mobile number as it is compared and stored. */
export const MOBILE_NUMBER = /^254[17]\d{8}$/;
/** Separators that people write between digits. */
const SEPARATORS = /[\s().-]/g;

/**
 * A Kenyan mobile number as 12 digits: 254, then 7 or 1, then eight digits. Accepts `+254…`, `254…`, `0…` or
 * the nine digits alone, with spaces, hyphens, dots and parentheses anywhere. Undefined if the text is not
 * such a number.
 */
export function kenyanMobileNumber(text: string): string | undefined {
  const [, number] = /^(?:\+?254|0)?([17]\d{8})$/.exec(text.replace(SEPARATORS, '')) ?? [];
  return number === undefined ? undefined : COUNTRY + number;
}

/**
 * A phone number: a Kenyan mobile one as above, or one of another country as its digits, 9 to 15 with the
 * country code. Undefined for any other text, such as a Kenyan landline.
 */
export function phoneNumber(text: string): string | undefined {
  const kenyan = kenyanMobileNumber(text);
  if (kenyan !== undefined) return kenyan;
  // Nine digits without a plus would be Kenyan, and no country code begins with 0.
  const foreign = /^(?:\+|(?=\d{10}))((?!0|254)\d{9,15})$/;
  return foreign.exec(text.replace(SEPARATORS, ''))?.[1];
}
