import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { executedCents } from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';

/**
 * Of an amount that the operator took for a payment and the ledger does not have: what it has not returned.
 * A reversal that leaves what the ledger has opens no case, although one about the payment may be open.
 * Pure.
 */
export function stillTakenCents(payment: OurPayment, takenCents: bigint): bigint {
  if (payment.reversedCents === 0n) return takenCents;
  const leftCents = listedCents(payment) - payment.postedCents - payment.houseCents;
  return leftCents < takenCents ? leftCents : takenCents;
}

/**
 * Of an amount that a statement lists as reversed: what it leaves less than the ledger has. The operator may
 * have paid once more since. Pure.
 */
export function stillReturnedCents(payment: OurPayment, returnedCents: bigint): bigint {
  if (payment.reversedCents === 0n) return returnedCents;
  const leftCents = payment.postedCents - listedCents(payment);
  return leftCents < returnedCents ? leftCents : returnedCents;
}

/** What statements list as paid for it, less what they list as reversed, without the operator's terms. */
function listedCents(payment: OurPayment): bigint {
  return executedCents(payment, { amountCents: payment.listedCents });
}

/** Throws: `PlainError` if the operator has returned the amount, or a part of it. */
export function requireStillTaken(payment: OurPayment, amountCents: bigint): void {
  const leftCents = stillTakenCents(payment, amountCents);
  if (leftCents >= amountCents) return;
  if (leftCents > 0n) {
    const text = `It must be at most ${formatMoney(leftCents)}: the operator has returned the rest, as a statement lists.`;
    throw new PlainError(text, { field: 'amount' });
  }
  throw new PlainError('The operator has returned it, as a statement lists. Choose keep_books.', {
    field: 'resolution',
  });
}
