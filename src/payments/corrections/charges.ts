import type { AccountName } from '../ledger/account.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { termsOf } from '../prices/price.ts';
import type { Fee, OperatorTerms } from '../prices/price.ts';

export interface PlannedTransfer {
  readonly vendorId: number;
  readonly debitAccount: AccountName;
  readonly creditAccount: AccountName;
  readonly amountCents: bigint;
}

/** An account of the case’s operator. Throws: `PlainError` if the case has none. */
export function accountOf<
  Kind extends
    | 'operator'
    | 'receivable'
    | 'claims'
    | 'losses'
    | 'cost'
    | 'commission'
    | 'commission_due',
>(kind: Kind, row: Pick<CaseRow, 'operatorCode'>): `${Kind}:${string}` {
  if (row.operatorCode === null) throw new PlainError('The case has no operator.');
  return `${kind}:${row.operatorCode}`;
}

/** Where the parts of a fee belong; none that is zero. */
export function feeParts(
  { feeCents, vatCents }: Fee,
  exciseCents = 0n,
): (readonly ['fees' | 'excise' | 'vat', bigint])[] {
  const parts = [
    ['fees', feeCents - vatCents - exciseCents],
    ['excise', exciseCents],
    ['vat', vatCents],
  ] as const;
  return parts.filter(([, cents]) => cents > 0n);
}

export interface TermsBefore {
  readonly vendorId: number;
  /** Null: the operator charges and gives nothing. */
  readonly terms: OperatorTerms | null;
  readonly postedCents: bigint;
  /** Absent: none. */
  readonly otherTerms?: OtherTerms;
}

/** The operator's real charge and commission for a payment, less those of the recorded price, in cents. */
export interface OtherTerms {
  readonly costCents: bigint;
  /** Counts only commission that the operator netted. */
  readonly commissionCents: bigint;
}

interface TermsChange {
  readonly cost: readonly PlannedTransfer[];
  readonly commission: readonly PlannedTransfer[];
}

/**
 * The transfers that change cost and commission from those of the amount paid before to those of
 * `postedAfter`, the amount that counts as paid from now on. The price is the recorded one.
 */
export function changedTerms(
  row: Pick<CaseRow, 'operatorCode'>,
  { vendorId, terms, postedCents, otherTerms = NO_OTHER_TERMS }: TermsBefore,
  postedAfter: bigint,
): TermsChange {
  if (terms === null && otherTerms.costCents === 0n && otherTerms.commissionCents === 0n) {
    return { cost: [], commission: [] };
  }
  const operator = accountOf('operator', row);
  const before = termsOf(terms ?? NO_TERMS, postedCents);
  const after = termsOf(terms ?? NO_TERMS, postedAfter);
  // What differs from the price comes back with the whole payment. If it is paid again, it may be on other terms.
  const others = postedAfter === 0n && postedCents > 0n ? otherTerms : NO_OTHER_TERMS;
  const change = (debit: AccountName, credit: AccountName, cents: bigint): PlannedTransfer[] => {
    if (cents === 0n) return [];
    const [debitAccount, creditAccount] = cents > 0n ? [debit, credit] : [credit, debit];
    return [{ vendorId, debitAccount, creditAccount, amountCents: cents > 0n ? cents : -cents }];
  };
  const isNetted = terms?.commissionNetted ?? true;
  const commission = accountOf('commission', row);
  const byPrice = after.commissionCents - before.commissionCents;
  const byOthers = -others.commissionCents;
  const costCents = after.costCents - before.costCents - others.costCents;
  return {
    cost: change(accountOf('cost', row), operator, costCents),
    commission: isNetted
      ? change(operator, commission, byPrice + byOthers)
      : [
          ...change(accountOf('commission_due', row), commission, byPrice),
          ...change(operator, commission, byOthers),
        ],
  };
}

/** The operator charges and gives nothing. */
export const NO_TERMS: OperatorTerms = {
  cost: { flatCents: 0n, bps: 0 },
  commission: { flatCents: 0n, bps: 0 },
  commissionNetted: true,
};
export const NO_OTHER_TERMS: OtherTerms = { costCents: 0n, commissionCents: 0n };

/** Transfers from the vendor's money, one account after the other, and then from what it owes us. */
export function chargesOf(
  vendorId: number,
  money: readonly (readonly ['collected' | 'float', bigint])[],
): {
  readonly transfers: PlannedTransfer[];
  readonly take: (creditAccount: AccountName, cents: bigint) => void;
} {
  const left = new Map<'collected' | 'float', bigint>(money);
  const transfers: PlannedTransfer[] = [];
  const take = (creditAccount: AccountName, cents: bigint): void => {
    let owedCents = cents;
    for (const [debitAccount, hasCents] of left) {
      const amountCents = owedCents < hasCents ? owedCents : hasCents;
      if (amountCents <= 0n) continue;
      transfers.push({ vendorId, debitAccount, creditAccount, amountCents });
      left.set(debitAccount, hasCents - amountCents);
      owedCents -= amountCents;
    }
    if (owedCents === 0n) return;
    transfers.push({ vendorId, debitAccount: 'exposure', creditAccount, amountCents: owedCents });
  };
  return { transfers, take };
}

/**
 * Money that came in for the vendor is taken from where it is; the vendor owes the rest.
 * @param to `reversals`: the bank took it back; `unallocated`: it is not the vendor's.
 */
export function takenBack(
  vendorId: number,
  { collectedCents, floatCents }: { readonly collectedCents: bigint; readonly floatCents: bigint },
  { amountCents, to }: { readonly amountCents: bigint; readonly to: 'reversals' | 'unallocated' },
): readonly PlannedTransfer[] {
  const { transfers, take } = chargesOf(vendorId, [
    ['collected', collectedCents],
    ['float', floatCents],
  ]);
  take(to, amountCents);
  return transfers;
}
