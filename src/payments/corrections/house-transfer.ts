import type { AccountName } from '../ledger/account.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { HOUSE } from '../cases/cases-store.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { accountOf } from './charges.ts';
import type { PlannedTransfer } from './charges.ts';
import { factCents, givenCents } from './facts.ts';
import { isOurs } from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';
import { claimedCents, stillReturnedCents, stillReturnedToVendorCents } from './left-to-correct.ts';

/** The resolutions that post to our own accounts. */
export type HouseResolution =
  | 'house_bears'
  | 'house_recovers'
  | 'receivable'
  | 'receivable_returned';

type Row = Pick<CaseRow, 'kind' | 'facts' | 'operatorCode'>;

/** Balances of our own accounts for the operator of a case. */
export interface HouseBalances {
  /** The part of the operator's takings that we bear. */
  readonly borneCents: bigint;
  /** The amount that the operator owes us. */
  readonly receivableCents: bigint;
}

/**
 * A transfer between our own accounts. Pure.
 * Throws: `PlainError` (field `amount`) if the operator cannot return that much.
 */
export function planHouseTransfer(
  row: Row,
  resolution: HouseResolution,
  amountCents: bigint,
  { borneCents, receivableCents }: HouseBalances,
): PlannedTransfer {
  if (resolution === 'receivable_returned' && amountCents > receivableCents) {
    throw new PlainError(
      `The operator owes ${formatMoney(receivableCents)}, not ${formatMoney(amountCents)}.`,
      { field: 'amount' },
    );
  }
  if (resolution === 'house_recovers' && amountCents > borneCents) {
    throw new PlainError(
      `We bear ${formatMoney(borneCents)} of this operator’s payments, not ${formatMoney(amountCents)}. For money that the operator gave us for another reason, choose keep_books, and enter it with house entry propose.`,
      { field: 'amount' },
    );
  }
  const [debitAccount, creditAccount] = accountsOf(row, resolution);
  return { vendorId: HOUSE, debitAccount, creditAccount, amountCents };
}

function accountsOf(row: Row, resolution: HouseResolution): readonly [AccountName, AccountName] {
  switch (resolution) {
    case 'house_bears':
      return [accountOf('losses', row), accountOf('operator', row)];
    case 'house_recovers':
      return [accountOf('operator', row), accountOf('losses', row)];
    case 'receivable':
      return [accountOf('claims', row), accountOf('receivable', row)];
    case 'receivable_returned':
      return [accountOf('receivable', row), accountOf('claims', row)];
  }
}

/** Resolutions that post money which the operator no longer has. */
export const RETURNS: ReadonlySet<HouseResolution> = new Set([
  'house_recovers',
  'receivable_returned',
]);

/**
 * The amount that a proposal posts to our own accounts: that of the case, or a smaller one. Pure.
 * Throws: `PlainError` if it is above the case's, the case has none, or the operator moved the money in
 * the other direction.
 * @param stillCents of an amount that the operator took or returned, what the ledger does not have.
 */
export function houseAmount(
  row: Row,
  resolution: HouseResolution,
  proposal: ProposedResolution,
  stillCents: (cents: bigint, isTaken: boolean) => bigint = (cents) => cents,
): bigint {
  const taken = takenCents(row);
  if (taken === undefined || taken === 0n) throw withoutAmount(row);
  const maxCents = taken > 0n ? taken : -taken;
  requireDirection(resolution, taken > 0n, maxCents);
  const leftCents = stillCents(maxCents, taken > 0n);
  if (leftCents <= 0n) throw asTheBooks(taken > 0n);
  const amountCents = givenCents(proposal) ?? leftCents;
  if (amountCents > 0n && amountCents <= leftCents) return amountCents;
  const what =
    leftCents < maxCents
      ? 'what statements list and the ledger does not have'
      : 'the amount of the case';
  throw new PlainError(`It must be above zero and at most ${formatMoney(leftCents)}, ${what}.`, {
    field: 'amount',
  });
}

