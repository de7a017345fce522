import type { AccountName } from '../ledger/account.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Outcome } from '../create/payment.ts';
import { HOUSE } from '../cases/cases-store.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { OurPayment } from '../reconciliation/match.ts';
import { accountOf, changedTerms, chargesOf, feeParts, takenBack } from './charges.ts';
import type { PlannedTransfer } from './charges.ts';
import { planExposure, requireNothingOwed } from './exposure.ts';
import { factCents, givenCents } from './facts.ts';
import { resolutionsOf } from './fitting.ts';
import {
  asTheBooks,
  houseAmount,
  ourReturnedCents,
  overchargedCents,
  planHouseTransfer,
  RETURNS,
} from './house-transfer.ts';
import type { HouseBalances, HouseResolution } from './house-transfer.ts';
import {
  lostAmount,
  planLostCharge,
  planLostReturn,
  requireNotCharged,
  stillLostCents,
} from './lost-payment.ts';
import type { LostPayment } from './lost-payment.ts';
import { planTerms } from './other-terms.ts';
import type { PricedPayment } from './other-terms.ts';
import type { Resolution } from './resolution-names.ts';
import { missingExecutedCents, missingTakenCents, saidCents } from './missing.ts';
import {
  stillReturnedCents,
  stillReturnedToVendorCents,
  stillTakenCents,
} from './left-to-correct.ts';

export type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'settle'; readonly outcome: Outcome; readonly paidCents: bigint | null }
  | {
      readonly kind: 'correct';
      /** All accounts of one vendor, or of vendor 0. */
      readonly transfers: readonly PlannedTransfer[];
      /** The outcome that the vendor sees from now on; null: unchanged. */
      readonly outcomeAfter: Outcome | null;
      /** The vendor's remaining debt, for which a new case of `exposure` is opened. */
      readonly restCents?: bigint;
    };

/** The input of a plan, read under the locks of its vendors' floats. */
export interface Situation extends HouseBalances {
  readonly row: Pick<CaseRow, 'kind' | 'vendorId' | 'operatorCode' | 'facts'>;
  /** The payment that the case is about. */
  readonly payment: PricedPayment | null;
  /** The payment that a statement lists and the ledger has lost. */
  readonly lost: LostPayment | null;
  readonly floatCents: bigint;
  /** Not moved into the float yet. */
  readonly collectedCents: bigint;
  /** Zero or less. */
  readonly exposureCents: bigint;
  /** The amount credited from the receipt of the case, less what people have taken back. */
  readonly keptCents: bigint;
}

/**
 * The postings of an approved proposal. Pure.
 * Throws: `PlainError` if the resolution does not fit the case, or nothing is left to correct.
 */
export function planResolution(situation: Situation, proposal: ProposedResolution): Plan {
  const resolution = proposal.resolution as Resolution;
  const { row } = situation;
  const fitting = resolutionsOf(row.kind);
  if (!fitting.includes(resolution)) {
    throw new PlainError(
      `A case of ${row.kind} cannot be resolved by ${resolution}, but by ${fitting.join(', ')}.`,
      { field: 'resolution' },
    );
  }
  switch (resolution) {
    case 'keep_books':
      if (row.kind === 'exposure') requireNothingOwed(situation);
      return { kind: 'nothing' };
    case 'paid':
    case 'failed':
      return planReport(situation, proposal, resolution);
    case 'charge_vendor':
      return planCharge(situation, proposal);
    case 'return_to_vendor':
      return planReturn(situation, proposal);
    case 'terms_differ':
      return {
        kind: 'correct',
        transfers: planTerms(situation.row, required(situation), proposal),
        outcomeAfter: null,
      };
    case 'house_bears':
    case 'house_recovers':
    case 'receivable':
    case 'receivable_returned':
      return planHouse(situation, resolution, proposal);
    case 'collect_exposure':
      return planOwed(situation, proposal, 'float');
    case 'write_off':
      return planOwed(situation, proposal, 'written_off');
    case 'take_back':
      return planTakeBack(situation, proposal);
  }
}

function required(situation: Situation): NonNullable<Situation['payment']> {
  if (situation.payment !== null) return situation.payment;
  throw new PlainError('The case is not about a payment of a vendor.', { field: 'resolution' });
}

function planReport(
  situation: Situation,
  proposal: ProposedResolution,
  reported: 'paid' | 'failed',
): Plan {
  const payment = required(situation);
  if (payment.outcome !== null) {
    throw new PlainError('The payment is no longer open; see its status.', {
      field: 'resolution',
    });
  }
  if (reported === 'failed') {
    if (payment.firstSentAt === null) {
      throw new PlainError(
        'It has not been sent to the operator yet, so the operator cannot have refused it.',
        { field: 'resolution' },
      );
    }
    return { kind: 'settle', outcome: 'failed', paidCents: null };
  }
  if (proposal.operator_reference === null) {
    throw new PlainError('The operator’s reference of the payment is required.', {
      field: 'operator_reference',
    });
  }
  const paidCents = givenCents(proposal) ?? payment.amountCents;
  if (paidCents === 0n) throw new PlainError('It must be above zero.', { field: 'amount' });
  return { kind: 'settle', outcome: 'success', paidCents };
}

