import { Type } from 'typebox';
import type { Static } from 'typebox';
import { readVids } from '../../parties/store.ts';
import { findOperator } from '../../payments/billers/store.ts';
import type { BookPeriod } from '../../payments/house/store.ts';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../../payments/reports/statement.ts';
import type {
  StatementCursor,
  StatementHead,
  StatementLine,
} from '../../payments/reports/statement.ts';
import type { StatementOf } from '../../payments/reports/statement-accounts.ts';
import {
  referencesOf,
  requireFitsSheet,
  statementTable,
} from '../../payments/reports/statement-table.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { partsInTurn } from '../../platform/base/long-reads.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { BookStatementAnswer, BookStatementLine } from '../finance-answers.ts';
import type { Permission } from '../../parties/people/permissions.ts';
import { longReaderOf, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { cursorText, readCursorText } from '../../payments/reports/ledger-entries.ts';
import { invalidCursor } from '../../staff/pages.ts';
import { readBookPeriod, time } from './period.ts';
import { fileRoutes } from './table-file.ts';
import { requireVendor, vendorParams } from './vendor.ts';

export interface StatementRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  /** The longer the period, the longer it takes. */
  readonly reads: LongReads;
}

const PAGE = 200;

const period = { from: Type.Optional(time), to: Type.Optional(time) };
const fileQuery = Type.Object(period, { additionalProperties: false });
const pageQuery = Type.Object(
  { ...period, cursor: Type.Optional(Type.String({ maxLength: 300 })) },
  { additionalProperties: false },
);
const operatorParams = Type.Object({ code: Type.String({ pattern: '^[a-z0-9_]{1,40}$' }) });

/** Statements of a vendor, and of our float with an operator: on the screen and as files. */
export function statementRoutes(options: StatementRoutesOptions): AnyRoute[] {
  const { pool } = options;
  return [
    ...routesOf(options, {
      path: '/vendors/:vid/statement',
      permission: 'statement.read',
      params: vendorParams,
      read: async ({ vid = '' }) => {
        const { vendorId } = await requireVendor(pool, vid);
        return { name: vid, of: { kind: 'vendor', vendorId, withOwnTerms: false } };
      },
    }),
    ...routesOf(options, {
      path: '/operators/:code/statement',
      permission: 'finance.read',
      params: operatorParams,
      read: async ({ code = '' }) => {
        if ((await findOperator(pool, code)) === undefined) {
          throw new Refusal('not_found', { text: 'Unknown operator' });
        }
        return { name: code, of: { kind: 'operator', operatorCode: code } };
      },
    }),
  ];
}

interface Subject {
  readonly path: string;
  readonly permission: Permission;
  readonly params: typeof vendorParams | typeof operatorParams;
  readonly read: (
    params: Readonly<Record<string, string>>,
  ) => Promise<{ readonly name: string; readonly of: StatementOf }>;
}

function routesOf(options: StatementRoutesOptions, subject: Subject): AnyRoute[] {
  const { path, permission, params, read } = subject;
  return [
    route({
      method: 'GET',
      path,
      permission,
      params,
      query: pageQuery,
      handle: async (input, context): Promise<BookStatementAnswer> => {
        const { of } = await read(input.params);
        const page = askedPage(input.query, options);
        return await options.reads(longReaderOf(context), () => answerPage(options.pool, of, page));
      },
    }),
    ...fileRoutes({
      ...{ path, permission, params, query: fileQuery, wireTime: options.wireTime },
      read: async (input, context) => {
        const { name, of } = await read(input.params);
        const asked = readPeriod(input.query, options);
        const inTurn = partsInTurn(options.reads, longReaderOf(context));
        const { head, table } = await statementTable(options.pool, of, asked, inTurn);
        if (context.format === 'xlsx') requireFitsSheet(head);
        const day = options.wireTime.format(asked.from).slice(0, 10);
        return { name: `statement-${name}-${day}`, table };
      },
    }),
  ];
}

const MAX_PERIOD_MS = 366 * DAY_MS;

