import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { listCases } from '../cases/read-cases.ts';
import { readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { readStatementHead } from '../reports/statement.ts';
import { bookedCents, findLastStatement, readBookedFloat } from './bridge-store.ts';

/** The parts of a settlement report, in the words that are sent to the operator. */
export const SETTLEMENT_PARTS = [
  'our float',
  'commission to be paid',
  'your statement',
  'open differences',
] as const;

export interface SettlementLine {
  readonly part: (typeof SETTLEMENT_PARTS)[number];
  /** What it is, in words. */
  readonly item: string;
  /** Null: it is no number of things. */
  readonly count: number | null;
  /** Null: it has no amount. */
  readonly amountCents: bigint | null;
}

/** Names of movements that need more words than their own. */
const WORDS: Readonly<Record<string, string>> = {
  paid: 'payments',
  commission: 'commission taken from what payments cost',
  cost: 'charges for payments',
  charges: 'charges on the statement',
  entry: 'entered by people',
};

/** Differences that are listed; more are counted as this many. */
const MAX_CASES = 1_000;

const lineOf =
  (part: SettlementLine['part']) =>
  (item: string, amountCents: bigint, count: number | null = null): SettlementLine => ({
    ...{ part, item, count, amountCents },
  });
const floatLine = lineOf('our float');
const commissionLine = lineOf('commission to be paid');
const statementLine = lineOf('your statement');

/** What an operator and we have settled in a period, by value date, and what is open now. */
export async function reportSettlement(
  pool: Pool,
  operatorCode: string,
  asked: BookPeriod,
): Promise<BookPeriod & { readonly lines: readonly SettlementLine[] }> {
  const head = await readStatementHead(pool, { kind: 'operator', operatorCode }, asked);
  const period = { from: head.from, to: head.to };
  const lines: SettlementLine[] = [
    floatLine('before the period', head.openingCents),
    ...head.movements.map(({ movement, count, changeCents }) =>
      floatLine(WORDS[movement] ?? movement, changeCents, count),
    ),
    floatLine('at the end', head.closingCents),
    ...(await readCommission(pool, operatorCode, period)),
    ...(await readTheirs(pool, operatorCode, period)),
  ];
  return { ...period, lines };
}

/** What the operator owes us of its commission, if it pays later: earned less paid. */
async function readCommission(
  pool: Pool,
  operatorCode: string,
  period: BookPeriod,
): Promise<SettlementLine[]> {
  const account = `commission_due:${operatorCode}`;
  const [due, paid] = await snapshot(pool, async (client) => [
    (await readVendorsPeriod(client, period, { vendorId: null, account }))[0],
    (await readHousePeriod(client, period)).find(
      (row) => row.account === `commission-due:${operatorCode}`,
    ),
  ]);
  if (due === undefined && paid === undefined) return [];
  const openingCents = -(due?.openingCents ?? 0n) - (paid?.openingCents ?? 0n);
  const earnedCents = (due?.debitCents ?? 0n) - (due?.creditCents ?? 0n);
  const paidCents = (paid?.creditCents ?? 0n) - (paid?.debitCents ?? 0n);
  return [
    commissionLine('before the period', openingCents),
    commissionLine('earned', earnedCents),
    commissionLine('paid to us', -paidCents),
    commissionLine('at the end', openingCents + earnedCents - paidCents),
  ];
}

/** The last statement that ends in the period, our books at that time, and the cases that are open now. */
async function readTheirs(
  pool: Pool,
  operatorCode: string,
  { from, to }: BookPeriod,
): Promise<SettlementLine[]> {
  return await snapshot(pool, async (client) => {
    const statement = await findLastStatement(client, operatorCode, to);
    const cases = await listCases(client, { resolved: false, operatorCode, limit: MAX_CASES });
    const byKind = [...Map.groupBy(cases, ({ kind }) => kind)];
    const open = byKind.map(([kind, of]): SettlementLine => {
      const amountCents = of.reduce((sum, { paymentCents }) => sum + (paymentCents ?? 0n), 0n);
      return {
        ...{ part: 'open differences', item: kind.replaceAll('_', ' '), count: of.length },
        amountCents,
      };
    });
    if (statement === undefined || statement.periodEnd <= from) return open;
    const ours = bookedCents(await readBookedFloat(client, operatorCode, statement.periodEnd));
    return [
      statementLine(
        `balance of the statement until ${statement.periodEnd.toISOString()}`,
        statement.closingCents,
      ),
      statementLine('our books at that time', ours),
      statementLine('difference', statement.closingCents - ours),
      ...open,
    ];
  });
}
