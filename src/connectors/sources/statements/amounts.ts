import { centsOf } from '../../values.ts';

const NUMBER = {
  '.': /^(?:\d{1,3}(?:[, ]\d{3})+|\d+)(?:\.\d+)?$/,
  ',': /^(?:\d{1,3}(?:[. ]\d{3})+|\d+)(?:,\d+)?$/,
} as const;

/**
 * Cents of an amount as banks write it: `1,500.00`, `-7`, `(7.00)`, `7.00-`, `7.00 DR`. Separators
 * of thousands have to be in their places, so that a decimal comma is never taken for one.
 * Undefined: not an amount, or one that `isAmbiguous`.
 */
export function signedAmount(text: string, decimal: '.' | ','): bigint | undefined {
  const number = readNumber(text, decimal);
  if (number === undefined || hasThreeDecimals(number)) return undefined;
  const cents = unsignedAmount(number.plain);
  return cents === undefined || !number.isNegative ? cents : -cents;
}

/**
 * True if exactly three digits follow the decimal separator, which then may be the separator of
 * thousands: `1.500` is 1.50 or 1,500.00.
 */
export function isAmbiguous(text: string, decimal: '.' | ','): boolean {
  const number = readNumber(text, decimal);
  return number !== undefined && hasThreeDecimals(number);
}

interface BankNumber {
  /** Without separators of thousands, with a decimal point. */
  readonly plain: string;
  readonly isNegative: boolean;
}

function hasThreeDecimals({ plain }: BankNumber): boolean {
  return /\.\d{3}$/.test(plain);
}

/** Undefined: not a number, or its separators are not in their places. */
function readNumber(text: string, decimal: '.' | ','): BankNumber | undefined {
  const spaced = text.trim().replaceAll(/[\u00a0\u202f]/g, ' ');
  const [, open, sign, digits = '', minus, side, close] =
    /^(\()?([+-])?(\d[\d., ]*?)(-)?( ?(?:cr|dr))?(\))?$/i.exec(spaced) ?? [];
  const negatives = [open, sign === '-' || undefined, minus, /dr/i.test(side ?? '') || undefined];
  const marks = negatives.filter((mark) => mark !== undefined).length;
  if (!NUMBER[decimal].test(digits) || (open === undefined) !== (close === undefined))
    return undefined;
  // Two marks could mean either.
  if (marks > 1) return undefined;
  const plain = digits.replaceAll(decimal === '.' ? /[, ]/g : /[. ]/g, '').replace(',', '.');
  return { plain, isNegative: marks === 1 };
}

/** Cents of plain decimal text, also of zero. Undefined: not an amount. */
export function unsignedAmount(text: string): bigint | undefined {
  return /^0{1,12}(?:\.0*)?$/.test(text) ? 0n : centsOf(text);
}
