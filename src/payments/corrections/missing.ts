import { takenCents } from '../prices/price.ts';
import { differenceCents, isListedNet } from '../reconciliation/match.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { NO_TERMS } from './charges.ts';
import { factCents } from './facts.ts';
import { executedBy } from './other-terms.ts';
import type { PricedPayment } from './other-terms.ts';
import {
  claimedCents,
  isExplained,
  ourPartCents,
  smallest,
  stillTakenCents,
} from './left-to-correct.ts';

// A vendor pays the amount that the operator executed, and cost and commission follow it. Our own accounts have
// no cost and no commission for it, so they get what the operator took from our float. A case that is decided by
// one of them after a part was decided by the other is compared with both.

type Row = Pick<CaseRow, 'kind' | 'facts'> & Pick<CaseRow, 'operatorCode'>;

/** The amount that the operator says it executed for the payment. */
export function saidCents(row: Row, payment: PricedPayment): bigint {
  if (row.facts['operator_says'] === 'failed') return 0n;
  const cents = factCents(row, 'paid_cents') ?? payment.amountCents;
  if (row.facts['movement'] !== 'reversal') return executedBy(row, payment, cents);
  return cents < payment.postedCents ? payment.postedCents - cents : 0n;
}

/** The amount that the operator, by the case, took from our float for the payment, without the ledger's part. Pure. */
export function missingTakenCents(row: Row, payment: PricedPayment): bigint {
  const { postedCents, houseCents } = payment;
  const listed = listedBy(row, payment);
  const ofVendor = takenFor(payment, postedCents);
  const byTerms = takenFor(payment, saidCents(row, payment)) - ofVendor;
  if (isFromStatement(row) && isExplained(payment)) {
    const isHouse = listed !== undefined && isOneListedGross(payment, listed) && houseCents > 0n;
    if (isHouse && byTerms <= houseCents && payment.netCents !== payment.amountCents) return 0n;
    return stillTakenCents(payment, claimedCents(row, payment));
  }
  if (listed === undefined) return stillTakenCents(payment, byTerms - oursBefore(payment));
  const cents = postedCents > 0n ? differenceCents(payment, listed) : listed;
  if (isOneListedGross(payment, listed) && houseCents > 0n && byTerms <= houseCents) return 0n;
  return stillTakenCents(payment, cents - oursBefore(payment, listed));
}

/** The part of the payment that the operator, by the case, executed, without the ledger's part. Pure. */
export function missingExecutedCents(row: Row, payment: PricedPayment): bigint {
  const { postedCents, houseCents, isListed } = payment;
  const missing = saidCents(row, payment) - postedCents;
  const taken = missingTakenCents(row, payment);
  if (taken <= 0n && (isListed || houseCents > 0n)) return 0n;
  const isPart = houseCents > 0n || payment.isRevised || payment.listedPayments > 1;
  if (!isPart || missing <= 0n) return missing;
  const listed = listedBy(row, payment);
  const isGross = listed !== undefined && !isListedNet(payment, listed);
  return isGross ? smallest(missing, taken) : executedWithin(payment, missing, taken);
}

/**
 * Returns the amount that a statement lists for the payment of the case. Undefined: none lists it, or
 * as several payments of which the case does not say which one.
 */
function listedBy(row: Row, payment: PricedPayment): bigint | undefined {
  const { facts } = row;
  const isReport = facts['source'] !== 'statement' && payment.postedCents > 0n;
  if (isReport) return undefined;
  if (facts['movement'] === 'payment') return factCents(row, 'paid_cents');
  // `settle` opened the case: its amount is what counts as executed.
  return payment.listedPayments === 1 ? payment.listedCents : undefined;
}

const isFromStatement = ({ facts }: Row): boolean => facts['source'] === 'statement';

/** One payment, without the operator's terms: our own accounts may have what it took by them, from a report. */
function isOneListedGross(payment: PricedPayment, listed: bigint): boolean {
  return payment.listedPayments <= 1 && !isListedNet(payment, listed);
}

/** The part of the payment in our own accounts; 0 if `stillTakenCents` subtracts it. */
function oursBefore(payment: PricedPayment, listed = payment.listedCents): bigint {
  // Below zero, the operator has returned money of ours, which is no reason to post more than it says.
  return payment.houseCents > 0n && !isExplained(payment) ? ourPartCents(payment, listed) : 0n;
}

/** The amount that the operator takes, by our terms, for this part of the payment. */
function takenFor({ terms }: PricedPayment, paidCents: bigint): bigint {
  return paidCents <= 0n ? 0n : takenCents(terms ?? NO_TERMS, paidCents);
}

/**
 * The highest amount, at most `mostCents`, that the vendor can pay in addition so that the ledger has no more
 * than `leftCents` of it in addition.
 */
function executedWithin(payment: PricedPayment, mostCents: bigint, leftCents: bigint): bigint {
  const { postedCents } = payment;
  const fits = (cents: bigint): boolean =>
    takenFor(payment, postedCents + cents) - takenFor(payment, postedCents) <= leftCents;
  let [low, high] = [0n, mostCents];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (fits(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}
