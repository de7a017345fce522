/** Where the next page of a list begins that is searched backwards in time. */
export interface SpanCursor {
  /** ISO 8601, to the microsecond. */
  readonly createdAt: string;
  /** The length of the first span to search, in milliseconds. */
  readonly spanMs: number;
}

/** The first span that is searched; the next ones follow from how long it took. */
export const FIRST_SPAN_MS = 60_000;
/** A span that took less is followed by one of eight times its length. */
const SHORT_MS = 20;
/** A span that took longer is followed by one of half its length, others by one twice as long. */
const LONG_MS = 80;
/** After this time a page ends, so that a rare filter does not read everything in one request. */
const MAX_SEARCH_MS = 200;

interface Search<Row, Cursor extends SpanCursor> {
  /** Nothing is older. */
  readonly oldest: Date;
  readonly before: Cursor;
  readonly limit: number;
  /** Rows of the span that begins at `from`, newest first. */
  readonly readSpan: (from: Date, before: Cursor, limit: number) => Promise<readonly Row[]>;
  /** The cursor after a row. */
  readonly after: (row: Row, spanMs: number) => Cursor;
  /** The cursor before everything that was created at a time or later. */
  readonly at: (time: Date, spanMs: number) => Cursor;
  /** A monotonic clock in milliseconds. */
  readonly nowMs?: (() => number) | undefined;
}

/**
 * Reads rows newest first, where no index has both time and filter because it would cost every create:
 * backwards, in growing spans of time. The cursor is null when there is nothing older. If fewer rows than
 * asked for were found with a cursor, the search stopped there, because few rows match.
 */
export async function searchBackwards<Row, Cursor extends SpanCursor>(
  search: Search<Row, Cursor>,
): Promise<{ readonly rows: Row[]; readonly next: Cursor | null }> {
  const { oldest, limit, nowMs = () => performance.now() } = search;
  const startedMs = nowMs();
  const rows: Row[] = [];
  let { before } = search;
  while (new Date(before.createdAt) > oldest) {
    const spanStartedMs = nowMs();
    const { spanMs } = before;
    const start = new Date(
      Math.max(oldest.getTime(), new Date(before.createdAt).getTime() - spanMs),
    );
    const missing = limit - rows.length;
    const found = await search.readSpan(start, before, missing);
    rows.push(...found);
    const last = found.at(-1);
    if (last !== undefined && found.length === missing) {
      return { rows, next: search.after(last, spanMs) };
    }
    const next = Math.round(spanMs * factorAfter(nowMs() - spanStartedMs));
    before = search.at(start, Math.max(next, FIRST_SPAN_MS));
    if (nowMs() - startedMs > MAX_SEARCH_MS && start > oldest) return { rows, next: before };
  }
  return { rows, next: null };
}

function factorAfter(tookMs: number): number {
  if (tookMs < SHORT_MS) return 8;
  return tookMs > LONG_MS ? 0.5 : 2;
}
