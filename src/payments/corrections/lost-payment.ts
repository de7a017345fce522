import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { CaseRow } from '../cases/cases-store.ts';
import { feeOf, termsOf } from '../prices/price.ts';
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
  /** The ledger has it after all: in the archive, or through another operator. */
  readonly known: boolean;
}

/**
 * What the vendor would have paid if the payment had not been lost: the amount and its fee, with the
 * operator's cost and commission. Pure.
 * Throws: `PlainError` if the ledger has it after all, or the amount does not fit what is listed.
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
  if (lost.known) {
    throw new PlainError('The ledger has this payment: see its status.', { field: 'resolution' });
  }
  if (lost.chargedBy !== null) {
    throw new PlainError(`The vendor has paid for this payment already: case ${lost.chargedBy}.`, {
      field: 'resolution',
    });
  }
  if (amountCents <= 0n || !isListed(amountCents, listedCents, lost.terms)) {
    throw new PlainError(
      `It must be above zero and at most ${formatMoney(listedCents)}, the amount that the statement lists. If that amount includes cost or commission, it may also be the payment’s own amount.`,
      { field: 'amount' },
    );
  }
  const { vendorId, terms } = lost;
  const { transfers, take } = chargesOf(vendorId, [['float', floatCents]]);
  take(accountOf('operator', row), amountCents);
  const fee = lost.feePrice === null ? undefined : feeOf(lost.feePrice, amountCents);
  if (fee !== undefined) for (const [account, part] of feeParts(fee)) take(account, part);
  const { cost, commission } = changedTerms(row, { vendorId, terms, postedCents: 0n }, amountCents);
  return [...transfers, ...cost, ...commission];
}

/** A statement may list a payment with the operator's cost and commission, or without. */
function isListed(amountCents: bigint, listedCents: bigint, terms: OperatorTerms | null): boolean {
  if (amountCents <= listedCents) return true;
  if (terms === null) return false;
  const { costCents, commissionCents } = termsOf(terms, amountCents);
  const keptCents = terms.commissionNetted ? commissionCents : 0n;
  return amountCents + costCents - keptCents === listedCents;
}
