import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hoursLeft } from '../../../../src/payments/billers/forecast.ts';
import type { SpentHour } from '../../../../src/payments/billers/forecast.ts';

const HOUR_MS = 3_600_000;
/** A Monday, half past ten. */
const NOW = new Date('2026-03-02T10:30:00Z');
const THIS_HOUR = new Date('2026-03-02T10:00:00Z');

/** Recorded hours before the current one, newest first. */
function recorded(hours: number, centsOf: (hour: Date) => bigint): SpentHour[] {
  return Array.from({ length: hours }, (_, index) => {
    const hour = new Date(THIS_HOUR.getTime() - (index + 1) * HOUR_MS);
    return { hour, spentCents: centsOf(hour) };
  });
}

const isWeekend = (hour: Date): boolean => [0, 6].includes(hour.getUTCDay());
const at = { now: NOW, floorCents: 0n };

describe('a forecast', () => {
  test('divides by what the same hours cost before', () => {
    expect(
      hoursLeft(
        1_100n,
        recorded(48, () => 100n),
        { now: NOW, floorCents: 100n },
      ),
    ).toBe(10);
  });

  test('knows that weekends are quiet', () => {
    const quiet = recorded(28 * 24, (hour) => (isWeekend(hour) ? 0n : 100n));
    const friday = new Date('2026-03-06T22:00:00Z');
    // Two hours of Friday, then nothing until Monday.
    const left = hoursLeft(201n, quiet, { now: friday, floorCents: 0n });
    expect(left).toBeCloseTo(2 + 48 + 0.01, 5);
  });

  test('the same hours of other days are used while a week is not recorded', () => {
    const day = recorded(24, (hour) => (hour.getUTCHours() === 9 ? 100n : 0n));
    // Half an hour of today, 22 hours without cost, then 9 o’clock.
    expect(hoursLeft(100n, day, at)).toBeCloseTo(23.5, 5);
  });

  test('leaves out the current hour, which is not complete', () => {
    const now = { hour: THIS_HOUR, spentCents: 1_000_000n };
    expect(hoursLeft(100n, [now], at)).toBeNull();
    const known = recorded(48, () => 100n);
    expect(hoursLeft(500n, [...known, now], at)).toBe(hoursLeft(500n, known, at));
  });

  test('the forecast is 0 at the floor, and null without consumption or beyond two weeks', () => {
    const known = recorded(48, () => 100n);
    expect(hoursLeft(100n, known, { now: NOW, floorCents: 100n })).toBe(0);
    expect(hoursLeft(100n, [], at)).toBeNull();
    expect(
      hoursLeft(
        100n,
        recorded(48, () => 0n),
        at,
      ),
    ).toBeNull();
    expect(hoursLeft(10n ** 9n, known, at)).toBeNull();
  });

  const spending = fc
    .array(fc.bigInt({ min: 0n, max: 10_000n }), { minLength: 1, maxLength: 28 * 24 })
    .map((cents) =>
      recorded(cents.length, () => 0n).map((one, index) => ({
        ...one,
        spentCents: cents[index] ?? 0n,
      })),
    );
  const hours = (balanceCents: bigint, spent: readonly SpentHour[]): number =>
    hoursLeft(balanceCents, spent, at) ?? Number.POSITIVE_INFINITY;

  test('the forecast is never shorter with a larger balance, and never longer with more spent', () => {
    fc.assert(
      fc.property(spending, fc.bigInt({ min: 0n, max: 10n ** 7n }), (spent, balance) => {
        expect(hours(balance + 1_000n, spent)).toBeGreaterThanOrEqual(hours(balance, spent));
        const more = spent.map((one) => ({ ...one, spentCents: one.spentCents + 1n }));
        expect(hours(balance, more)).toBeLessThanOrEqual(hours(balance, spent) + 1e-9);
      }),
    );
  });

  test('the forecast is exact for a steady consumption', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 28 * 24 }),
        fc.integer({ min: 1, max: 330 }),
        (count, expected) => {
          const spent = recorded(count, () => 60n);
          expect(hours(60n * BigInt(expected), spent)).toBeCloseTo(expected, 6);
        },
      ),
    );
  });
});
