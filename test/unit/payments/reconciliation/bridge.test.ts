import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explainFloat } from '../../../../src/payments/reconciliation/bridge.ts';

const FACTS = {
  bookedCents: 1_000n,
  reportedCents: 1_000n,
  inFlightCents: 0n,
  settledSinceCents: 0n,
  risenCents: 0n,
};

describe('the difference between books and report', () => {
  test('the difference is in flight if the operator has taken it already', () => {
    const bridge = explainFloat({ ...FACTS, reportedCents: 700n, inFlightCents: 500n });
    expect(bridge).toMatchObject({ inFlightCents: -300n, unexplainedCents: 0n });
  });

  test('the difference is a top-up that is not booked yet if reports rose by it', () => {
    const facts = { ...FACTS, reportedCents: 1_600n, risenCents: 500n, settledSinceCents: 80n };
    expect(explainFloat(facts)).toMatchObject({
      notBookedCents: 500n,
      settledSinceCents: 80n,
      unexplainedCents: 20n,
    });
  });

  test('the difference is unexplained if nothing of it is known', () => {
    const bridge = explainFloat({ ...FACTS, reportedCents: 900n, risenCents: 500n });
    expect(bridge).toMatchObject({ notBookedCents: 0n, unexplainedCents: -100n });
  });

  test('the difference is the sum of its parts, each in its own direction and at most what is known', () => {
    const cents = fc.bigInt({ min: 0n, max: 10_000n });
    const facts = fc.record({
      bookedCents: cents,
      reportedCents: cents,
      inFlightCents: cents,
      settledSinceCents: cents,
      risenCents: cents,
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { differenceCents, ...parts } = explainFloat(given);
        expect(Object.values(parts).reduce((sum, part) => sum + part, 0n)).toBe(differenceCents);
        expect(parts.inFlightCents <= 0n && -parts.inFlightCents <= given.inFlightCents).toBe(true);
        for (const [part, most] of [
          [parts.settledSinceCents, given.settledSinceCents],
          [parts.notBookedCents, given.risenCents],
        ] as const) {
          expect(part >= 0n && part <= most).toBe(true);
        }
      }),
    );
  });
});
