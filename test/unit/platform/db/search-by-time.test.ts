import { expect, test } from 'vitest';
import { FIRST_SPAN_MS, searchBackwards } from '../../../../src/platform/db/search-by-time.ts';
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
