import { NO_ID } from '../../platform/base/ids.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { FIRST_SPAN_MS, searchBackwards } from '../../platform/db/search-by-time.ts';
import { readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { lineOf } from '../house/trial-balance.ts';
import type { TrialBalanceLine } from '../house/trial-balance.ts';
import { movementName } from '../ledger/account.ts';
import { listEntriesOfSpan } from './ledger-entries-store.ts';
import type { EntryCursor, EntryRow } from './ledger-entries-store.ts';
import { findSources } from './sources.ts';
import type { TransferSource } from './sources.ts';

export interface LedgerEntry extends EntryRow {
  /** Name of the movement, such as `paid`. */
  readonly movement: string;
  readonly source: TransferSource;
}

export interface EntryPage {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[];
  /** Null: there are no older ones. A page may end early when few transfers match. */
  readonly next: EntryCursor | null;
}

function cursorAt(time: Date, spanMs = FIRST_SPAN_MS): EntryCursor {
  return { createdAt: time.toISOString(), vendorId: 0, sourceId: NO_ID, leg: 0, spanMs };
}

/** The transfers of a period to or from an account of vendors' books, each with what caused it. */
export async function listLedgerEntries(
  db: Queryable,
  filter: { readonly account: string; readonly vendorId: number | null },
  page: BookPeriod & { readonly after: EntryCursor | undefined; readonly limit: number },
): Promise<EntryPage> {
  const { from, to, after = cursorAt(to), limit } = page;
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
  const entries = rows.flatMap((row, index) => {
    const source = sources[index];
    if (source === undefined) return [];
    return [{ ...row, movement: movementName(row.debitAccount, row.creditAccount), source }];
  });
  return { entries, next };
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
