import { readVids } from '../../parties/read-vendors.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { ID_FORM, NO_ID } from '../../platform/base/ids.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { FIRST_SPAN_MS, searchBackwards } from '../../platform/db/search-by-time.ts';
import { listHouseTransfers, readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { lineOf } from '../house/trial-balance.ts';
import type { TrialBalanceLine } from '../house/trial-balance.ts';
import { movementName } from '../ledger/account.ts';
import { listEntriesOfSpan } from './ledger-entries-store.ts';
import type { EntryCursor, EntryRow } from './ledger-entries-store.ts';
import { findSources, houseSourceOf } from './sources.ts';
import type { HouseSource, TransferSource } from './sources.ts';

/** A transfer of the books, with what caused it. */
export interface LedgerEntry {
  readonly id: string;
  /** To the microsecond in vendors' books, in ISO 8601. */
  readonly postedAt: string;
  /** When the money moved. Null: when it was posted. */
  readonly movedAt: Date | null;
  /** Null: our own. */
  readonly vid: string | null;
  /** Name of the movement, such as `paid`. */
  readonly movement: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
  readonly source: TransferSource | HouseSource;
}

interface EntryPage {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[];
  /** Null: there are no older ones. A page may end early when few transfers match. */
  readonly next: string | null;
}

/** Transfers of the house, newest first. @param of null: of any account, of all times. */
export async function listHouseEntries(
  db: Queryable,
  of: { readonly account: string | null; readonly period: BookPeriod | null },
  page: {
    readonly before: { readonly at: Date; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<LedgerEntry[]> {
  const { before, limit } = page;
  const after = before === undefined ? null : { movedAt: before.at, transferId: before.id };
  const rows = await listHouseTransfers(db, { ...of, before: after, limit });
  return rows.map((row) => ({
    id: row.transferId,
    postedAt: row.postedAt.toISOString(),
    movedAt: row.movedAt,
    vid: null,
    movement: row.source.replace('_', ' '),
    ...{ debitAccount: row.debitAccount, creditAccount: row.creditAccount },
    ...{ amountCents: row.amountCents, source: houseSourceOf(row) },
  }));
}

function cursorAt(time: Date, spanMs = FIRST_SPAN_MS): EntryCursor {
  return { createdAt: time.toISOString(), vendorId: 0, sourceId: NO_ID, leg: 0, spanMs };
}

/** The transfers of a period to or from an account of vendors' books, each with what caused it. */
export async function listLedgerEntries(
  db: Queryable,
  filter: { readonly account: string; readonly vendorId: number | null },
  page: BookPeriod & { readonly cursor?: string; readonly limit: number },
): Promise<EntryPage> {
  const { from, to, cursor, limit } = page;
  const after = cursor === undefined ? cursorAt(to) : readCursorText(cursor);
  const { rows, next } = await searchBackwards<EntryRow, EntryCursor>({
    oldest: from,
    before: after,
    limit,
    readSpan: (start, before, count) =>
      listEntriesOfSpan(db, filter, { from: start, before, limit: count }),
    after: ({ createdAtExactly: createdAt, vendorId, sourceId, leg }, spanMs) => ({
      ...{ createdAt, vendorId, sourceId, leg, spanMs },
    }),
    at: cursorAt,
  });
  const sources = await findSources(db, rows);
  const vids = await readVids(db);
  const entries = rows.flatMap((row, index) => {
    const source = sources[index];
    if (source === undefined) return [];
    const { vendorId, debitAccount, creditAccount, amountCents } = row;
    const entry = {
      id: `${vendorId} ${row.sourceId} ${row.leg}`,
      ...{ postedAt: row.createdAtExactly, movedAt: null, vid: vids.get(vendorId) ?? null },
      movement: movementName(debitAccount, creditAccount),
      ...{ debitAccount, creditAccount, amountCents, source },
    };
    return [entry];
  });
  return { entries, next: next === null ? null : cursorText(next) };
}

const CURSOR = new RegExp(String.raw`^(\S{19,30}Z) (\d{1,9}) (${ID_FORM}) (\d) (\d{4,13})$`);

export function cursorText({ createdAt, vendorId, sourceId, leg, spanMs }: EntryCursor): string {
  return [createdAt, vendorId, sourceId, leg, spanMs].join(' ');
}

/** Throws: `invalid_field`. */
export function readCursorText(text: string): EntryCursor {
  const [, createdAt = '', vendorId, sourceId = '', leg, span] = CURSOR.exec(text) ?? [];
  if (parseIsoTime(createdAt) === undefined) {
    throw new Refusal('invalid_field', { field: 'cursor', text: 'cursor is not valid' });
  }
  const numbers = { vendorId: Number(vendorId), leg: Number(leg), spanMs: Number(span) };
  return { createdAt, sourceId, ...numbers };
}

/** One line of the trial balance; undefined: there is no such account. */
export async function readAccountPeriod(
  pool: Pool,
  of: {
    readonly books: TrialBalanceLine['books'];
    readonly account: string;
    readonly vendorId: number | null;
  },
  period: BookPeriod,
): Promise<TrialBalanceLine | undefined> {
  const { books, account, vendorId } = of;
  return await snapshot(pool, async (client) => {
    const lines =
      books === 'house'
        ? await readHousePeriod(client, period)
        : await readVendorsPeriod(client, period, { vendorId, account });
    const line = lines.find((one) => one.account === account);
    return line === undefined ? undefined : lineOf(books, line);
  });
}