/** Throws: `PlainError` (field `amount`) if the proposer's amount is not above zero and at most what is missing. */
function missingCents(proposal: ProposedResolution, missing: bigint): bigint {
  const amount = givenCents(proposal) ?? missing;
  if (amount > 0n && amount <= missing) return amount;
  throw new PlainError(
    missing > 0n
      ? `It must be above zero and at most ${formatMoney(missing)}, what the ledger is missing.`
      : 'Nothing is left to correct: the ledger has what the operator says it paid and has not returned.',
    { field: 'amount' },
  );
}

function planCharge(situation: Situation, proposal: ProposedResolution): Plan {
  const { lost, row, floatCents } = situation;
  if (row.facts['movement'] === 'reversal') {
    throw new PlainError('The statement does not list a payment, but its reversal.', {
      field: 'resolution',
    });
  }
  if (lost !== null) {
    requireNotCharged(lost);
    const listedCents = factCents(situation.row, 'paid_cents') ?? 0n;
    const leftCents = stillLostCents(row, lost, listedCents);
    if (leftCents === 0n) throw asTheBooks(true);
    if ((givenCents(proposal) ?? 0n) > leftCents && leftCents < listedCents) {
      throw new PlainError(
        `It must be at most ${formatMoney(leftCents)}: the operator has returned the rest, as a statement lists.`,
        { field: 'amount' },
      );
    }
    const amountCents = givenCents(proposal) ?? lostAmount(lost, leftCents);
    const transfers = planLostCharge(row, lost, { floatCents, listedCents, amountCents });
    return { kind: 'correct', transfers, outcomeAfter: null };
  }
  const payment = required(situation);
  if (payment.outcome === null) {
    throw new PlainError('The payment is open: settle it with paid or failed.', {
      field: 'resolution',
    });
  }
  const amountCents = missingCents(proposal, missingExecutedCents(row, payment));
  const wasFailed = payment.outcome === 'failed';
  const { transfers, take } = chargesOf(payment.vendorId, [['float', floatCents]]);
  take(accountOf('operator', row), amountCents);
  if (wasFailed)
    for (const [account, cents] of feeParts(payment, payment.exciseCents)) take(account, cents);
  const { cost, commission } = changedTerms(row, payment, payment.postedCents + amountCents);
  transfers.push(...cost, ...commission);
  return { kind: 'correct', transfers, outcomeAfter: wasFailed ? 'success' : null };
}

/** Takes a credited receipt back, once. Money that was not moved yet is taken from where it is. */
function planTakeBack(situation: Situation, proposal: ProposedResolution): Plan {
  const { row, floatCents, collectedCents, keptCents } = situation;
  if (row.vendorId === HOUSE) {
    throw new PlainError(
      'No vendor had the receipt when this was reported. If one has it now, the same is in a case of that vendor.',
      { field: 'resolution' },
    );
  }
  if (keptCents <= 0n) {
    throw new PlainError(
      'Nothing is left to take back: the receipt was not credited to the vendor, or was taken back already.',
      { field: 'resolution' },
    );
  }
  const amountCents = givenCents(proposal) ?? saidToBeGone(row, keptCents);
  if (amountCents <= 0n || amountCents > keptCents) {
    throw new PlainError(
      `It must be above zero and at most ${formatMoney(keptCents)}, what is left of the receipt.`,
      { field: 'amount' },
    );
  }
  const to = row.kind === 'receipt_reversed' ? 'reversals' : 'unallocated';
  const transfers = takenBack(row.vendorId, { floatCents, collectedCents }, { amountCents, to });
  return { kind: 'correct', transfers, outcomeAfter: null };
}

/** Cents that are not ours by the reports: what went back, or the difference to the smaller amount of two. */
function saidToBeGone(row: Situation['row'], keptCents: bigint): bigint {
  const [paid, reported] = [factCents(row, 'paid_cents'), factCents(row, 'reported_cents')];
  const isLess = paid !== undefined && reported !== undefined && reported < paid;
  const cents = factCents(row, 'reversed_cents') ?? (isLess ? paid - reported : keptCents);
  return cents < keptCents ? cents : keptCents;
}