export function asTheBooks(isTaken: boolean): PlainError {
  const text = isTaken
    ? 'Nothing is left to post: the operator has returned it, or the ledger has it already. Choose keep_books.'
    : 'Nothing is left to post: the ledger has no more than statements list as paid. Choose keep_books.';
  return new PlainError(text, { field: 'resolution' });
}

function withoutAmount({ kind }: Row): PlainError {
  const text =
    kind === 'statement_change'
      ? 'The amount of the movement did not change, or the case does not have the earlier one. Choose keep_books.'
      : 'The case does not have an amount. Choose keep_books; the operator’s statement, once it is imported, opens a case with the amount.';
  return new PlainError(text, { field: 'amount' });
}

function requireDirection(resolution: HouseResolution, isTaken: boolean, cents: bigint): void {
  if (isTaken !== RETURNS.has(resolution)) return;
  throw new PlainError(
    isTaken
      ? `The operator took ${formatMoney(cents)} and returned nothing. Choose house_bears, receivable or keep_books.`
      : `The operator returned ${formatMoney(cents)} and took nothing. Choose receivable_returned if it owed us the amount, house_recovers if we had borne it, and otherwise keep_books; then enter the amount with house entry propose.`,
    { field: 'resolution' },
  );
}

/**
 * Returns the amount that the operator took from our float and the ledger does not have, in cents;
 * below zero: that it returned. Undefined: the facts do not say.
 */
function takenCents(row: Row): bigint | undefined {
  if (row.kind === 'float_difference') {
    const closingCents = factCents(row, 'closing_cents');
    const openingCents = factCents(row, 'opening_cents');
    if (closingCents === undefined || openingCents === undefined) return undefined;
    // An earlier case was about the rest of it.
    return closingCents - openingCents - (factCents(row, 'difference_before_cents') ?? 0n);
  }
  const cents = row.kind === 'statement_change' ? changeCents(row) : factCents(row, 'paid_cents');
  return cents !== undefined && isReturn(row) ? -cents : cents;
}

/** By how much a later statement lists more than the earlier one, whose amount is in the books. */
function changeCents(row: Row): bigint | undefined {
  const beforeCents = factCents(row, 'listed_before_cents');
  const nowCents = factCents(row, 'paid_cents');
  return beforeCents === undefined || nowCents === undefined ? undefined : nowCents - beforeCents;
}

/** True if the statement's movement raised our float. */
function isReturn({ facts }: Row): boolean {
  return facts['movement'] === 'reversal' || facts['movement'] === 'top_up';
}

/** The operator took less than our own accounts have, which bear the payment or claim it back. */
export function overchargedCents(payment: OurPayment, proposal: ProposedResolution): bigint {
  const maxCents =
    isOurs(payment) && payment.isListed ? stillReturnedCents(payment, payment.houseCents) : 0n;
  const none = 'Our own accounts have no more of the payment than statements list.';
  return ofOurAccounts(proposal, maxCents, none);
}

/** The operator returned more than the vendor’s part, which the vendor has back: the rest is ours. */
export function ourReturnedCents(
  row: Row,
  payment: OurPayment,
  proposal: ProposedResolution,
): bigint {
  const returnedCents = -claimedCents(row, payment);
  const isOurPart =
    payment.outcome === 'failed' || stillReturnedToVendorCents(payment, returnedCents) <= 0n;
  const maxCents =
    row.facts['source'] === 'statement' && isOurPart
      ? stillReturnedCents(payment, returnedCents)
      : 0n;
  const none =
    'The operator has not returned money of ours for it: the vendor’s part goes to the vendor first.';
  return ofOurAccounts(proposal, maxCents, none);
}

/** The proposed amount, or all that our own accounts have too much. @param none says that it is nothing. */
function ofOurAccounts(proposal: ProposedResolution, maxCents: bigint, none: string): bigint {
  const amountCents = givenCents(proposal) ?? maxCents;
  if (amountCents > 0n && amountCents <= maxCents) return amountCents;
  throw new PlainError(
    maxCents > 0n
      ? `It must be above zero and at most ${formatMoney(maxCents)}, what our own accounts have more than is listed.`
      : none,
    { field: maxCents > 0n ? 'amount' : 'resolution' },
  );
}
