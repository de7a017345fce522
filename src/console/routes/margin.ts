import { Type } from 'typebox';
import type { Static } from 'typebox';
import { readVids } from '../../parties/store.ts';
import { marginOf, reportMargin } from '../../payments/reports/margin.ts';
import type { MarginRow, MarginSums } from '../../payments/reports/margin.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ExportTable } from '../../platform/export/rows.ts';
import { MARGIN_BY } from '../finance-answers.ts';
import type { MarginAnswer, MarginBy, MarginSumsView } from '../finance-answers.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { onWire } from '../on-wire.ts';
import { longReaderOf, route } from '../route.ts';
import type { AnyRoute, RouteContext } from '../route.ts';
import { readBookPeriod, time } from './period.ts';
import { amountCell, fileRoutes, tableOf } from './table-file.ts';

export interface MarginRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly config: { readonly timeZone: string };
  readonly reads: LongReads;
}

const query = Type.Object(
  {
    from: Type.Optional(time),
    to: Type.Optional(time),
    by: Type.Optional(Type.Enum([...MARGIN_BY])),
  },
  { additionalProperties: false },
);

/** Fees, VAT, costs, commissions and margin of a period. */
export function marginRoutes(options: MarginRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/margin',
      permission: 'finance.read',
      query,
      handle: async (input, context) => await readMargin(options, input.query, context),
    }),
    ...fileRoutes({
      ...{ path: '/margin', permission: 'finance.read', query, wireTime: options.wireTime },
      read: async (input, context) => ({
        name: 'margin',
        table: marginTable(await readMargin(options, input.query, context)),
      }),
    }),
  ];
}

async function readMargin(
  { pool, clock, wireTime, config: { timeZone }, reads }: MarginRoutesOptions,
  asked: Static<typeof query>,
  context: RouteContext,
): Promise<MarginAnswer> {
  const { by = 'biller' } = asked;
  const period = readBookPeriod(asked, { wireTime, now: clock.now() });
  const report = await reads(longReaderOf(context), () =>
    reportMargin(pool, { ...period, timeZone }, new Set([by])),
  );
  const vids = await readVids(pool);
  const nameOf = (row: MarginRow): string | null => {
    if (by === 'vendor') return row.vendorId === null ? null : (vids.get(row.vendorId) ?? null);
    return { biller: row.billerCode, operator: row.operatorCode, day: row.day }[by];
  };
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    by,
    lines: report.rows.map((row) => ({ name: nameOf(row), ...sumsView(row) })),
    total: sumsView(report.total),
  };
}

function sumsView(sums: MarginSums): MarginSumsView {
  const { payments, amountCents, feesCents, vatCents, costCents, commissionCents } = sums;
  const amounts = { payments, amountCents, feesCents, vatCents, costCents, commissionCents };
  return onWire({ ...amounts, marginCents: marginOf(sums) });
}

const AMOUNTS = ['amount', 'fees', 'vat', 'cost', 'commission', 'margin'] as const;

function marginTable({ by, lines, total }: MarginAnswer): ExportTable {
  const rows = [...lines, { name: 'total', ...total }];
  return tableOf(
    [by satisfies MarginBy, 'payments', ...AMOUNTS],
    rows.map((line) => [
      line.name,
      String(line.payments),
      ...AMOUNTS.map((name) => amountCell(line[name])),
    ]),
  );
}
