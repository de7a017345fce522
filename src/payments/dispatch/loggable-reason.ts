/** Operators write their own words after these. They may name a person or an account. */
const BEFORE_FREE_TEXT = /^(HTTP \d{3}[^:]*|the answer does not fit):.*$/s;

/** Account, phone and document numbers; ports of five digits as well. */
const LONG_NUMBER = /\d(?:-?\d){4,}/g;

const MAX_LENGTH = 200;

/**
 * Why a call to an operator failed, without what the log must not hold: words of the operator, and
 * numbers that may be a person’s. The note of the payment has the whole text.
 */
export function loggableReason(reason: string): string {
  return reason
    .replace(BEFORE_FREE_TEXT, '$1')
    .replaceAll(LONG_NUMBER, '…')
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}
