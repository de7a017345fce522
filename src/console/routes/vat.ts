import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { reportVat } from '../../payments/reports/vat.ts';
import { periodOfMonth } from '../../platform/base/clock.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { csvLine } from '../../platform/base/csv.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { VatAnswer } from '../finance-answers.ts';
import { onWire } from '../on-wire.ts';
import { Download, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';

export interface VatRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
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
      handle: async (input) => await readMonth(options, input.query),
    }),
    route({
      method: 'GET',
      path: '/vat.csv',
      permission: 'finance.read',
      query,
      handle: async (input) => {
        const answer = await readMonth(options, input.query);
        return new Download({
          name: `vat-${answer.month}.csv`,
          type: 'text/csv; charset=utf-8',
          body: Readable.from(csvOf(answer)),
        });
      },
    }),
  ];
}

/** This month, if no other one is asked for. Throws: `invalid_field`. */
async function readMonth(
  { pool, clock, wireTime }: VatRoutesOptions,
  asked: Static<typeof query>,
): Promise<VatAnswer> {
  const month = asked.month ?? wireTime.format(clock.now()).slice(0, 7);
  const period = periodOfMonth(month, wireTime);
  if (period === undefined) {
    throw new Refusal('invalid_field', { field: 'month', text: 'month must be YYYY-MM' });
  }
  const { vendors, total, ...found } = await reportVat(pool, period);
  return { month, vendors: vendors.map(onWire), total: onWire(total), ...onWire(found) };
}

const SUMS = ['charges', 'fees', 'charged', 'returned', 'vat'] as const;

function* csvOf({ vendors, total }: VatAnswer): Generator<string> {
  yield csvLine(['vendor', ...SUMS]);
  for (const row of [...vendors, { vid: 'total', ...total }]) {
    yield csvLine([row.vid, ...SUMS.map((name) => String(row[name]))]);
  }
}
