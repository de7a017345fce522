import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ageOf, sumByAge } from '../../../../src/payments/reports/ages.ts';
import { openDebts } from '../../../../src/payments/reports/debts.ts';
import type { DebtMovement } from '../../../../src/payments/reports/debts.ts';

const movement = (
  correctionId: string,
  amountCents: bigint,
  repays: string | null = null,
  paymentId: string | null = null,
): DebtMovement => ({ correctionId, amountCents, repays, paymentId, at: new Date(0) });

const left = (movements: readonly DebtMovement[]): (readonly [string, bigint])[] =>
  openDebts(movements).map(({ movement: { correctionId }, leftCents }) => [
    correctionId,
    leftCents,
  ]);

describe('what is left of debts', () => {
  test('a repayment pays the debt that it names', () => {
    const debts = [movement('a', 100n), movement('b', 50n)];
    expect(left([...debts, movement('r', -50n, 'b')])).toEqual([['a', 100n]]);
    expect(left([...debts, movement('r', -20n, 'b')])).toEqual([
      ['a', 100n],
      ['b', 30n],
    ]);
  });

  test('what is more than the named debt, or names none, pays the oldest', () => {
    const debts = [movement('a', 100n), movement('b', 50n)];
    expect(left([...debts, movement('r', -70n, 'b')])).toEqual([['a', 80n]]);
    expect(left([...debts, movement('r', -120n)])).toEqual([['b', 30n]]);
    expect(left([...debts, movement('r', -150n)])).toEqual([]);
  });

  test('a repayment that names no debt pays those of its payment first', () => {
    const debts = [movement('a', 100n, null, 'x'), movement('b', 50n, null, 'y')];
    expect(left([...debts, movement('r', -50n, null, 'y')])).toEqual([['a', 100n]]);
    expect(left([...debts, movement('r', -70n, null, 'y')])).toEqual([['a', 80n]]);
    expect(left([...debts, movement('r', -70n, null, 'z')])).toEqual([
      ['a', 30n],
      ['b', 50n],
    ]);
  });

  test('their sum is the balance, whatever is repaid', () => {
    const steps = fc.array(
      fc.record({
        cents: fc.bigInt(1n, 1000n),
        repays: fc.option(fc.integer({ min: 0, max: 20 })),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(steps, (made) => {
        let balance = 0n;
        const movements = made.map(({ cents, repays }, index) => {
          // At most what is owed is repaid, as the ledger's plan ensures.
          const isRepayment = repays !== null && balance > 0n;
          const amount = isRepayment ? (cents < balance ? -cents : -balance) : cents;
          balance += amount;
          return movement(String(index), amount, isRepayment ? String(repays) : null);
        });
        const open = openDebts(movements);
        expect(open.reduce((sum, { leftCents }) => sum + leftCents, 0n)).toBe(balance);
        for (const debt of open) {
          expect(debt.leftCents).toBeLessThanOrEqual(debt.movement.amountCents);
        }
      }),
    );
  });
});

const DAY = 86_400_000;

test.each([
  [0, '0-1'],
  [DAY, '0-1'],
  [DAY + 1, '1-7'],
  [7 * DAY + 1, '7-30'],
  [30 * DAY, '7-30'],
  [30 * DAY + 1, '>30'],
])('the age after %i ms is %s', (ms, age) => {
  const now = new Date('2026-11-22T12:00:00Z');
  expect(ageOf(new Date(now.getTime() - ms), now)).toBe(age);
});

test('sums are in the order of the ages', () => {
  expect(
    sumByAge([
      { age: '>30', amountCents: 4n },
      { age: '0-1', amountCents: 1n },
      { age: '>30', amountCents: 5n },
    ]),
  ).toEqual([1n, 0n, 0n, 9n]);
});
