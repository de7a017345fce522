import { Refusal } from './errors.ts';

/** The service's only currency. */
export const CURRENCY = 'KES';

/** Decimal text with at most twelve digits before and two after the point. */
export const MONEY_PATTERN = /^\d{1,12}(\.\d{1,2})?$/;

/**
 * Decimal text to cents.
 * @param text such as `100`, `100.5` or `100.50`; never negative, no exponent, no separators.
 * @param field name of the parameter, for the refusal.
 * Throws: `invalid_field`.
 */
export function parseMoney(text: string, field = 'amount'): bigint {
  if (!MONEY_PATTERN.test(text)) {
    throw new Refusal('invalid_field', {
      field,
      text: `${field} must be a decimal number such as 100.00, with at most 12 digits before the point and 2 after it`,
    });
  }
  const point = text.indexOf('.');
  if (point === -1) return BigInt(text) * 100n;
  return BigInt(text.slice(0, point)) * 100n + BigInt(text.slice(point + 1).padEnd(2, '0'));
}

/** Cents to decimal text with two places, `-` in front when negative: `10000n` → `100.00`. */
export function formatMoney(cents: bigint): string {
  const sign = cents < 0n ? '-' : '';
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Cents to the number that responses show for amounts and balances (spec §2.2, §4.8). Exact for
 * every amount that the pattern admits: such numbers have at most 14 digits, and a double holds 15.
 */
export function moneyNumber(cents: bigint): number {
  return Number(formatMoney(cents));
}

/** Like `formatMoney`, for an amount that may be missing. */
export function moneyOf<None extends null | undefined>(cents: bigint | None): string | None {
  return typeof cents === 'bigint' ? formatMoney(cents) : cents;
}

/** Like `parseMoney`, for an amount that may be missing. Throws: `invalid_field`. */
export function centsOf<None extends null | undefined>(text: string | None): bigint | None {
  return typeof text === 'string' ? parseMoney(text) : text;
}
