import type { CaseRow } from '../cases/read-cases.ts';
import {
  differenceCents,
  executedCents,
  isListedNet,
  isPostedNet,
} from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';
import { factCents } from './facts.ts';

// Every movement that a statement lists has one effect on what the operator has of our money, and each case claims
// that of one movement or, if it names none, that of its payment. Cases are decided in any order, and a movement that
// leaves what the ledger has opens none although one about the payment may be open. So a decision corrects at most
// what its case claims, and at most what statements list and the ledger does not have when it is decided.

type Row = Pick<CaseRow, 'kind' | 'facts'>;

/**
 * By how much the operator, by the case, has more of our money than the ledger, in cents; below zero: less. For a case
 * about a statement. Pure.
 */
export function claimedCents(row: Row, payment: OurPayment): bigint {
  const { facts, kind } = row;
  const paid = factCents(row, 'paid_cents') ?? payment.amountCents;
  if (kind === 'statement_change' || facts['movement'] === 'reversal') return movedCents(row);
  // It keeps nothing of the payment.
  if (facts['operator_says'] === 'failed') return smallest(0n, notBookedCents(payment));
  if (kind === 'contradiction' && facts['movement'] === undefined)
    return contradictedCents(paid, payment);
  if (kind !== 'amount_difference') return paid;
  const differs = factCents(row, 'difference_cents');
  if (differs !== undefined) return differs;
  if (facts['movement'] === 'payment' && payment.postedCents > 0n)
    return differenceCents(payment, paid);
  // `settle` opened the case. The ledger never takes more than was instructed.
  const taken = payment.postedCents > 0n ? smallest(paid, payment.amountCents) : 0n;
  return paid - taken;
}

/** Amounts that statements list more, or less, than the ledger has. */
export interface Unclaimed {
  readonly taken: bigint;
  readonly returned: bigint;
}

/**
 * What statements list more, or less, than the ledger has of the payment, and no open case claims. Nothing if the
 * amounts as which statements may list it differ. Pure.
 */
export function unclaimedCents(payment: OurPayment, open: readonly Row[]): Unclaimed {
  if (!payment.isListed || payment.netCents !== payment.amountCents) return NOTHING;
  const claims = open.filter(({ kind }) => ABOUT_MOVEMENTS.has(kind));
  return withoutClaims(
    notBookedCents(payment),
    claims.map((row) => claimedCents(row, payment)),
  );
}

const NOTHING: Unclaimed = { taken: 0n, returned: 0n };

export function withoutClaims(cents: bigint, claims: readonly bigint[]): Unclaimed {
  const isTaken = cents > 0n;
  const left = claims.reduce((sum, one) => (one > 0n === isTaken ? sum - one : sum), cents);
  if (left > 0n !== isTaken) return NOTHING;
  return isTaken ? { taken: left, returned: 0n } : { taken: 0n, returned: -left };
}

const ABOUT_MOVEMENTS: ReadonlySet<CaseRow['kind']> = new Set([
  'contradiction',
  'amount_difference',
  'theirs_only',
  'duplicate',
  'statement_change',
]);

/** Cents that the movement of a case, or its change, took from our float; below zero: returned to it. Pure. */
export function movedCents(row: Row): bigint {
  const paid = factCents(row, 'paid_cents') ?? 0n;
  const before =
    row.kind === 'statement_change' ? (factCents(row, 'listed_before_cents') ?? paid) : 0n;
  return row.facts['movement'] === 'reversal' ? before - paid : paid - before;
}

/** `settle` opened the case: its amount is what counts as executed, without the operator's terms. */
function contradictedCents(paid: bigint, payment: OurPayment): bigint {
  const { amountCents, netCents, listedPayments, isRevised } = payment;
  if (listedPayments <= 1 && !isRevised) return notBookedCents(payment);
  return paid === amountCents && netCents > paid ? netCents : paid;
}

/**
 * Limits an amount that the operator took for a payment to what statements list more than the ledger has. Pure.
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
  // Without a part of the vendor, what is posted are terms that our own accounts balance.
  const isGross = postedCents > 0n && !isNet;
  return listedCents - (isGross ? postedCents : netPostedCents) - houseCents;
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
