import { executedCents } from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';

/**
 * Of an amount that the operator took for a payment and the ledger does not have: what statements list more
 * than the ledger has. A movement that leaves what the ledger has opens no case, although one about the payment
 * may be open; and two cases may be about the same money. Pure.
 */
export function stillTakenCents(payment: OurPayment, takenCents: bigint): bigint {
  if (!isExplained(payment)) return takenCents;
  return smallest(takenCents, listedCents(payment) - payment.postedCents - payment.houseCents);
}

/** The same for an amount that the operator returned: what statements list less than the ledger has. Pure. */
export function stillReturnedCents(payment: OurPayment, returnedCents: bigint): bigint {
  if (!isExplained(payment)) return returnedCents;
  return smallest(returnedCents, payment.postedCents + payment.houseCents - listedCents(payment));
}

/** The same for the vendor's part: as long as the operator has been paid once, it is the vendor's payment. Pure. */
export function stillReturnedToVendorCents(payment: OurPayment, returnedCents: bigint): bigint {
  if (!isExplained(payment)) return returnedCents;
  const leftCents = stillReturnedCents(payment, returnedCents);
  return smallest(leftCents, payment.postedCents - listedCents(payment));
}

/**
 * Whether statements show how much the operator has of the payment. If it has cost or commission, they list either
 * amount, and several payments of it cannot be told from one with another amount.
 */
export function isExplained(payment: OurPayment): boolean {
  const { isListed, isRevised, netCents, amountCents } = payment;
  return isRevised || (isListed && netCents === amountCents);
}

/** What statements list as paid for it, less what they list as reversed, without the operator's terms. */
function listedCents(payment: OurPayment): bigint {
  return executedCents(payment, { amountCents: payment.listedCents });
}

function smallest(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
