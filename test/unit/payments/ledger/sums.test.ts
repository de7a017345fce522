import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addHours, splitSpan } from '../../../../src/payments/ledger/sums.ts';
import type { HourSum, SumUnit } from '../../../../src/payments/ledger/sums-store.ts';

const HOUR_MS = 3_600_000;
const at = (text: string): Date => new Date(`2026-03-01T${text}Z`);

test('a period is read from whole hours, and its ends from transfers', () => {
  const span = { from: at('08:20:00'), to: at('11:40:00') };
  expect(splitSpan(span, ['hour'], at('23:00:00'))).toEqual([
    { source: 'transfers', from: at('08:20:00'), to: at('09:00:00') },
    { source: 'hour', from: at('09:00:00'), to: at('11:00:00') },
    { source: 'transfers', from: at('11:00:00'), to: at('11:40:00') },
  ]);
  expect(splitSpan(span, ['hour'], at('10:00:00'))).toEqual([
    { source: 'transfers', from: at('08:20:00'), to: at('09:00:00') },
    { source: 'hour', from: at('09:00:00'), to: at('10:00:00') },
    { source: 'transfers', from: at('10:00:00'), to: at('11:40:00') },
  ]);
});

test.each([
  ['nothing is summed', undefined],
  ['the sums end before the period', at('05:00:00')],
  ['the sums end in its first hour', at('09:00:00')],
])('transfers alone are read: %s', (_, until) => {
  const span = { from: at('08:20:00'), to: at('11:40:00') };
  expect(splitSpan(span, ['week', 'day', 'hour'], until)).toEqual([
    { source: 'transfers', ...span },
  ]);
});

test('a period without ends is read from all sums, and from what follows', () => {
  const until = new Date('2026-03-01T05:00:00Z');
  expect(splitSpan({ from: null, to: null }, ['day', 'hour'], until)).toEqual([
    { source: 'day', from: null, to: new Date('2026-03-01') },
    { source: 'hour', from: new Date('2026-03-01'), to: until },
    { source: 'transfers', from: until, to: null },
  ]);
});

test('whole weeks begin on Monday, with days and hours at both ends', () => {
  const time = (text: string): Date => new Date(`2026-03-${text}:00:00Z`);
  const until = time('25T04');
  expect(
    splitSpan({ from: time('03T21'), to: time('26T21') }, ['week', 'day', 'hour'], until),
  ).toEqual([
    { source: 'hour', from: time('03T21'), to: time('04T00') },
    { source: 'day', from: time('04T00'), to: time('09T00') },
    { source: 'week', from: time('09T00'), to: time('23T00') },
    { source: 'day', from: time('23T00'), to: time('25T00') },
    { source: 'hour', from: time('25T00'), to: until },
    { source: 'transfers', from: until, to: time('26T21') },
  ]);
});

const UNIT_MS = { week: 168 * HOUR_MS, day: 24 * HOUR_MS, hour: HOUR_MS, transfers: 1 };
/** A Monday. */
const MONDAY_MS = Date.UTC(2026, 2, 2);
const time = fc.integer({ min: 0, max: 800 * HOUR_MS });
const units = fc.constantFrom<readonly SumUnit[]>(
  ['hour'],
  ['day', 'hour'],
  ['week', 'day', 'hour'],
);
test('the parts cover the period once, in whole units that are summed', () => {
  fc.assert(
    fc.property(time, time, time, units, (one, other, until, of) => {
      fc.pre(one !== other);
      const [from, to] = [Math.min(one, other) + MONDAY_MS, Math.max(one, other) + MONDAY_MS];
      const summedUntil = MONDAY_MS + Math.floor(until / HOUR_MS) * HOUR_MS;
      const span = { from: new Date(from), to: new Date(to) };
      const parts = splitSpan(span, of, new Date(summedUntil));
      expect(Number(parts[0]?.from)).toBe(from);
      expect(Number(parts.at(-1)?.to)).toBe(to);
      parts.slice(1).forEach((part, index) => expect(part.from).toEqual(parts[index]?.to));
      for (const { source, ...part } of parts) {
        const [begin, end] = [Number(part.from) - MONDAY_MS, Number(part.to) - MONDAY_MS];
        expect(end).toBeGreaterThan(begin);
        expect([begin % UNIT_MS[source], end % UNIT_MS[source]]).toEqual([0, 0]);
        if (source !== 'transfers') expect(Number(part.to)).toBeLessThanOrEqual(summedUntil);
      }
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
