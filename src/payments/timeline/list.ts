import { NO_ID } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { FIRST_SPAN_MS, searchBackwards } from '../../platform/db/search-by-time.ts';
import { countOpen, listOpen, listSpan, readBeginning, stageOf } from './list-store.ts';
import type { ListCursor, ListedRow, ListFilter } from './list-store.ts';

export interface ListPage {
  /** Newest first. */
  readonly payments: readonly ListedRow[];
  /**
   * Where to continue; null: there are no older ones in the period. If fewer payments than asked for
   * are on the page, the search stopped here, because few payments match.
   */
  readonly next: ListCursor | null;
}

export interface ListPeriod {
  /** Created at or after this time. */
  readonly from: Date;
  /** Created before this time, or after a page, before its cursor. */
  readonly before: ListCursor;
}

/** So many open payments of a state are all read. Where there are more, some are found soon by time. */
const FEW_OPEN = 1_000;

/** The cursor of a first page: everything created before a time. */
export function beforeTime(time: Date, spanMs = FIRST_SPAN_MS): ListCursor {
  return { createdAt: time.toISOString(), paymentId: NO_ID, spanMs };
}

/** Payments of all vendors, or of one, newest first. */
export async function listPayments(
  db: Queryable,
  filter: ListFilter,
  page: ListPeriod & { readonly limit: number; readonly nowMs?: () => number },
): Promise<ListPage> {
  const { from, before, limit, nowMs } = page;
  const few = await listFewOpen(db, filter, page);
  if (few !== undefined) return few;
  const { rows, next } = await searchBackwards<ListedRow, ListCursor>({
    oldest: new Date(Math.max(from.getTime(), (await readBeginning(db)).getTime())),
    before,
    limit,
    nowMs,
    readSpan: (start, cursor, count) =>
      listSpan(db, filter, { from: start, before: cursor, limit: count }),
    after: cursorAfter,
    at: beforeTime,
  });
  return { payments: rows, next };
}

/** Undefined if the filter asks for something else than open payments, or if there are many. */
async function listFewOpen(
  db: Queryable,
  filter: ListFilter,
  page: ListPeriod & { readonly limit: number },
): Promise<ListPage | undefined> {
  const stage = stageOf(filter.status);
  if (stage === null) return undefined;
  const counted = await countOpen(db, stage, { vendorId: filter.vendorId, limit: FEW_OPEN + 1 });
  if (counted > FEW_OPEN) return undefined;
  // More may have been added since they were counted.
  const rows = await listOpen(db, { ...filter, stage }, { ...page, among: 2 * FEW_OPEN });
  const last = rows.length < page.limit ? undefined : rows.at(-1);
  return { payments: rows, next: last === undefined ? null : cursorAfter(last, FIRST_SPAN_MS) };
}

function cursorAfter({ createdAtExactly, paymentId }: ListedRow, spanMs: number): ListCursor {
  return { createdAt: createdAtExactly, paymentId, spanMs };
}
