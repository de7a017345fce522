import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBank, daysOf } from '../../../../src/payments/receipts/compare-bank.ts';
import type { BankMovement } from '../../../../src/payments/receipts/compare-bank.ts';

const DAY_MS = 86_400_000;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const moved = (
  day: number,
  amountCents: bigint,
  reference: string,
  kind = 'payout',
): BankMovement => ({
  ...{ at: new Date(Date.UTC(2026, 0, day, 9)), amountCents, reference, kind },
});

test('a line and a booking of one reference, amount and day are no item', () => {
  expect(compareBank([moved(5, -70n, 'ft 1', 'debit')], [moved(5, -70n, 'FT-1')], dayOf)).toEqual(
    [],
  );
});

test('what a bank books a day later is one item, on two days', () => {
  const [line, booking] = [moved(6, -70n, 'FT1', 'debit'), moved(5, -70n, 'FT1')];
  expect(compareBank([line], [booking], dayOf)).toEqual([{ line, booking }]);
  expect(daysOf([line], [booking], dayOf)).toMatchObject([
    { day: '2026-01-05', listedCents: 0n, bookedCents: -70n, differenceCents: 70n },
    { day: '2026-01-06', listedCents: -70n, bookedCents: 0n, differenceCents: 0n },
  ]);
});

test('the same amount near the same day is the same movement if it is no receipt', () => {
  const line = moved(5, -70n, 'TRF 9', 'debit');
  expect(compareBank([line], [moved(5, -70n, 'top-up 3', 'entry')], dayOf)).toEqual([]);
  const far = moved(20, -70n, 'top-up 3', 'entry');
  expect(compareBank([line], [far], dayOf)).toEqual([
    { line, booking: null },
    { line: null, booking: far },
  ]);
  const credit = moved(5, 70n, 'R1', 'credit');
  expect(compareBank([credit], [moved(5, 70n, 'R2', 'receipt')], dayOf)).toHaveLength(2);
});

test('whatever a bank and our books have, the items explain the difference to the cent', () => {
  const movement = fc.record({
    day: fc.integer({ min: 1, max: 9 }),
    cents: fc.constantFrom(-5n, -3n, 3n, 5n, 8n),
    reference: fc.constantFrom('A1', 'A2', 'A3', 'A4'),
    kind: fc.constantFrom('receipt', 'payout', 'journal'),
  });
  const some = fc.array(movement, { maxLength: 12 });
  fc.assert(
    fc.property(some, some, (listed, booked) => {
      const of = (rows: typeof listed) =>
        rows.map(({ day, cents, reference, kind }) => moved(day, cents, reference, kind));
      const [lines, bookings] = [of(listed), of(booked)];
      const items = compareBank(lines, bookings, dayOf);
      for (const day of daysOf(lines, bookings, dayOf)) {
        // Counts what each item adds up to the end of the day, without looking at pairs that agree.
        const end = Date.parse(day.day) + DAY_MS;
        const until = (one: BankMovement | null): bigint =>
          one !== null && Number(one.at) < end ? one.amountCents : 0n;
        const explained = items.reduce(
          (sum, { line, booking }) => sum + until(line) - until(booking),
          0n,
        );
        expect(explained).toBe(day.differenceCents);
      }
      for (const { line, booking } of items) {
        if (line === null || booking === null) continue;
        expect(booking.amountCents).toBe(line.amountCents);
        expect(dayOf(booking.at)).not.toBe(dayOf(line.at));
      }
    }),
  );
});
