import { expect, test } from 'vitest';
import {
  FIRST_SPAN_MS,
  searchBackwards,
  searchForwards,
} from '../../../../src/platform/db/search-by-time.ts';
import type { SpanCursor } from '../../../../src/platform/db/search-by-time.ts';

const at = (time: Date, spanMs = FIRST_SPAN_MS): SpanCursor => ({
  createdAt: time.toISOString(),
  spanMs,
});

test('a full page reads about a second back from now, though its period ends later', async () => {
  const begins: number[] = [];
  const startedAt = Date.now();
  const { rows } = await searchBackwards({
    oldest: new Date(0),
    before: at(new Date(startedAt + 60_000)),
    limit: 2,
    nowMs: () => 0,
    readSpan: async (from) => {
      begins.push(from.getTime());
      return await Promise.resolve(['newest', 'older']);
    },
    after: (_row, spanMs) => at(new Date(startedAt), spanMs),
    at,
  });
  expect(rows).toHaveLength(2);
  expect(begins).toHaveLength(1);
  expect(begins[0]).toBeGreaterThanOrEqual(startedAt - 1_000);
});

test('a page that needs little of a span is followed by a search of less', async () => {
  const DAY_MS = 86_400_000;
  const begin = new Date('2026-01-01T00:00:00Z');
  const page = async (from: SpanCursor) =>
    await searchForwards<number, SpanCursor>({
      ...{ end: new Date('2026-02-01T00:00:00Z'), from, limit: 20, at, nowMs: () => 0 },
      // A row a minute.
      readSpan: async (to, cursor, limit) => {
        const after = Date.parse(cursor.createdAt);
        const rows = Array.from({ length: limit }, (_, row) => after + (row + 1) * 60_000);
        return await Promise.resolve(rows.filter((time) => time < to.getTime()));
      },
      after: (time, spanMs) => at(new Date(time), spanMs),
    });
  const first = await page(at(begin, DAY_MS));
  expect(first.rows).toHaveLength(20);
  expect(first.next?.spanMs).toBe(40 * 60_000);
  const second = await page(first.next ?? at(begin));
  expect(second.next).toEqual(at(new Date('2026-01-01T00:40:00Z'), 40 * 60_000));
});

test('a gap is passed over, and what follows it is searched in spans as short as at first', async () => {
  const [begin, end] = [new Date('2025-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00Z')];
  const firstRow = new Date('2025-11-01T00:05:00Z');
  const spans: number[] = [];
  const { rows } = await searchForwards<Date, SpanCursor>({
    ...{ end, from: at(begin, 60_000), limit: 1, at, nowMs: () => 0 },
    readSpan: async (to, cursor) => {
      spans.push(Number(to) - Date.parse(cursor.createdAt));
      return await Promise.resolve(firstRow < to ? [firstRow] : []);
    },
    skip: async (from) => {
      const hour = new Date('2025-11-01T00:00:00Z');
      return await Promise.resolve(hour > from ? hour : new Date(from));
    },
    after: (time, spanMs) => at(time, spanMs),
  });
  expect(rows).toEqual([firstRow]);
  expect(spans).toEqual([60_000, 60_000, 480_000]);
});

/** Searches a year in which nothing is found. @param costMs of a statement, by the length of its span. */
async function searchYear(costMs: (spanMs: number) => number) {
  const [oldest, newest] = [new Date('2025-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00Z')];
  let timeMs = 0;
  const { next } = await searchBackwards<never, SpanCursor>({
    ...{ oldest, before: at(newest), limit: 2, at },
    nowMs: () => timeMs,
    readSpan: async (from, before) => {
      timeMs += costMs(Date.parse(before.createdAt) - from.getTime());
      return await Promise.resolve([]);
    },
    after: () => at(oldest),
  });
  return { next, timeMs };
}

test('statements that are slow whatever they read do not end a search', async () => {
  const { next, timeMs } = await searchYear(() => 100);
  expect(next).toBeNull();
  expect(timeMs).toBeLessThanOrEqual(1_200);
});

test.each([
  ['much reading', (spanMs: number) => spanMs / 1_000_000],
  ['much reading, with slow statements', (spanMs: number) => 50 + spanMs / 1_000_000],
])('after %s the search stops, and can go on from there', async (_name, costMs) => {
  const { next, timeMs } = await searchYear(costMs);
  expect(next?.spanMs).toBeGreaterThan(FIRST_SPAN_MS);
  expect(timeMs).toBeGreaterThan(200);
  expect(timeMs).toBeLessThan(2_000);
});

test('very slow statements end it as well', async () => {
  const { next, timeMs } = await searchYear(() => 700);
  expect(next).not.toBeNull();
  expect(timeMs).toBe(2_100);
});
