import { Type } from 'typebox';
import type { Static } from 'typebox';
import { reportVat } from '../../payments/reports/vat.ts';
import { periodOfMonth } from '../../platform/base/clock.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ExportTable } from '../../platform/export/rows.ts';
import type { VatAnswer } from '../finance-answers.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { onWire } from '../on-wire.ts';
import { longReaderOf, route } from '../route.ts';
import type { AnyRoute, RouteContext } from '../route.ts';
import { amountCell, fileRoutes, tableOf } from './table-file.ts';

export interface VatRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly reads: LongReads;
}

const query = Type.Object(
  { month: Type.Optional(Type.String({ maxLength: 7 })) },
  { additionalProperties: false },
);

/** The VAT of a month, by vendor. */
export function vatRoutes(options: VatRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/vat',
      permission: 'finance.read',
      query,
      handle: async (input, context) => await readMonth(options, input.query, context),
    }),
    ...fileRoutes({
      ...{ path: '/vat', permission: 'finance.read', query, wireTime: options.wireTime },
      read: async (input, context) => {
        const answer = await readMonth(options, input.query, context);
        return { name: `vat-${answer.month}`, table: vatTable(answer) };
      },
    }),
  ];
}

/** This month, if no other one is asked for. Throws: `invalid_field`. */
async function readMonth(
  { pool, clock, wireTime, reads }: VatRoutesOptions,
  asked: Static<typeof query>,
  context: RouteContext,
): Promise<VatAnswer> {
  const month = asked.month ?? wireTime.format(clock.now()).slice(0, 7);
  const period = periodOfMonth(month, wireTime);
  if (period === undefined) {
    throw new Refusal('invalid_field', { field: 'month', text: 'month must be YYYY-MM' });
  }
  const { vendors, total, ...found } = await reads(longReaderOf(context), () =>
    reportVat(pool, period),
  );
  return { month, vendors: vendors.map(onWire), total: onWire(total), ...onWire(found) };
}

const AMOUNTS = ['fees', 'charged', 'returned', 'vat'] as const;

function vatTable({ vendors, total }: VatAnswer): ExportTable {
  const rows = [...vendors, { vid: 'total', ...total }];
  return tableOf(
    ['vendor', 'charges', ...AMOUNTS],
    rows.map((row) => [
      row.vid,
      String(row.charges),
      ...AMOUNTS.map((name) => amountCell(row[name])),
    ]),
  );
}
