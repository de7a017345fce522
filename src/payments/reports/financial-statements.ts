import type { Pool } from '../../platform/db/pool.ts';
import type { AccountClass } from '../house/account.ts';
import { readTitles } from '../house/own-accounts.ts';
import type { BookPeriod } from '../house/store.ts';
import { readTrialBalance } from '../house/trial-balance.ts';
import type { TrialBalance, TrialBalanceSum } from '../house/trial-balance.ts';

/** A line of a financial statement. */
interface StatementLine extends Pick<TrialBalanceSum, 'books' | 'account' | 'class'> {
  /** What people called an account that journals use; null: the account is one of the service. */
  readonly title: string | null;
  /** The accounts that it is the sum of. */
  readonly parts: readonly Pick<TrialBalanceSum, 'books' | 'account'>[];
}

export interface ProfitLine extends StatementLine {
  /** Income is above zero, an expense is below. */
  readonly amountCents: bigint;
}

/** Both times of a balance sheet. */
export interface AtBothEnds {
  readonly openingCents: bigint;
  readonly closingCents: bigint;
}

/** Assets are above zero on their side, everything else on the other one. */
export type BalanceLine = StatementLine & AtBothEnds;

export interface BalanceSheet extends BookPeriod {
  readonly lines: readonly BalanceLine[];
  readonly assets: AtBothEnds;
  readonly liabilities: AtBothEnds;
  readonly equity: AtBothEnds;
  /** Income less expenses before each of the two times. */
  readonly profit: AtBothEnds;
  /** False: the books are wrong. */
  readonly isEven: boolean;
}

type Titles = ReadonlyMap<string, string>;

/** What a period brought and cost, by value date. */
export async function reportProfit(
  pool: Pool,
  period: BookPeriod,
): Promise<{ readonly lines: readonly ProfitLine[]; readonly totalCents: bigint }> {
  const balance = await readTrialBalance(pool, period);
  return profitOf(balance, await readTitles(pool));
}

/** What we have and owe at the beginning of a period and at its end, by value date. */
export async function reportBalanceSheet(pool: Pool, period: BookPeriod): Promise<BalanceSheet> {
  const balance = await readTrialBalance(pool, period);
  return { ...period, ...balanceSheetOf(balance, await readTitles(pool)) };
}

/** Pure. */
export function profitOf({ lines }: TrialBalance, titles: Titles) {
  const found = lines
    .filter((line) => isProfit(line) && (line.debitsCents !== 0n || line.creditsCents !== 0n))
    .map((line): ProfitLine => {
      const amountCents = line.creditsCents - line.debitsCents;
      return { ...named(line, titles), amountCents };
    })
    .toSorted(byClass(['income', 'expense']));
  return {
    lines: found,
    totalCents: found.reduce((sum, { amountCents }) => sum + amountCents, 0n),
  };
}

/** Pure. */
export function balanceSheetOf(
  { lines }: TrialBalance,
  titles: Titles,
): Omit<BalanceSheet, keyof BookPeriod> {
  const found = lines
    .filter((line) => !isProfit(line))
    .map((line): BalanceLine => {
      const { openingCents, closingCents } = creditsOf(line);
      const sign = line.class === 'asset' ? -1n : 1n;
      const ends = { openingCents: sign * openingCents, closingCents: sign * closingCents };
      return { ...named(line, titles), ...ends };
    })
    .filter(({ openingCents, closingCents }) => openingCents !== 0n || closingCents !== 0n)
    .toSorted(byClass(['asset', 'liability', 'equity']));
  const sum = (of: AccountClass): AtBothEnds =>
    found.filter((line) => line.class === of).reduce(addEnds, NOTHING);
  const profit = lines.filter(isProfit).map(creditsOf).reduce(addEnds, NOTHING);
  const [assets, liabilities, equity] = [sum('asset'), sum('liability'), sum('equity')];
  const against = [liabilities, equity, profit].reduce(addEnds, NOTHING);
  const isEven =
    assets.openingCents === against.openingCents && assets.closingCents === against.closingCents;
  return { lines: found, assets, liabilities, equity, profit, isEven };
}

const NOTHING: AtBothEnds = { openingCents: 0n, closingCents: 0n };

const addEnds = (one: AtBothEnds, other: AtBothEnds): AtBothEnds => ({
  openingCents: one.openingCents + other.openingCents,
  closingCents: one.closingCents + other.closingCents,
});

const isProfit = ({ class: of }: TrialBalanceSum): boolean => of === 'income' || of === 'expense';

const creditsOf = (line: TrialBalanceSum): AtBothEnds => ({
  openingCents: line.openingCreditCents - line.openingDebitCents,
  closingCents: line.creditCents - line.debitCents,
});

function named(
  { books, account, class: of, parts }: TrialBalanceSum,
  titles: Titles,
): StatementLine {
  const sumOf = parts.map((part) => ({ books: part.books, account: part.account }));
  return { books, account, class: of, title: titles.get(account) ?? null, parts: sumOf };
}

/** The order of a trial balance within each class; an account that is not in the chart comes first. */
const byClass =
  (order: readonly AccountClass[]) =>
  (one: StatementLine, other: StatementLine): number =>
    order.indexOf(one.class) - order.indexOf(other.class);
