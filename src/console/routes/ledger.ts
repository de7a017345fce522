import { Type } from 'typebox';
import type { Static } from 'typebox';
import { findVendor } from '../../parties/store.ts';
import { readTrialBalance } from '../../payments/house/trial-balance.ts';
import type { TrialBalance } from '../../payments/house/trial-balance.ts';
import { readAccountPeriod } from '../../payments/reports/ledger-entries.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Cell, ExportTable } from '../../platform/export/rows.ts';
import type { AccountAnswer, LedgerAnswer, LedgerLine, SidesView } from '../finance-answers.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { onWire } from '../on-wire.ts';
import { longReaderOf, route } from '../route.ts';
import type { AnyRoute, RouteContext } from '../route.ts';
import { listAccountEntries } from './ledger-entries.ts';
import { readBookPeriod, time, untilNow } from './period.ts';
import { amountCell, fileRoutes, tableOf } from './table-file.ts';

export interface LedgerRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly reads: LongReads;
}

const filters = {
  from: Type.Optional(time),
  to: Type.Optional(time),
  /** The accounts of this vendor alone. */
  vid: Type.Optional(Type.String({ maxLength: 64 })),
};
const balanceQuery = Type.Object(filters, { additionalProperties: false });
const accountQuery = Type.Object(
  { ...filters, cursor: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);

/** The trial balance, and each of its accounts down to the transfers. */
export function ledgerRoutes(options: LedgerRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/ledger',
      permission: 'finance.read',
      query: balanceQuery,
      handle: async ({ query }, context): Promise<LedgerAnswer> => {
        const { balance, period } = await readBalance(options, query, context);
        return {
          ...periodView(period),
          vid: query.vid ?? null,
          lines: balance.lines.map((line) => ({ ...onWire(line), parts: line.parts.map(onWire) })),
          total: onWire(balance.total),
          isEven: balance.isEven,
        };
      },
    }),
    ...fileRoutes({
      ...{ path: '/ledger', permission: 'finance.read', query: balanceQuery },
      wireTime: options.wireTime,
      read: async ({ query }, context) => {
        const { balance } = await readBalance(options, query, context);
        return { name: 'trial-balance', table: balanceTable(balance) };
      },
    }),
    accountRoute(options),
  ];
}

/** One account, down to its transfers. */
function accountRoute(options: LedgerRoutesOptions): AnyRoute {
  const { pool } = options;
  return route({
    method: 'GET',
    path: '/ledger/:books/:account',
    permission: 'finance.read',
    params: Type.Object({
      books: Type.Enum(['house', 'vendors']),
      account: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,100}$' }),
    }),
    query: accountQuery,
    handle: async ({ params, query }, context): Promise<AccountAnswer> => {
      const now = options.clock.now();
      const period = readBookPeriod(query, { ...options, now });
      const vendorId = await readVendor(pool, query.vid);
      const of = { ...params, vendorId } as const;
      const line = await options.reads(longReaderOf(context), () =>
        readAccountPeriod(pool, of, period),
      );
      if (line === undefined) throw new Refusal('not_found', { text: 'There is no such account' });
      return {
        ...periodView(period),
        vid: query.vid ?? null,
        line: onWire(line),
        ...(await listAccountEntries(pool, of, {
          from: period.from,
          to: untilNow(period.to, now),
          cursor: query.cursor,
        })),
      };
    },
  });
}

function periodView({ from, to }: { readonly from: Date; readonly to: Date }) {
  return { from: from.toISOString(), to: to.toISOString() };
}

async function readBalance(
  options: LedgerRoutesOptions,
  query: Static<typeof balanceQuery>,
  context: RouteContext,
) {
  const { pool, clock, reads } = options;
  const period = readBookPeriod(query, { ...options, now: clock.now() });
  const vendorId = await readVendor(pool, query.vid);
  const balance = await reads(longReaderOf(context), () =>
    readTrialBalance(pool, period, vendorId),
  );
  return { period, balance };
}

/** Throws: `unknown_vendor`. */
async function readVendor(pool: Pool, vid: string | undefined): Promise<number | null> {
  if (vid === undefined) return null;
  const vendor = await findVendor(pool, vid);
  if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  return vendor.vendorId;
}

const SIDES = [
  'openingDebit',
  'openingCredit',
  'debits',
  'credits',
  'debit',
  'credit',
] as const satisfies readonly (keyof SidesView)[];

function balanceTable({ lines, total }: TrialBalance): ExportTable {
  const sidesOf = (sides: SidesView): Cell[] => SIDES.map((side) => amountCell(sides[side]));
  const rows = lines.map((line) => {
    const view: LedgerLine = onWire(line);
    return [view.books, view.account, view.class, ...sidesOf(view)];
  });
  const sums = ['total', '', '', ...sidesOf(onWire(total))];
  return tableOf(['books', 'account', 'class', ...SIDES], [...rows, sums]);
}
