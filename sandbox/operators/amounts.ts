// The simulated operators share no code with the service, so that they do not share its mistakes.
// That is why these few lines are repeated here.

/** Decimal text, as operators get it. */
export const AMOUNT_PATTERN = /^\d{1,12}(\.\d{1,2})?$/;

/** Decimal text that matches `AMOUNT_PATTERN` to cents. */
export function centsOf(amount: string): bigint {
  const [shillings = '0', cents = ''] = amount.split('.');
  return BigInt(shillings + cents.padEnd(2, '0'));
}

/** Cents (not negative) to decimal text with two places. */
export function amountText(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
