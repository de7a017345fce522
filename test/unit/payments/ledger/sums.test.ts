import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addHours, splitSpan } from '../../../../src/payments/ledger/sums.ts';
import type { HourSum, Span } from '../../../../src/payments/ledger/sums-store.ts';

const HOUR_MS = 3_600_000;
const at = (text: string): Date => new Date(`2026-03-01T${text}Z`);

test('a period is read from whole hours, and its ends from transfers', () => {
  const span = { from: at('08:20:00'), to: at('11:40:00') };
  expect(splitSpan(span, 'hour', at('23:00:00'))).toEqual({
    summed: { from: at('09:00:00'), to: at('11:00:00') },
    rest: [
      { from: at('08:20:00'), to: at('09:00:00') },
      { from: at('11:00:00'), to: at('11:40:00') },
    ],
  });
  expect(splitSpan(span, 'hour', at('10:00:00'))).toEqual({
    summed: { from: at('09:00:00'), to: at('10:00:00') },
    rest: [
      { from: at('08:20:00'), to: at('09:00:00') },
      { from: at('10:00:00'), to: at('11:40:00') },
    ],
  });
});

test.each([
  ['nothing is summed', undefined],
  ['the sums end before the period', at('05:00:00')],
  ['the sums end in its first hour', at('09:00:00')],
])('transfers alone are read: %s', (_, until) => {
  const span = { from: at('08:20:00'), to: at('11:40:00') };
  expect(splitSpan(span, 'hour', until)).toEqual({ summed: undefined, rest: [span] });
});

test('a period without ends is read from all sums, and from what follows', () => {
  expect(splitSpan({ from: null, to: null }, 'day', new Date('2026-03-01'))).toEqual({
    summed: { from: null, to: new Date('2026-03-01') },
    rest: [{ from: new Date('2026-03-01'), to: null }],
  });
});

test('whole weeks begin on Monday', () => {
  const day = (text: string): Date => new Date(`2026-03-${text}T00:00:00Z`);
  expect(splitSpan({ from: day('04'), to: day('25') }, 'week', day('25'))).toEqual({
    summed: { from: day('09'), to: day('23') },
    rest: [
      { from: day('04'), to: day('09') },
      { from: day('23'), to: day('25') },
    ],
  });
});

const time = fc.integer({ min: 0, max: 200 * HOUR_MS });
test('the parts cover the period once, and sums only what is summed', () => {
  fc.assert(
    fc.property(time, time, time, fc.constantFrom('hour', 'day'), (one, other, until, unit) => {
      fc.pre(one !== other);
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const unitMs = unit === 'hour' ? HOUR_MS : 24 * HOUR_MS;
      const end = new Date(Math.floor(until / unitMs) * unitMs);
      const { summed, rest } = splitSpan({ from: new Date(from), to: new Date(to) }, unit, end);
      const parts: Span[] = [...rest, ...(summed === undefined ? [] : [summed])].toSorted(
        (first, second) => Number(first.from) - Number(second.from),
      );
      expect(Number(parts[0]?.from)).toBe(from);
      expect(Number(parts.at(-1)?.to)).toBe(to);
      parts.slice(1).forEach((part, index) => expect(part.from).toEqual(parts[index]?.to));
      if (summed === undefined) return;
      expect(Number(summed.to)).toBeLessThanOrEqual(Number(end));
      expect([Number(summed.from) % unitMs, Number(summed.to) % unitMs]).toEqual([0, 0]);
    }),
  );
});

test('sums of the same hour from several buckets become one', () => {
  const sum: HourSum = {
    hour: at('08:00:00'),
    isOwn: false,
    billerCode: 'dstv',
    operatorCode: 'multichoice',
    debitAccount: 'reserved',
    creditAccount: 'operator:multichoice',
    count: 2n,
    payments: 2n,
    amountCents: 300n,
  };
  const other = { ...sum, creditAccount: 'fees', payments: 0n };
  expect(addHours([sum, other, { ...sum, count: 1n, payments: 1n, amountCents: 50n }])).toEqual([
    { ...sum, count: 3n, payments: 3n, amountCents: 350n },
    other,
  ]);
});
