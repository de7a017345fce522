import type { Queryable } from '../../platform/db/pool.ts';
import { listSpan, readBeginning } from './list-store.ts';
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

/** The first span that is searched; the next ones follow from how long it took. */
const FIRST_SPAN_MS = 60_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The cursor of a first page: everything created before a time. */
export function beforeTime(time: Date): ListCursor {
  return { createdAt: time.toISOString(), paymentId: FIRST_ID, spanMs: FIRST_SPAN_MS };
}

/** A span that took less is followed by one of eight times its length. */
const SHORT_MS = 20;
/** A span that took longer is followed by one of half its length, others by one twice as long. */
const LONG_MS = 80;
/** After this time a page ends, so that a rare filter does not read everything in one request. */
const MAX_SEARCH_MS = 200;

/**
 * Payments of all vendors, or of one, newest first. There is no index by time and filter, which
 * would cost every create; the list searches backwards, in growing spans of time.
 * @param nowMs a monotonic clock in milliseconds.
 */
export async function listPayments(
  db: Queryable,
  filter: ListFilter,
  page: ListPeriod & { readonly limit: number; readonly nowMs?: () => number },
): Promise<ListPage> {
  const { from, limit, nowMs = () => performance.now() } = page;
  const startedMs = nowMs();
  const payments: ListedRow[] = [];
  let { before } = page;
  const oldest = new Date(Math.max(from.getTime(), (await readBeginning(db)).getTime()));
  while (new Date(before.createdAt) > oldest) {
    const spanStartedMs = nowMs();
    const { spanMs } = before;
    const start = new Date(
      Math.max(oldest.getTime(), new Date(before.createdAt).getTime() - spanMs),
    );
    const missing = limit - payments.length;
    const found = await listSpan(db, filter, { from: start, before, limit: missing });
    payments.push(...found);
    const last = found.at(-1);
    if (last !== undefined && found.length === missing) {
      return {
        payments,
        next: { createdAt: last.createdAtExactly, paymentId: last.paymentId, spanMs },
      };
    }
    const next = Math.round(spanMs * factorAfter(nowMs() - spanStartedMs));
    before = { ...beforeTime(start), spanMs: Math.max(next, FIRST_SPAN_MS) };
    if (nowMs() - startedMs > MAX_SEARCH_MS && start > oldest) return { payments, next: before };
  }
  return { payments, next: null };
}

function factorAfter(tookMs: number): number {
  if (tookMs < SHORT_MS) return 8;
  return tookMs > LONG_MS ? 0.5 : 2;
}