/** Throws: `invalid_field`, `PlainError`. */
function readPeriod(
  asked: Static<typeof fileQuery>,
  { wireTime, clock }: StatementRoutesOptions,
): BookPeriod {
  const { from, to } = readBookPeriod(asked, { wireTime, now: clock.now() });
  if (to.getTime() - from.getTime() > MAX_PERIOD_MS) {
    throw new PlainError('A statement covers at most one year.', { field: 'from' });
  }
  return { from, to };
}

type Page =
  | { readonly period: BookPeriod }
  | { readonly after: StatementCursor; readonly to: Date };

/** Throws: `invalid_field`, `PlainError`. */
function askedPage(asked: Static<typeof pageQuery>, options: StatementRoutesOptions): Page {
  const { cursor } = asked;
  return cursor === undefined ? { period: readPeriod(asked, options) } : readCursor(cursor);
}

async function answerPage(pool: Pool, of: StatementOf, page: Page): Promise<BookStatementAnswer> {
  const { head, after, to } = await beginOf(pool, of, page);
  const { lines, next } = await readStatementPage(pool, of, { after, to, limit: PAGE });
  const vids = of.kind === 'operator' ? await readVids(pool) : new Map<number, string>();
  return {
    head: head && headView(of, head),
    lines: lines.map((line) => lineView(of, line, vids)),
    next: next && writeCursor(next, to),
  };
}

async function beginOf(pool: Pool, of: StatementOf, page: Page) {
  if ('after' in page) return { head: null, ...page };
  const head = await readStatementHead(pool, of, page.period);
  return { head, after: firstCursor(head), to: head.to };
}

function headView(of: StatementOf, head: StatementHead): BookStatementAnswer['head'] {
  const isVendor = of.kind === 'vendor';
  return {
    from: head.from.toISOString(),
    to: head.to.toISOString(),
    endsEarly: head.endsEarly,
    opening: formatMoney(head.openingCents),
    closing: formatMoney(head.closingCents),
    openingFloat: isVendor ? formatMoney(head.openingFloatCents) : null,
    closingFloat: isVendor ? formatMoney(head.closingFloatCents) : null,
    movements: head.movements.map(({ movement, count, changeCents }) => ({
      ...{ movement, count, change: formatMoney(changeCents) },
    })),
    count: head.count,
  };
}

function lineView(
  of: StatementOf,
  line: StatementLine,
  vids: ReadonlyMap<number, string>,
): BookStatementLine {
  return {
    id: `${line.vendorId} ${line.sourceId} ${line.leg}`,
    at: line.at.toISOString(),
    vid: vids.get(line.vendorId ?? 0) ?? null,
    movement: line.movement,
    isPayment: line.source.kind === 'payment',
    statementId: line.source.kind === 'statement' ? line.source.statementId : null,
    ...referencesOf(line),
    debitAccount: line.debitAccount,
    creditAccount: line.creditAccount,
    amount: formatMoney(line.amountCents),
    change: formatMoney(line.changeCents),
    balance: formatMoney(line.balanceCents),
    float: of.kind === 'vendor' ? formatMoney(line.floatCents) : null,
  };
}

/** With the end of the period, and what was there: the next page goes on from it. */
function writeCursor(cursor: StatementCursor, to: Date): string {
  const { balanceCents, floatCents } = cursor;
  return [to.toISOString(), balanceCents, floatCents, cursorText(cursor)].join(' ');
}

/** Throws: `invalid_field`. */
function readCursor(cursor: string): { readonly after: StatementCursor; readonly to: Date } {
  const [, end = '', balance = '', float = '', entry = ''] =
    /^(\S{24}) (-?\d{1,18}) (-?\d{1,18}) (.*)$/.exec(cursor) ?? [];
  const to = parseIsoTime(end);
  if (to === undefined) throw invalidCursor();
  const sums = { balanceCents: BigInt(balance), floatCents: BigInt(float) };
  return { to, after: { ...readCursorText(entry), ...sums } };
}
