import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActivityRow } from '../../../../src/payments/overview/read-activity.ts';
import { LATENCY_STEP } from '../../../../src/payments/overview/read-activity.ts';
import { intervalsOf, sumActivity } from '../../../../src/payments/overview/activity.ts';

const BEGIN = new Date('2026-03-01T12:00:00Z');
const row = (change: Partial<ActivityRow>): ActivityRow => ({
  begin: BEGIN,
  billerCode: 'water',
  operatorCode: 'waterworks',
  outcome: 'success',
  latencyStep: 0,
  count: 1,
  ...change,
});

test('without payments there is no rate and no time', () => {
  expect(sumActivity([])).toEqual({
    created: 0,
    paid: 0,
    failed: 0,
    open: 0,
    successRate: null,
    p50Seconds: null,
    p95Seconds: null,
  });
});

test('the success rate is about payments with a final state', () => {
  const sums = sumActivity([
    row({ count: 9 }),
    row({ outcome: 'failed', count: 1 }),
    row({ outcome: null, latencyStep: null, operatorCode: null, count: 90 }),
  ]);
  expect(sums).toMatchObject({ created: 100, paid: 9, failed: 1, open: 90, successRate: 0.9 });
});

test('percentiles are at most one step above those of the times themselves', () => {
  const times = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(times, (seconds) => {
      const rows = seconds.map((time) =>
        row({ latencyStep: Math.floor(Math.log(time) / Math.log(LATENCY_STEP)) }),
      );
      const { p50Seconds, p95Seconds } = sumActivity(rows);
      const sorted = seconds.toSorted((one, other) => one - other);
      for (const [part, found] of [
        [0.5, p50Seconds],
        [0.95, p95Seconds],
      ] as const) {
        const exact = sorted[Math.ceil(part * sorted.length - 1e-9) - 1] ?? 0;
        // Two digits are shown.
        expect(found).toBeGreaterThan(exact * 0.95);
        expect(found).toBeLessThan(exact * LATENCY_STEP * 1.05);
      }
    }),
  );
});

test('intervals without payments are there too', () => {
  const intervals = intervalsOf([row({ begin: new Date('2026-03-01T12:02:00Z'), count: 5 })], {
    from: BEGIN,
    to: new Date('2026-03-01T12:04:00Z'),
    minutes: 1,
  });
  expect(intervals.map(({ paid }) => paid)).toEqual([0, 0, 5, 0]);
  expect(intervals[0]?.begin).toEqual(BEGIN);
});
