import { classOf } from './account.ts';
import type { AccountClass } from './account.ts';
import type { AccountTotals } from './store.ts';

export interface TrialBalanceLine {
  /** Whose books it is in. */
  readonly books: 'house' | 'vendors';
  readonly account: string;
  readonly class: AccountClass;
  /** One of the two is 0. */
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

export interface TrialBalance {
  readonly lines: readonly TrialBalanceLine[];
  /** Equal, or the books are wrong. */
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

/**
 * The accounts of the house and, in one line for each account, those of all vendors. Our float with
 * an operator is `operator-float:<code>` of the house less `operator:<code>` of the vendors. Pure.
 */
export function trialBalance(
  house: readonly AccountTotals[],
  vendors: readonly { readonly account: string; readonly balanceCents: bigint }[],
): TrialBalance {
  const lines = [
    ...house.map(({ account, debitCents, creditCents }) =>
      lineOf('house', account, creditCents - debitCents),
    ),
    ...vendors.map(({ account, balanceCents }) => lineOf('vendors', account, balanceCents)),
  ];
  return {
    lines,
    debitCents: lines.reduce((sum, line) => sum + line.debitCents, 0n),
    creditCents: lines.reduce((sum, line) => sum + line.creditCents, 0n),
  };
}

function lineOf(
  books: TrialBalanceLine['books'],
  account: string,
  creditCents: bigint,
): TrialBalanceLine {
  return {
    books,
    account,
    class: classOf(books, account),
    debitCents: creditCents < 0n ? -creditCents : 0n,
    creditCents: creditCents > 0n ? creditCents : 0n,
  };
}
