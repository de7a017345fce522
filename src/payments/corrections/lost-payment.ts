import { isOwnTermsAccount } from '../ledger/account.ts';
import type { AccountName } from '../ledger/account.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { movedCents, smallest } from './left-to-correct.ts';
import { exciseOf, feeOf, paidFor, termsOf } from '../prices/price.ts';
import type { FeeFormula, OperatorTerms } from '../prices/price.ts';
import { accountOf, changedTerms, chargesOf, feeParts } from './charges.ts';
import type { PlannedTransfer } from './charges.ts';

/** A payment that an operator's statement names by our reference, and the ledger does not have. */
export interface LostPayment {
  /** The vendor that the reference names. */
  readonly vendorId: number;
  /** The price that was in force for it; null: none, or the statement does not name the biller. */
  readonly feePrice: FeeFormula | null;
  readonly terms: OperatorTerms | null;
  /** The case by which the vendor paid for it already. */
  readonly chargedBy: string | null;
  /** Transfers posted for it, and those that returned money. */
  readonly posted: readonly PlannedTransfer[];
  /** Cents that statements list as paid and not returned. */
  readonly listedCents: bigint;
  /** The movements in it, each as it was listed first. */
  readonly movedCents: readonly bigint[];
  /** Cents that came back, or were revised away, undecided: the charge can still be returned. */
  readonly openReversalCents: bigint;
  /** The part of it in our own accounts, without what they have because of a callback. */
  readonly houseCents: bigint;
  readonly calledCents: bigint;
  /** The ledger has it after all: in the archive, or through another operator. */
  readonly known: boolean;
}

/**
 * Plans the charge that the vendor would have had if the payment had not been lost: the amount and its
 * fee, with the operator's cost and commission. Pure.
 * Throws: `PlainError` if the amount does not fit what is listed.
 */
export function planLostCharge(
  row: Pick<CaseRow, 'operatorCode'>,
  lost: LostPayment,
  cents: {
    readonly floatCents: bigint;
    readonly listedCents: bigint;
    readonly amountCents: bigint;
  },
): PlannedTransfer[] {
  const { floatCents, listedCents, amountCents } = cents;
  if (amountCents <= 0n || !isListed(amountCents, listedCents, lost.terms)) {
    throw new PlainError(
      `It must be above zero and at most ${formatMoney(listedCents)}, the amount that the statement lists. If that amount includes cost or commission, it may also be the payment’s own amount.`,
      { field: 'amount' },
    );
  }
  const { vendorId, terms } = lost;
  const { transfers, take } = chargesOf(vendorId, [['float', floatCents]]);
  take(accountOf('operator', row), amountCents);
  if (lost.feePrice !== null) {
    const fee = feeOf(lost.feePrice, amountCents);
    const exciseCents = exciseOf(fee, lost.feePrice.exciseBps ?? 0);
    for (const [account, part] of feeParts(fee, exciseCents)) take(account, part);
  }
  const { cost, commission } = changedTerms(row, { vendorId, terms, postedCents: 0n }, amountCents);
  return [...transfers, ...cost, ...commission];
}

/**
 * The amount of a lost payment that a statement lists with so many cents.
 * Throws: `PlainError` if it may be listed with the operator's terms or without: only a person knows.
 */
export function lostAmount({ terms }: LostPayment, listedCents: bigint): bigint {
  const otherCents = terms === null ? listedCents : paidFor(terms, listedCents);
  if (otherCents === undefined || otherCents === listedCents) return listedCents;
  throw new PlainError(
    `The payment’s own amount is required: ${formatMoney(listedCents)} if the statement lists it without the operator’s cost and commission, ${formatMoney(otherCents)} if it lists it with them, by our terms.`,
    { field: 'amount' },
  );
}

/** Throws: `PlainError` if the ledger has the payment after all, or the vendor has paid for it. */
export function requireNotCharged(lost: LostPayment): void {
  requireUnknown(lost);
  if (lost.chargedBy === null) return;
  throw new PlainError(`The vendor has paid for this payment already: case ${lost.chargedBy}.`, {
    field: 'resolution',
  });
}

function requireUnknown({ known }: LostPayment): void {
  if (!known) return;
  throw new PlainError('The ledger has this payment: see its status.', { field: 'resolution' });
}

/**
 * Plans the return of a lost payment that the vendor was charged for and the operator reversed: the
 * amount, and if nothing of it is left also the fee, with the operator's cost and commission. Pure.
 * Throws: `PlainError` if the vendor was not charged, or the amount is above what was reversed.
 */
