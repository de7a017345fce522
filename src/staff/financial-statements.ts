import { Type } from 'typebox';
import type { Static } from 'typebox';
import { OWN_CLASSES } from '../payments/house/account.ts';
import type { AccountClass } from '../payments/house/account.ts';
import { formatMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import type { Definition } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, money, text, textOrNull, time } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../platform/base/period.ts')),
  ...(await import('../payments/reports/financial-statements.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const periodOf = (
  { readBookPeriod }: Core,
  asked: { readonly from?: string; readonly to?: string },
  { wireTime, clock }: StaffDeps,
) => readBookPeriod(asked, { wireTime, now: clock.now() });

const period = { from: time(), to: time({ description: 'not included' }) };

const statementLine = {
  /** An account of `clearing` is not in the chart. */
  class: Type.Enum([...OWN_CLASSES, 'clearing'], { title: 'Class' }),
  books: Type.Enum(['house', 'vendors'], { title: 'Books', wide: true }),
  account: text({ title: 'Account' }),
  title: textOrNull({ title: 'Title', description: 'of an account that journals use' }),
  /** The accounts that it is the sum of. */
  parts: Type.Array(
    Type.Object({ books: Type.Enum(['house', 'vendors']), account: text({ title: 'Account' }) }),
  ),
};
const profit = Type.Object({
  ...period,
  lines: Type.Array(
    Type.Object({
      ...statementLine,
      amount: money({ title: 'Amount', description: 'expenses are below 0' }),
    }),
  ),
  total: Type.Object({ amount: money({ title: 'Profit' }) }),
});
export type ProfitAnswer = Static<typeof profit>;

const bothEnds = {
  opening: money({ title: 'Before', description: 'at the beginning of the period' }),
  closing: money({ title: 'At the end' }),
};
const ends = (title: string, description?: string) =>
  Type.Object(bothEnds, { title, spread: true, ...(description !== undefined && { description }) });
const balanceSheet = Type.Object({
  ...period,
  lines: Type.Array(Type.Object({ ...statementLine, ...bothEnds })),
  assets: ends('Assets'),
  liabilities: ends('Liabilities'),
  equity: ends('Equity'),
  profit: ends('Profit', 'of all time'),
  is_even: Type.Boolean({
    title: 'Assets equal the rest',
    description: 'liabilities, equity and profit; else the books are wrong',
  }),
});
export type BalanceSheetAnswer = Static<typeof balanceSheet>;

/** Reports that follow from the trial balance alone. */
export const FINANCIAL_STATEMENTS: readonly Definition[] = [
  view(core, {
    name: 'report.profit',
    summary:
      'Profit and loss of a period, by the time at which money moved: each account of income and expense, and the profit.',
    route: 'GET /profit',
    permission: 'finance.read',
    isLong: true,
    input: inputOf(fields.bookPeriod),
    output: profit,
    rows: 'lines',
    total: 'total',
    empty: 'no income and no expenses',
    handle: async ({ core: loaded, input, deps }) => {
      const asked = periodOf(loaded, input, deps);
      const { lines, totalCents } = await loaded.reportProfit(deps.pool, asked);
      const total = { amount: formatMoney(totalCents) };
      return { ...wireOf(asked), lines: lines.map(statementRow), total };
    },
  }),
  view(core, {
    name: 'report.balance-sheet',
    summary:
      'The balance sheet at the beginning of a period and at its end, by the time at which money moved. Fails unless assets equal liabilities, equity and the profit of all time.',
    route: 'GET /balance-sheet',
    permission: 'finance.read',
    isLong: true,
    input: inputOf(fields.bookPeriod),
    output: balanceSheet,
    rows: 'lines',
    empty: 'no accounts',
    failed: (answer) => !answer.is_even,
    handle: async ({ core: loaded, input, deps }) => {
      const asked = periodOf(loaded, input, deps);
      const { lines, ...found } = await loaded.reportBalanceSheet(deps.pool, asked);
      return { ...wireOf(found), lines: lines.map(statementRow) };
    },
  }),
];

/** Lines of a trial balance have no contra accounts: these are part of the lines that they lower. */
const statementRow = <Line extends { readonly class: AccountClass }>(line: Line) => ({
  ...wireOf(line),
  class: line.class as (typeof OWN_CLASSES)[number] | 'clearing',
});
