import { adderOf } from '../../platform/base/sums.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { classOf, lineNameOf } from './account.ts';
import type { AccountClass, Books } from './account.ts';
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
  readonly books: Books;
  readonly account: string;
  readonly class: AccountClass;
}

/** A line as an accountant expects it: our float with an operator is one, with what payments took. */
export interface TrialBalanceSum extends TrialBalanceLine {
  /** The accounts that it is the sum of. */
  readonly parts: readonly TrialBalanceLine[];
}

export interface TrialBalance {
  readonly lines: readonly TrialBalanceSum[];
  readonly total: Sides;
  /** False: the books are wrong. */
  readonly isEven: boolean;
}

/**
 * The accounts of the house and, in one line for each account, those of all vendors, where accounts
 * that lower another one are part of its line; or the accounts of one vendor, each by itself. A
 * transfer counts when its money moved: that of the house as its source says, that of a vendor when it was posted.
 */
export async function readTrialBalance(
  pool: Pool,
  period: BookPeriod,
  vendorId: number | null = null,
): Promise<TrialBalance> {
  return await snapshot(pool, async (client: Queryable) => {
    const vendors = await readVendorsPeriod(client, period, { vendorId, account: null });
    if (vendorId === null) return trialBalance(await readHousePeriod(client, period), vendors);
    const lines = vendors.map((account) => lineOf('vendors', account));
    return balanceOf(lines.map((line) => ({ ...line, parts: [line] })));
  });
}

/** Combines the accounts of the house with those of all vendors. Pure. */
export function trialBalance(
  house: readonly AccountPeriod[],
  vendors: readonly AccountPeriod[],
): TrialBalance {
  const accounts = [
    ...house.map((account) => ({ ...account, books: 'house' as const })),
    ...vendors.map((account) => ({ ...account, books: 'vendors' as const })),
  ];
  const named = accounts.map((account) => ({
    account,
    line: lineNameOf(account.books, account.account),
  }));
  const byLine = Map.groupBy(named, ({ line }) => `${line.books} ${line.account}`);
  const lines = [...byLine.values()].flatMap((parts) => {
    const [first] = parts;
    const periods = parts.map(({ account }) => account);
    return first === undefined ? [] : [{ ...first.line, ...sumOf(periods) }];
  });
  return balanceOf(lines.toSorted(byBooks));
}

/** The house first. */
function byBooks(one: TrialBalanceLine, other: TrialBalanceLine): number {
  if (one.books !== other.books) return one.books === 'house' ? -1 : 1;
  return one.account < other.account ? -1 : 1;
}

type AccountOfBooks = AccountPeriod & Pick<TrialBalanceLine, 'books'>;

function sumOf(accounts: readonly AccountOfBooks[]): Sides & Pick<TrialBalanceSum, 'parts'> {
  const sum = (of: (account: AccountPeriod) => bigint): bigint =>
    accounts.reduce((total, account) => total + of(account), 0n);
  return {
    ...sidesOf({
      openingCents: sum(({ openingCents }) => openingCents),
      debitCents: sum(({ debitCents }) => debitCents),
      creditCents: sum(({ creditCents }) => creditCents),
    }),
    parts: accounts.map(({ books, ...account }) => lineOf(books, account)),
  };
}

function balanceOf(lines: readonly TrialBalanceSum[]): TrialBalance {
  const total = lines.reduce<Sides>(add, NOTHING);
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

const add = adderOf(NOTHING);

/** An account as a line of its own. Pure. */
export function lineOf(books: TrialBalanceLine['books'], of: AccountPeriod): TrialBalanceLine {
  return { books, account: of.account, class: classOf(books, of.account), ...sidesOf(of) };
}

function sidesOf({
  openingCents,
  debitCents: debitsCents,
  creditCents: creditsCents,
}: Omit<AccountPeriod, 'account'>): Sides {
  const closingCents = openingCents + creditsCents - debitsCents;
  return {
    openingDebitCents: openingCents < 0n ? -openingCents : 0n,
    openingCreditCents: openingCents > 0n ? openingCents : 0n,
    debitsCents,
    creditsCents,
    debitCents: closingCents < 0n ? -closingCents : 0n,
    creditCents: closingCents > 0n ? closingCents : 0n,
  };
}
