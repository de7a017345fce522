import { CURRENCY } from '../../../platform/base/money.ts';
import { centsOf } from '../../values.ts';

export type DecimalSign = '.' | ',';

/** Separators of thousands are all the same in one number. */
const NUMBER = {
  '.': /^(?:\d{1,3}([,' ])\d{3}(?:\1\d{3})*|\d+)(?:\.\d+)?$/,
  ',': /^(?:\d{1,3}([.' ])\d{3}(?:\1\d{3})*|\d+)(?:,\d+)?$/,
} as const;

/**
 * Cents of an amount as banks write it: `1,500.00`, `1'500.00`, `KES 1,500.00`, `-7`, `(7.00)`, `7.00-`, `7.00 Dr`.
 * Separators of thousands have to be in their places, so that a decimal comma is never taken for one.
 * Undefined: not an amount, or one that `isAmbiguous`.
 */
export function signedAmount(text: string, decimal: DecimalSign): bigint | undefined {
  const number = readNumber(text, decimal);
  if (number === undefined || hasThreeDecimals(number)) return undefined;
  const cents = unsignedAmount(number.plain);
  return cents === undefined || !number.isNegative ? cents : -cents;
}

/**
 * True if exactly three digits follow the decimal separator, which then may be the separator of
 * thousands: `1.500` is 1.50 or 1,500.00.
 */
export function isAmbiguous(text: string, decimal: DecimalSign): boolean {
  const number = readNumber(text, decimal);
  return number !== undefined && hasThreeDecimals(number);
}

/** True for an amount with this decimal sign, also for one that `isAmbiguous`. */
export function isAmount(text: string, decimal: DecimalSign): boolean {
  return readNumber(text, decimal) !== undefined;
}

interface BankNumber {
  /** Without separators of thousands, with a decimal point. */
  readonly plain: string;
  readonly isNegative: boolean;
}

function hasThreeDecimals({ plain }: BankNumber): boolean {
  return /\.\d{3}$/.test(plain);
}

/** Shillings as Kenyan banks write them. */
const SHILLINGS = /^(?:kes|kshs?|shs?)\.?(?![a-z])|(?<![a-z])(?:kes|kshs?|shs?)\.?$|\/[=-]$/i;

/** The code of another currency that an amount names; undefined: none. */
export function foreignCurrency(text: string): string | undefined {
  const [code] = /(?<![A-Z])[A-Z]{3}(?![A-Z])/.exec(text.toUpperCase()) ?? [];
  return code === undefined || code === CURRENCY || SHILLINGS.test(code) ? undefined : code;
}

/** Undefined: not a number, or its separators are not in their places. */
function readNumber(text: string, decimal: DecimalSign): BankNumber | undefined {
  const spaced = text
    .trim()
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .replaceAll('’', "'");
  const [, open, inner = '', close] = /^(\()?([^()]*)(\))?$/.exec(spaced) ?? [];
  const [, mark, sided = ''] = /^([+-])?(.*)$/.exec(inner) ?? [];
  const [, unsided = '', side] = /^(.*?)(?: ?(cr|dr)\.?)?$/i.exec(sided) ?? [];
  const [, sign, digits = '', minus] =
    /^([+-])?(\d[\d., ']*?)(-)?$/.exec(unsided.replace(SHILLINGS, '').trim()) ?? [];
  const negatives = [
    ...[open, mark === '-' || undefined, sign === '-' || undefined, minus],
    /^dr$/i.test(side ?? '') || undefined,
  ];
  const marks = negatives.filter((one) => one !== undefined).length;
  if (!NUMBER[decimal].test(digits) || (open === undefined) !== (close === undefined))
    return undefined;
  // Two marks could mean either.
  if (marks > 1 || (mark !== undefined && sign !== undefined)) return undefined;
  const plain = digits.replaceAll(decimal === '.' ? /[,' ]/g : /[.' ]/g, '').replace(',', '.');
  return { plain, isNegative: marks === 1 };
}

/** Cents of plain decimal text, also of zero. Undefined: not an amount. */
export function unsignedAmount(text: string): bigint | undefined {
  return /^0{1,12}(?:\.0*)?$/.test(text) ? 0n : centsOf(text);
}
