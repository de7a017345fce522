import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextWindow } from '../../../../src/payments/reconciliation/pull-window.ts';

const HOUR_MS = 3_600_000;
const PLAN = {
  pulledUntil: new Date('2026-03-01T21:00:00Z'),
  everyMs: 24 * HOUR_MS,
  delayMs: HOUR_MS,
};

test('a statement is pulled when it is over, and late movements had time to be listed', () => {
  expect(nextWindow(PLAN, new Date('2026-03-02T21:59:59Z'))).toBeUndefined();
  expect(nextWindow(PLAN, new Date('2026-03-02T22:00:00Z'))).toEqual({
    from: PLAN.pulledUntil,
    to: new Date('2026-03-02T21:00:00Z'),
  });
});

test('statements follow each other without a gap until now after any time without pulls', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 * HOUR_MS }), (elapsedMs) => {
      const now = new Date(PLAN.pulledUntil.getTime() + elapsedMs);
      let { pulledUntil } = PLAN;
      for (;;) {
        const window = nextWindow({ ...PLAN, pulledUntil }, now);
        if (window === undefined) break;
        expect(window.from).toEqual(pulledUntil);
        pulledUntil = window.to;
      }
      const behindMs = now.getTime() - pulledUntil.getTime();
      expect(behindMs).toBeGreaterThanOrEqual(Math.min(PLAN.delayMs, elapsedMs));
      expect(behindMs).toBeLessThan(PLAN.everyMs + PLAN.delayMs);
    }),
  );
});
