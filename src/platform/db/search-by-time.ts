/** Where the next page of a list begins that is searched by time. */
export interface SpanCursor {
  /** ISO 8601, to the microsecond. */
  readonly createdAt: string;
  /** The length of the first span to search, in milliseconds. */
  readonly spanMs: number;
}

/**
 * The first span that is searched; the next ones follow from how long it took. Short, because thousands of
 * rows a second may be added while the list is read.
 */
export const FIRST_SPAN_MS = 1_000;
/** A span that took less to read is followed by one of eight times its length. */
const SHORT_MS = 20;
/** A span that took longer is followed by one of half its length, others by one twice as long. */
const LONG_MS = 80;
/** A page ends after this much reading, so that a rare filter does not read everything in one request. */
const MAX_READING_MS = 200;
/** In any case it ends after this time. */
const MAX_SEARCH_MS = 2_000;

interface Search<Row, Cursor extends SpanCursor> {
  readonly limit: number;
  /** The cursor after a row. */
  readonly after: (row: Row, spanMs: number) => Cursor;
  /** The cursor before everything of a time and beyond it, in the direction of the search. */
  readonly at: (time: Date, spanMs: number) => Cursor;
  /** A monotonic clock in milliseconds. */
  readonly nowMs?: (() => number) | undefined;
}

interface Found<Row, Cursor> {
  readonly rows: Row[];
  /** Null: there is nothing further. */
  readonly next: Cursor | null;
}

/**
 * Reads rows newest first, where no index has both time and filter because it would cost every create:
 * backwards, in growing spans of time. The cursor is null when there is nothing older. If fewer rows than
 * asked for were found with a cursor, the search stopped there, because few rows match.
 */
export async function searchBackwards<Row, Cursor extends SpanCursor>(
  search: Search<Row, Cursor> & {
    /** Nothing is older. */
    readonly oldest: Date;
    readonly before: Cursor;
    /** Rows of the span that begins at `from`, newest first. */
    readonly readSpan: (from: Date, before: Cursor, limit: number) => Promise<readonly Row[]>;
  },
): Promise<Found<Row, Cursor>> {
  const { before, oldest, readSpan } = search;
  return await searchSpans(search, { direction: -1, begin: before, end: oldest, readSpan });
}

/** Reads rows oldest first, in growing spans of time, like `searchBackwards`. */
export async function searchForwards<Row, Cursor extends SpanCursor>(
  search: Search<Row, Cursor> & {
    /** Nothing from then on is read. */
    readonly end: Date;
    readonly from: Cursor;
    /** Rows of the span that ends before `to`, oldest first. */
    readonly readSpan: (to: Date, from: Cursor, limit: number) => Promise<readonly Row[]>;
    /** There is no row from a time until the one that is returned. Called after an empty span. */
    readonly skip?: ((from: Date) => Promise<Date>) | undefined;
  },
): Promise<Found<Row, Cursor>> {
  const { from, end, readSpan, skip } = search;
  return await searchSpans(search, { direction: 1, begin: from, end, readSpan, skip });
}

async function searchSpans<Row, Cursor extends SpanCursor>(
  { limit, after, at, nowMs = () => performance.now() }: Search<Row, Cursor>,
  way: {
    readonly direction: 1 | -1;
    readonly begin: Cursor;
    readonly end: Date;
    readonly readSpan: (edge: Date, cursor: Cursor, limit: number) => Promise<readonly Row[]>;
    readonly skip?: ((edge: Date) => Promise<Date>) | undefined;
  },
): Promise<Found<Row, Cursor>> {
  const { direction, end, skip = (edge) => Promise.resolve(edge) } = way;
  const isBeforeEnd = (time: Date): boolean => direction * (Number(end) - Number(time)) > 0;
  const startedMs = nowMs();
  const cost = new ReadingCost();
  const rows: Row[] = [];
  let cursor = way.begin;
  while (isBeforeEnd(new Date(cursor.createdAt))) {
    const spanStartedMs = nowMs();
    const { spanMs } = cursor;
    const whole = new Date(beginOf(cursor, direction) + direction * spanMs);
    const edge = isBeforeEnd(whole) ? whole : end;
    const missing = limit - rows.length;
    const found = await way.readSpan(edge, cursor, missing);
    rows.push(...found);
    const last = found.at(-1);
    const factor = cost.note(nowMs() - spanStartedMs);
    const nextMs = Math.max(Math.round(spanMs * factor), FIRST_SPAN_MS);
    if (last !== undefined && found.length === missing) {
      // A full page says nothing about the rest of the span, so only a slow one changes it, and one that
      // needed little of it: the next page needs about as much, and would read the rest in vain.
      const neededMs = Math.abs(
        Date.parse(after(last, 0).createdAt) - beginOf(way.begin, direction),
      );
      const enoughMs = Math.max(2 * neededMs, FIRST_SPAN_MS);
      return { rows, next: after(last, Math.min(nextMs, spanMs, enoughMs)) };
    }
    // After a gap the rows may be dense, so that a span as long as the gap would read too many.
    const resumed = found.length === 0 ? await skip(edge) : edge;
    cursor = at(resumed, resumed > edge ? way.begin.spanMs : nextMs);
    const isLong = cost.readingMs > MAX_READING_MS || nowMs() - startedMs > MAX_SEARCH_MS;
    if (isLong && isBeforeEnd(resumed)) return { rows, next: cursor };
  }
  return { rows, next: null };
}

/**
 * Rows ahead of our clock belong to the first span back. A span of their own is usually empty, which
 * says nothing about the next.
 */
function beginOf({ createdAt }: SpanCursor, direction: 1 | -1): number {
  const begin = Date.parse(createdAt);
  return direction === 1 ? begin : Math.min(begin, Date.now());
}

/**
 * The cost of the search so far. The fastest statement shows what each costs that reads nothing, which
 * is most of it on a cluster: there a search would end after seconds, and never come to longer spans.
 */
class ReadingCost {
  #fastestMs = Infinity;
  #totalMs = 0;
  #count = 0;

  get readingMs(): number {
    return this.#totalMs - this.#count * this.#fastestMs;
  }

  /** Returns how much longer the next span may be. */
  note(tookMs: number): number {
    this.#count += 1;
    this.#totalMs += tookMs;
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    // The first one has nothing to be compared with.
    if (this.#count === 1) return tookMs < SHORT_MS ? 8 : 2;
    const readingMs = tookMs - this.#fastestMs;
    if (readingMs < SHORT_MS) return 8;
    return readingMs > LONG_MS ? 0.5 : 2;
  }
}
