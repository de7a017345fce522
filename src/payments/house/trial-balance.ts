import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { classOf } from './account.ts';
import type { AccountClass } from './account.ts';
import { readHousePeriod, readVendorsPeriod } from './store.ts';
import type { AccountPeriod, BookPeriod } from './store.ts';

/** Both sides of a trial balance: before a period, posted in it, and at its end. */
export interface Sides {
  /** One of the two is 0. */
  readonly openingDebitCents: bigint;
  readonly openingCreditCents: bigint;
  readonly debitsCents: bigint;
  readonly creditsCents: bigint;
  /** One of the two is 0. */
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

export interface TrialBalanceLine extends Sides {
  /** Whose books it is in. */
  readonly books: 'house' | 'vendors';
  readonly account: string;
  readonly class: AccountClass;
}

export interface TrialBalance {
  readonly lines: readonly TrialBalanceLine[];
  readonly total: Sides;
  /** False: the books are wrong. */
  readonly isEven: boolean;
}

/**
 * The accounts of the house and, in one line for each account, those of all vendors; or those of one
 * vendor. A transfer counts when it was posted, so that a period that is over does not change.
 */
export async function readTrialBalance(
  pool: Pool,
  period: BookPeriod,
  vendorId: number | null = null,
): Promise<TrialBalance> {
  return await snapshot(pool, async (client: Queryable) => {
    const vendors = await readVendorsPeriod(client, period, { vendorId, account: null });
    return trialBalance(vendorId === null ? await readHousePeriod(client, period) : [], vendors);
  });
}

/**
 * Our float with an operator is `operator-float:<code>` of the house less `operator:<code>` of the
 * vendors. Pure.
 */
export function trialBalance(
  house: readonly AccountPeriod[],
  vendors: readonly AccountPeriod[],
): TrialBalance {
  const lines = [
    ...house.map((account) => lineOf('house', account)),
    ...vendors.map((account) => lineOf('vendors', account)),
  ];
  const total = lines.reduce(add, NOTHING);
  return {
    lines,
    total,
    isEven:
      total.openingDebitCents === total.openingCreditCents &&
      total.debitsCents === total.creditsCents &&
      total.debitCents === total.creditCents,
  };
}

const NOTHING: Sides = {
  openingDebitCents: 0n,
  openingCreditCents: 0n,
  debitsCents: 0n,
  creditsCents: 0n,
  debitCents: 0n,
  creditCents: 0n,
};

function add(one: Sides, other: Sides): Sides {
  return {
    openingDebitCents: one.openingDebitCents + other.openingDebitCents,
    openingCreditCents: one.openingCreditCents + other.openingCreditCents,
    debitsCents: one.debitsCents + other.debitsCents,
    creditsCents: one.creditsCents + other.creditsCents,
    debitCents: one.debitCents + other.debitCents,
    creditCents: one.creditCents + other.creditCents,
  };
}

/** An account as a line of the trial balance. Pure. */
export function lineOf(
  books: TrialBalanceLine['books'],
  { account, openingCents, debitCents: debitsCents, creditCents: creditsCents }: AccountPeriod,
): TrialBalanceLine {
  const closingCents = openingCents + creditsCents - debitsCents;
  return {
    books,
    account,
    class: classOf(books, account),
    openingDebitCents: openingCents < 0n ? -openingCents : 0n,
    openingCreditCents: openingCents > 0n ? openingCents : 0n,
    debitsCents,
    creditsCents,
    debitCents: closingCents < 0n ? -closingCents : 0n,
    creditCents: closingCents > 0n ? closingCents : 0n,
  };
}
