import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { readStatement } from '../../payments/ledger/statement.ts';
import type { Balances, StatementLine } from '../../payments/ledger/statement.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { csvLine } from '../../platform/base/csv.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { Download, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import type { MovementsAnswer } from '../vendor-answers.ts';
import { readBookPeriod, time } from './period.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';

export interface VendorStatementOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

/** Lines on the screen, the last ones of the period. */
const MAX_SHOWN = 200;
/** A file is made in memory. */
const MAX_LINES = 100_000;

const query = Type.Object(
  { from: Type.Optional(time), to: Type.Optional(time) },
  { additionalProperties: false },
);

/** What moved in a vendor's accounts, without our terms with operators. */
export function vendorStatementRoutes(options: VendorStatementOptions): AnyRoute[] {
  const { pool, wireTime } = options;
  return [
    route({
      method: 'GET',
      path: '/vendors/:vid/statement',
      permission: 'statement.read',
      params,
      query,
      handle: async (input): Promise<MovementsAnswer> => {
        const { vendorId } = await requireVendor(pool, input.params.vid);
        const period = readPeriod(input.query, options);
        const { opening, closing, lines, count } = await read(options, vendorId, {
          ...period,
          keep: MAX_SHOWN,
        });
        return {
          from: period.from.toISOString(),
          to: period.to.toISOString(),
          opening: formatMoney(opening.get('float') ?? 0n),
          closing: formatMoney(closing.get('float') ?? 0n),
          count,
          lines: lines.toReversed().map((line) => ({
            at: line.at.toISOString(),
            movement: line.movement,
            reference: encodeReference(vendorId, line.sourceId),
            merchantReference: line.merchantReference,
            fromAccount: line.debitAccount,
            toAccount: line.creditAccount,
            amount: formatMoney(line.amountCents),
            float: formatMoney(line.floatCents),
          })),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/vendors/:vid/statement.csv',
      permission: 'statement.read',
      params,
      query,
      handle: async (input) => {
        const { vendorId, vid } = await requireVendor(pool, input.params.vid);
        const period = readPeriod(input.query, options);
        const found = await read(options, vendorId, { ...period, keep: MAX_LINES });
        if (found.count > MAX_LINES) {
          const text = `A statement has at most ${MAX_LINES} movements. Choose a shorter period.`;
          throw new PlainError(text, { field: 'from' });
        }
        const day = wireTime.format(period.from).slice(0, 10);
        return new Download({
          name: `statement-${vid}-${day}.csv`,
          type: 'text/csv; charset=utf-8',
          body: Readable.from(csvOf(found, { ...period, vendorId, wireTime })),
        });
      },
    }),
  ];
}

const MAX_PERIOD_MS = 93 * DAY_MS;

/** Throws: `invalid_field`, `PlainError`. */
function readPeriod(
  asked: Parameters<typeof readBookPeriod>[0],
  { wireTime, clock }: VendorStatementOptions,
): ReturnType<typeof readBookPeriod> {
  const period = readBookPeriod(asked, { wireTime, now: clock.now() });
  if (period.to.getTime() - period.from.getTime() <= MAX_PERIOD_MS) return period;
  throw new PlainError('A statement has at most three months.', { field: 'from' });
}

interface Read {
  readonly opening: Balances;
  readonly closing: Balances;
  /** The last ones. */
  readonly lines: readonly StatementLine[];
  readonly count: number;
}

async function read(
  { pool }: VendorStatementOptions,
  vendorId: number,
  { keep, ...period }: { readonly from: Date; readonly to: Date; readonly keep: number },
): Promise<Read> {
  let opening: Balances = new Map();
  let lines: StatementLine[] = [];
  let count = 0;
  const closing = await readStatement(
    pool,
    { vendorId, ...period, scope: 'vendor' },
    {
      opening: (balances) => {
        opening = balances;
      },
      lines: (some) => {
        count += some.length;
        lines = lines.concat(some);
        if (lines.length > 2 * keep) lines = lines.slice(-keep);
      },
    },
  );
  return { opening, closing, lines: lines.slice(-keep), count };
}

const COLUMNS = [
  'time',
  'movement',
  'reference',
  'merchant_reference',
  'from_account',
  'to_account',
  'amount',
  'float',
];

function* csvOf(
  { opening, closing, lines }: Read,
  of: {
    readonly vendorId: number;
    readonly from: Date;
    readonly to: Date;
    readonly wireTime: WireTime;
  },
): Generator<string> {
  const { vendorId, wireTime } = of;
  const balance = (name: string, at: Date, balances: Balances): string => {
    const float = formatMoney(balances.get('float') ?? 0n);
    return csvLine([wireTime.format(at), name, '', '', '', 'float', '', float]);
  };
  yield csvLine(COLUMNS);
  yield balance('opening', of.from, opening);
  for (const row of lines) {
    yield csvLine([
      wireTime.format(row.at),
      row.movement,
      encodeReference(vendorId, row.sourceId),
      row.merchantReference ?? '',
      row.debitAccount,
      row.creditAccount,
      formatMoney(row.amountCents),
      formatMoney(row.floatCents),
    ]);
  }
  yield balance('closing', of.to, closing);
}