export function planLostReturn(
  row: Pick<CaseRow, 'operatorCode'>,
  lost: LostPayment,
  cents: { readonly reversedCents: bigint; readonly givenCents: bigint | undefined },
): PlannedTransfer[] {
  requireUnknown(lost);
  const operator = accountOf('operator', row);
  const own = lost.posted.filter((posted) => !isOwnTerms(posted));
  const terms = lost.posted.filter(isOwnTerms);
  const paidCents = balanceOf(operator, own);
  const returnedCents = stillLostCents(row, lost, cents.reversedCents, false);
  const maxCents = returnedToVendor(lost, operator, returnedCents);
  const amountCents = cents.givenCents ?? maxCents;
  if (amountCents <= 0n || amountCents > maxCents) {
    throw new PlainError(
      maxCents > 0n
        ? `It must be above zero and at most ${formatMoney(maxCents)}, what the vendor was charged and the operator returned.`
        : 'The vendor was not charged for this payment, or has got it back.',
      { field: maxCents > 0n ? 'amount' : 'resolution' },
    );
  }
  const { vendorId } = lost;
  const giveBack = (debitAccount: AccountName, part: bigint): PlannedTransfer[] =>
    part <= 0n ? [] : [{ vendorId, debitAccount, creditAccount: 'float', amountCents: part }];
  if (amountCents < paidCents) return giveBack(operator, amountCents);
  const undone = terms.map(({ debitAccount, creditAccount, ...rest }) => ({
    ...rest,
    ...{ debitAccount: creditAccount, creditAccount: debitAccount },
  }));
  // In an order in which the operator’s account never falls below zero.
  return [
    ...undone.filter(({ debitAccount }) => debitAccount !== operator),
    ...giveBack(operator, amountCents),
    ...undone.filter(({ debitAccount }) => debitAccount === operator),
    ...giveBack('fees', balanceOf('fees', own)),
    ...giveBack('excise', balanceOf('excise', own)),
    ...giveBack('vat', balanceOf('vat', own)),
  ];
}

/** The vendor’s part. While the operator has been paid once, that payment is the vendor’s. */
function returnedToVendor(
  { posted, listedCents }: LostPayment,
  operator: AccountName,
  returnedCents: bigint,
): bigint {
  const paidCents = balanceOf(
    operator,
    posted.filter((one) => !isOwnTerms(one)),
  );
  // What the vendor paid in full comes back in full, with the operator’s terms.
  if (returnedCents >= balanceOf(operator, posted)) return paidCents;
  return smallest(returnedCents, paidCents - listedCents);
}

/** Cents that statements list beyond the ledger's for a lost payment; below zero: less. Pure. */
export function notBookedOf(row: Pick<CaseRow, 'operatorCode'>, lost: LostPayment): bigint {
  const { listedCents, houseCents, posted } = lost;
  const operator = accountOf('operator', row);
  const paidCents = balanceOf(
    operator,
    posted.filter((one) => !isOwnTerms(one)),
  );
  // A statement may list it with the operator's cost and commission, or without.
  const isGross = lost.movedCents.includes(paidCents);
  return listedCents - houseCents - (isGross ? paidCents : balanceOf(operator, posted));
}

const isOwnTerms = ({ debitAccount, creditAccount }: PlannedTransfer): boolean =>
  isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount);

/** Sums these transfers to the balance of one account, in cents. */
function balanceOf(account: AccountName, transfers: readonly PlannedTransfer[]): bigint {
  return transfers.reduce((sum, { debitAccount, creditAccount, amountCents }) => {
    const sign = BigInt(Number(creditAccount === account) - Number(debitAccount === account));
    return sum + sign * amountCents;
  }, 0n);
}

/**
 * Limits an amount that the operator took or returned for a lost payment to what statements list and the ledger does
 * not have.
 */
export function stillLostCents(
  row: Pick<CaseRow, 'operatorCode'>,
  lost: LostPayment,
  cents: bigint,
  isTaken = true,
): bigint {
  const leftCents = notBookedOf(row, lost);
  const limitCents = isTaken ? leftCents + lost.openReversalCents : lost.calledCents - leftCents;
  return limitCents < cents ? (limitCents > 0n ? limitCents : 0n) : cents;
}

/** A statement may list a payment with the operator's cost and commission, or without. */
function isListed(amountCents: bigint, listedCents: bigint, terms: OperatorTerms | null): boolean {
  if (amountCents <= listedCents) return true;
  if (terms === null) return false;
  const { costCents, commissionCents } = termsOf(terms, amountCents);
  const keptCents = terms.commissionNetted ? commissionCents : 0n;
  return amountCents + costCents - keptCents === listedCents;
}

/**
 * What statements list of a lost payment: each movement has a case, and so has each change of one. Pure.
 * @param about cases about the payment.
 */
export function listedOfLost(
  about: readonly Pick<CaseRow, 'kind' | 'operatorCode' | 'facts' | 'resolvedAt'>[],
  operatorCode: string | null,
): Pick<LostPayment, 'listedCents' | 'movedCents' | 'openReversalCents'> {
  const listed = about
    .filter(({ kind }) => kind === 'theirs_only' || kind === 'statement_change')
    .filter((row) => row.operatorCode === operatorCode && row.facts['rest_of_case'] === undefined);
  const sumOf = (rows: typeof listed): bigint =>
    rows.reduce((sum, row) => sum + movedCents(row), 0n);
  const open = listed.filter((row) => row.resolvedAt === null && movedCents(row) < 0n);
  return {
    listedCents: sumOf(listed),
    movedCents: listed.map(movedCents),
    openReversalCents: -sumOf(open),
  };
}
