import { AGES, ageCell } from '../../payments/reports/ages.ts';
import { reportExposure, reportReceivables } from '../../payments/reports/receivables.ts';
import type { ExposureReport, ReceivablesReport } from '../../payments/reports/receivables.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ExportTable } from '../../platform/export/rows.ts';
import type { ExposureAnswer, ReceivablesAnswer } from '../finance-answers.ts';
import { onWire } from '../on-wire.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { amountCell, fileRoutes, tableOf } from './table-file.ts';

export interface ReceivableRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

/** What others owe us, and what we may lose; each by age. */
export function receivableRoutes({ pool, clock, wireTime }: ReceivableRoutesOptions): AnyRoute[] {
  const read = async () => receivablesAnswer(await reportReceivables(pool, clock.now()));
  const permission = 'finance.read' as const;
  return [
    route({ method: 'GET', path: '/receivables', permission, handle: read }),
    ...fileRoutes({
      ...{ path: '/receivables', permission, wireTime },
      read: async () => ({ name: 'receivables', table: receivableTable(await read()) }),
    }),
    route({
      method: 'GET',
      path: '/exposure',
      permission,
      handle: async () => exposureAnswer(await reportExposure(pool, clock.now())),
    }),
  ];
}

function receivablesAnswer(found: ReceivablesReport): ReceivablesAnswer {
  return {
    at: found.at.toISOString(),
    items: found.items.map(onWire),
    byAge: found.byAge.map(formatMoney),
    total: formatMoney(found.totalCents),
  };
}

const COLUMNS = [
  'debtor',
  'name',
  'since',
  'age',
  'amount',
  'owed',
  'reference',
  'caseId',
  'openCaseId',
] as const;

function receivableTable({ items }: ReceivablesAnswer): ExportTable {
  const rows = items.map((item) => {
    const amounts = { amount: amountCell(item.amount), owed: amountCell(item.owed) };
    const cells = { ...item, age: ageCell(item.age), ...amounts };
    return COLUMNS.map((name) => cells[name]);
  });
  return tableOf(COLUMNS, rows);
}

function exposureAnswer(found: ExposureReport): ExposureAnswer {
  const ends = [found.at, ...found.limits];
  return {
    at: found.at.toISOString(),
    unknown: found.unknown.map(({ operator, count, amountCents, ages }) => ({
      ...{ operator, count, amount: formatMoney(amountCents) },
      ages: AGES.map((_, index) => ({
        count: ages[index]?.count ?? 0,
        amount: formatMoney(ages[index]?.amountCents ?? 0n),
        from: found.limits[index]?.toISOString() ?? null,
        to: (ends[index] ?? found.at).toISOString(),
      })),
    })),
    unknownTotal: formatMoney(found.unknownCents),
    reversed: found.reversed.map(onWire),
    reversedByAge: found.reversedByAge.map(formatMoney),
    reversedTotal: formatMoney(found.reversedCents),
  };
}
