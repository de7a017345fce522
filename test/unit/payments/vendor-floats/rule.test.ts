import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { topUpCents, vendorFloatState } from '../../../../src/payments/vendor-floats/rule.ts';
import type { TopUpFacts, TopUpRule } from '../../../../src/payments/vendor-floats/rule.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const FACTS: TopUpFacts = {
  floatCents: 0n,
  collectedCents: 0n,
  awaitedCents: 0n,
  now: NOW,
  lastAt: null,
  todayCents: 0n,
};
const FUND: TopUpRule = { kind: 'fund', thresholdCents: 1_000n, pauseSeconds: 60 };
const PUSH = {
  kind: 'push',
  thresholdCents: 1_000n,
  pauseSeconds: 600,
  targetCents: 5_000n,
  maximumCents: 4_000n,
  dailyCents: 6_000n,
  sourceCode: 'paybill',
  phone: '254700000001',
} as const;

describe('a rule', () => {
  test.each<[string, TopUpRule, Partial<TopUpFacts>, bigint]>([
    ['moves all that was collected', FUND, { collectedCents: 7n }, 7n],
    ['moves nothing at the threshold', FUND, { floatCents: 1_000n, collectedCents: 7n }, 0n],
    ['asks for at most the maximum', PUSH, {}, 4_000n],
    ['asks for what is missing', PUSH, { floatCents: 999n, collectedCents: 0n }, 4_000n],
    ['counts what was collected', PUSH, { floatCents: 900n, collectedCents: 100n }, 0n],
    ['counts what is on its way', PUSH, { floatCents: 400n, awaitedCents: 600n }, 0n],
    ['asks for the rest of it', PUSH, { awaitedCents: 900n, floatCents: 99n }, 4_000n],
    [
      'moves what was collected, whatever is on its way',
      FUND,
      { collectedCents: 7n, awaitedCents: 9_000n },
      7n,
    ],
    ['leaves the rest of the day', PUSH, { todayCents: 3_500n }, 2_500n],
    ['asks for whole shillings', PUSH, { todayCents: 5_850n }, 100n],
    ['asks for nothing below a shilling', PUSH, { todayCents: 5_901n }, 0n],
    ['pauses', PUSH, { lastAt: new Date(NOW.getTime() - 599_999) }, 0n],
    ['goes on after the pause', PUSH, { lastAt: new Date(NOW.getTime() - 600_000) }, 4_000n],
  ])('%s', (_, rule, facts, cents) => {
    expect(topUpCents(rule, { ...FACTS, ...facts })).toBe(cents);
  });

  test('prompts never exceed a limit, and ask for whole shillings above zero', () => {
    const cents = fc.bigInt({ min: 0n, max: 20_000n });
    fc.assert(
      fc.property(
        fc.record({
          floatCents: cents,
          collectedCents: cents,
          awaitedCents: cents,
          todayCents: cents,
        }),
        fc.record({
          thresholdCents: fc.bigInt({ min: 1n, max: 9_000n }),
          maximumCents: fc.bigInt({ min: 100n, max: 9_000n }),
        }),
        (given, change) => {
          const rule = { ...PUSH, ...change, targetCents: 9_100n, dailyCents: 9_500n };
          const asked = topUpCents(rule, { ...FACTS, ...given });
          expect(asked >= 0n && asked % 100n === 0n).toBe(true);
          expect(asked <= rule.maximumCents).toBe(true);
          if (asked === 0n) return;
          expect(given.todayCents + asked <= rule.dailyCents).toBe(true);
          const { floatCents, collectedCents, awaitedCents } = given;
          const after = floatCents + collectedCents + awaitedCents + asked;
          // Rounded up to a shilling.
          expect(after < rule.targetCents + 100n).toBe(true);
        },
      ),
    );
  });
});

describe('the state of a float', () => {
  test.each<['enough' | 'low', bigint, 'enough' | 'low']>([
    ['enough', 100n, 'enough'],
    ['enough', 99n, 'low'],
    ['low', 100n, 'low'],
    ['low', 109n, 'low'],
    ['low', 110n, 'enough'],
  ])('%s, with %s cents: %s', (before, cents, after) => {
    expect(vendorFloatState(before, cents, 100n)).toBe(after);
  });

  test('without a limit is never low', () => {
    expect(vendorFloatState('low', 0n, null)).toBe('enough');
  });
});
