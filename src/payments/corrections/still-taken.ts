import { executedCents, isListedNet, isPostedNet } from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';

/**
 * Limits an amount that the operator took for a payment to what statements list more than the ledger
 * has. A movement that leaves what the ledger has opens no case, although one about the payment may be
 * open; and two cases may be about the same money. Pure.
 */
export function stillTakenCents(payment: OurPayment, takenCents: bigint): bigint {
  return isExplained(payment) ? smallest(takenCents, notBookedCents(payment)) : takenCents;
}

/** Limits an amount that the operator returned to what statements list less than the ledger has. Pure. */
export function stillReturnedCents(payment: OurPayment, returnedCents: bigint): bigint {
  return isExplained(payment) ? smallest(returnedCents, -notBookedCents(payment)) : returnedCents;
}

/** Returns the vendor's part. While the operator has been paid once, that payment is the vendor's. Pure. */
export function stillReturnedToVendorCents(payment: OurPayment, returnedCents: bigint): bigint {
  if (!isExplained(payment)) return returnedCents;
  const { postedCents, netPostedCents } = payment;
  const allCents = stillReturnedCents(payment, returnedCents);
  // What the vendor paid in full comes back in full, although the operator took less for it.
  const isWhole = isPostedNet(payment) && -notBookedCents(payment) >= netPostedCents;
  const leftCents = isWhole ? postedCents : allCents;
  const executed = executedCents(payment, { amountCents: payment.listedCents });
  return smallest(leftCents, postedCents - executed);
}

/**
 * True if statements show how much the operator has of the payment. If it has cost or commission, they
 * list either amount, and several payments of it cannot be told from one with another amount. As long
 * as nothing is posted to the vendor's ledger, there is nothing with which they could be confused.
 */
export function isExplained(payment: OurPayment): boolean {
  const { isListed, isRevised, netCents, amountCents, postedCents } = payment;
  return isRevised || (isListed && (netCents === amountCents || postedCents === 0n));
}

/** The amount that statements list as paid and not reversed, less the amount in the ledger. */
function notBookedCents(payment: OurPayment): bigint {
  const { listedCents, postedCents, netPostedCents, netCents, houseCents } = payment;
  const isNet =
    isPostedNet(payment) ||
    [listedCents, listedCents - houseCents].some(
      (cents) => cents === netCents || isListedNet(payment, cents),
    );
  return listedCents - (isNet && postedCents > 0n ? netPostedCents : postedCents) - houseCents;
}

/**
 * The part of a payment that is listed once as `listed` in our own accounts: without what they can have of
 * further payments of it. Pure.
 */
export function ourPartCents(
  { listedCents, houseCents }: Pick<OurPayment, 'listedCents' | 'houseCents'>,
  listed: bigint,
): bigint {
  const ofOthers = listedCents - listed;
  if (ofOthers <= 0n || houseCents <= 0n) return houseCents;
  return houseCents > ofOthers ? houseCents - ofOthers : 0n;
}

export function smallest(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
