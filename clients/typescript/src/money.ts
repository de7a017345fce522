/** The largest amount that the service accepts: twelve digits before the point. */
const MAX_CENTS = 99_999_999_999_999;

/**
 * Decimal text or a number in shillings, as the service sends it, to integer cents: `'353.60'` and
 * `353.6` are `35360`. Throws a RangeError for anything else.
 */
export function centsOf(amount: string | number): number {
  if (typeof amount === 'number') {
    // Exact: an amount has at most 14 digits, and a double holds 15.
    const cents = Math.round(amount * 100);
    if (Number.isFinite(amount) && Math.abs(cents) <= MAX_CENTS) return cents;
  } else {
    const [, sign, shillings = '', decimals = ''] =
      /^(-?)(\d{1,12})(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
    if (sign !== undefined) {
      const cents = Number(shillings) * 100 + Number(decimals.padEnd(2, '0'));
      return sign === '-' && cents !== 0 ? -cents : cents;
    }
  }
  throw new RangeError(`Not an amount of money: ${String(amount)}`);
}

/** Integer cents to the decimal text that is sent: `35360` is `353.60`. Throws a RangeError. */
export function decimalOf(cents: number): string {
  if (!Number.isInteger(cents) || cents < 0 || cents > MAX_CENTS) {
    throw new RangeError(
      `An amount must be a whole number of cents, such as 10000 for KES 100.00, not ${cents}`,
    );
  }
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