function planReturn(situation: Situation, proposal: ProposedResolution): Plan {
  const { lost, row } = situation;
  if (row.kind === 'theirs_only' && row.facts['movement'] !== 'reversal') {
    throw new PlainError('The statement does not list a reversal.', { field: 'resolution' });
  }
  if (lost !== null) {
    const reversedCents = factCents(row, 'paid_cents') ?? 0n;
    const transfers = planLostReturn(row, lost, {
      reversedCents,
      givenCents: givenCents(proposal),
    });
    return { kind: 'correct', transfers, outcomeAfter: null };
  }
  if (row.kind === 'theirs_only' && row.facts['listed_cents'] !== undefined) {
    throw new PlainError('The contradiction about the same reversal is about the vendor’s part.', {
      field: 'resolution',
    });
  }
  const payment = required(situation);
  if (payment.outcome !== 'success') {
    throw new PlainError(
      'The payment is not paid according to the ledger, so nothing can be returned.',
      {
        field: 'resolution',
      },
    );
  }
  const { vendorId, postedCents } = payment;
  const unpaid = postedCents - saidCents(row, payment);
  const isListed = row.facts['source'] === 'statement';
  const max = isListed ? stillReturnedToVendorCents(payment, unpaid) : unpaid;
  if (isListed && row.kind === 'theirs_only') requireVendorsOnly(situation, payment, proposal, max);
  const amountCents = givenCents(proposal) ?? max;
  if (amountCents <= 0n || amountCents > max) {
    throw new PlainError(
      max > 0n
        ? `It must be above zero and at most ${formatMoney(max)}, what the ledger counts as paid and the operator says it did not pay.`
        : 'Nothing is left to return: the ledger has no more than the operator says it paid.',
      { field: 'amount' },
    );
  }
  const giveBack = (debitAccount: AccountName, cents: bigint): PlannedTransfer => ({
    vendorId,
    debitAccount,
    creditAccount: 'float',
    amountCents: cents,
  });
  // If nothing was paid, we have earned no fee.
  const whole = amountCents === postedCents;
  const fees = whole ? feeParts(payment, payment.exciseCents) : [];
  const { cost, commission } = changedTerms(row, payment, postedCents - amountCents);
  // In an order in which the operator’s account never falls below zero.
  const transfers = [
    ...commission,
    giveBack(accountOf('operator', row), amountCents),
    ...cost,
    ...fees.map(([account, cents]) => giveBack(account, cents)),
  ];
  return { kind: 'correct', transfers, outcomeAfter: whole ? 'failed' : null };
}

/**
 * Throws: `PlainError` (field `amount`) if the vendor’s part of a reversal is not all of it, unless the proposer
 * says so: nothing else is about our part.
 */
function requireVendorsOnly(
  { row }: Situation,
  payment: OurPayment,
  proposal: ProposedResolution,
  vendorCents: bigint,
): void {
  const leftCents = stillReturnedCents(payment, factCents(row, 'paid_cents') ?? 0n);
  if (vendorCents <= 0n || vendorCents >= leftCents || givenCents(proposal) !== undefined) return;
  throw new PlainError(
    `The operator returned ${formatMoney(leftCents)}, of which ${formatMoney(vendorCents)} is the vendor’s. Choose house_recovers or receivable_returned for our part, and open a case about the payment for the vendor’s; or enter the vendor’s amount.`,
    { field: 'amount' },
  );
}

function planHouse(
  situation: Situation,
  resolution: HouseResolution,
  proposal: ProposedResolution,
): Plan {
  const { row } = situation;
  const amountCents = houseCents(situation, resolution, proposal);
  const transfer = planHouseTransfer(row, resolution, amountCents, situation);
  return { kind: 'correct', transfers: [transfer], outcomeAfter: null };
}

function houseCents(
  situation: Situation,
  resolution: HouseResolution,
  proposal: ProposedResolution,
): bigint {
  const { row, payment, lost } = situation;
  if (RETURNS.has(resolution)) {
    if (row.kind === 'amount_difference') return overchargedCents(required(situation), proposal);
    if (row.kind === 'contradiction') return ourReturnedCents(row, required(situation), proposal);
  }
  const aboutThePayment = row.kind === 'contradiction' || row.kind === 'amount_difference';
  if (aboutThePayment && payment !== null) {
    return missingCents(proposal, missingTakenCents(row, payment));
  }
  return houseAmount(row, resolution, proposal, (cents, isTaken) => {
    if (lost !== null) return stillLostCents(row, lost, cents, isTaken);
    if (payment === null || row.facts['source'] !== 'statement') return cents;
    return isTaken ? stillTakenCents(payment, cents) : stillReturnedCents(payment, cents);
  });
}

function planOwed(
  situation: Situation,
  proposal: ProposedResolution,
  debitAccount: 'float' | 'written_off',
): Plan {
  const { transfer, restCents } = planExposure(situation, debitAccount, proposal);
  return { kind: 'correct', transfers: [transfer], outcomeAfter: null, restCents };
}
