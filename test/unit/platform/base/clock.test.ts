import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createWireTime,
  parseSenderTime,
  periodOfDay,
  periodOfMonth,
  startOfDay,
} from '../../../../src/platform/base/clock.ts';

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
const nairobi = createWireTime('Africa/Nairobi');

/** Whole seconds of this century. */
const instant = fc
  .integer({ min: 946_684_800, max: 4_102_444_799 })
  .map((seconds) => new Date(seconds * 1000));

describe('time on the wire', () => {
  test('writes and reads the local time of the zone', () => {
    expect(nairobi.format(new Date('2026-01-31T21:00:00.999Z'))).toBe('2026-02-01 00:00:00');
    expect(nairobi.parse('2026-02-01 00:00:00')).toEqual(new Date('2026-01-31T21:00:00Z'));
  });

  test('formats again when the second changes, also backwards', () => {
    const times = ['10:00:00.999', '10:00:01.000', '10:00:00.000'];
    expect(times.map((time) => nairobi.format(new Date(`2026-01-01T${time}Z`)))).toEqual([
      '2026-01-01 13:00:00',
      '2026-01-01 13:00:01',
      '2026-01-01 13:00:00',
    ]);
  });

  test.each(['Africa/Nairobi', 'UTC', 'Asia/Kathmandu'])(
    'a time in %s is read as it was written',
    (zone) => {
      const wireTime = createWireTime(zone);
      fc.assert(
        fc.property(instant, (time) => {
          expect(wireTime.parse(wireTime.format(time))).toEqual(time);
        }),
      );
    },
  );

  test('a time in a zone with summer time is one of the instants it may mean', () => {
    const newYork = createWireTime('America/New_York');
    fc.assert(
      fc.property(instant, (time) => {
        const text = newYork.format(time);
        expect(newYork.format(newYork.parse(text) ?? new Date(0))).toBe(text);
      }),
    );
    // The first hour of summer time, and the hour that it leaves out.
    expect(newYork.parse('2026-03-08 03:30:00')).toEqual(new Date('2026-03-08T07:30:00Z'));
    expect(newYork.parse('2026-03-08 02:30:00')).toBeUndefined();
  });

  test.each([
    '2026-02-30 10:00:00',
    '2025-02-29 10:00:00',
    '2026-13-01 10:00:00',
    '2026-00-01 10:00:00',
    '2026-01-01 24:00:00',
    '2026-01-01 10:60:00',
    '2026-01-01 10:00:60',
    '2026-01-01T10:00:00',
    '2026-01-01 10:00',
    '2026-1-1 10:00:00',
    ' 2026-01-01 10:00:00',
    '2026-01-01 10:00:00Z',
    // The ends of the calendar, where a time zone leads out of the four digits of a year.
    '0000-01-01 00:00:00',
    '0001-01-01 00:00:00',
    '9999-12-31 23:59:59',
    '',
  ])('refuses %j', (text) => {
    expect(nairobi.parse(text)).toBeUndefined();
  });

  test('never fails for a text in its format', () => {
    const digits = (length: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...DIGITS), minLength: length, maxLength: length });
    const parts = fc.tuple(digits(4), ...Array.from({ length: 5 }, () => digits(2)));
    fc.assert(
      fc.property(parts, ([year, month, day, hour, minute, second]) => {
        const text = `${year}-${month}-${day} ${hour}:${minute}:${second}`;
        const time = nairobi.parse(text);
        if (time !== undefined) expect(nairobi.format(time)).toBe(text);
      }),
    );
  });
});

describe('the time that a sender writes', () => {
  const time = new Date('2026-01-05T09:00:00Z');
  test.each([
    '1767603600',
    '1767603600000',
    '2026-01-05 12:00:00',
    '2026-01-05T09:00:00Z',
    '2026-01-05T09:00Z',
    '2026-01-05T09:00:00.000000000Z',
    '2026-01-05T12:00:00+03:00',
    '2026-01-05T12:00:00+0300',
    '2026-01-04T23:00:00-10:00',
    '2026-01-05T12:00:00',
    '2026-01-05T12:00',
    '2026-01-05T12:00:00.000000',
    '20260105T090000Z',
    '20260105T0900Z',
    '20260105T120000+0300',
    '20260105T120000',
  ])('may be %s', (text) => {
    expect(parseSenderTime(text, nairobi)).toEqual(time);
  });

  test.each([
    '17676036',
    '17676036000',
    '17676036000000',
    '-1767603600',
    '1.7e9',
    '2026-01-05',
    '2026-02-30T09:00:00Z',
    '0000-06-01T09:00:00Z',
    '2025-02-29T09:00:00+03:00',
    '2026-13-01T09:00:00Z',
    '2026-01-05T25:00:00Z',
    '2026-01-05T09:00:00+25:00',
    // The ends of the calendar, where an offset leads out of the four digits of a year.
    '9999-12-31T23:59:59-03:00',
    '0001-01-01T00:00:00+03:00',
    '2026-01-05T09:00:00 EAT',
    '2026-01-05T25:00:00',
    '2026-02-30T09:00:00',
    '20260230T090000',
    '2026-01-05T0900',
    '2026-01-05T09:00.5',
    '20260105',
    'yesterday',
  ])('refuses the time %s', (text) => {
    expect(parseSenderTime(text, nairobi)).toBeUndefined();
  });
});

describe('a day', () => {
  const HOUR_MS = 3_600_000;
  const hoursOf = (day: string, zone: string): number => {
    const { from, to } = periodOfDay(day, createWireTime(zone)) ?? {};
    return (Number(to) - Number(from)) / HOUR_MS;
  };

  test.each([
    // Summer time begins at midnight, so that there is no 00:00.
    ['Africa/Cairo', '2026-04-24', 23],
    ['Africa/Cairo', '2026-04-23', 24],
    ['Africa/Cairo', '2026-10-29', 25],
    ['America/Santiago', '2026-09-06', 23],
    // Summer time ends at one, so that 00:00 is there twice.
    ['America/Havana', '2026-11-01', 25],
    ['America/Havana', '2026-10-31', 24],
    ['Atlantic/Azores', '2026-10-25', 25],
    ['Atlantic/Azores', '2026-10-24', 24],
    ['Africa/Nairobi', '2026-04-24', 24],
  ])('in %s, %s has all of its hours: %d', (zone, day, hours) => {
    expect(hoursOf(day, zone)).toBe(hours);
  });

  test.each([
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T09:00:00Z'],
    ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01T20:00:00Z'],
  ])('the day in %s starts at %s', (zone, start, within) => {
    expect(startOfDay(new Date(within), createWireTime(zone))).toEqual(new Date(start));
  });

  test('a day that a zone left out does not exist', () => {
    expect(periodOfDay('2011-12-30', createWireTime('Pacific/Apia'))).toBeUndefined();
  });

  test('may begin a month without a midnight', () => {
    const { from } = periodOfMonth('2020-03', createWireTime('America/Asuncion')) ?? {};
    expect(from).toEqual(new Date('2020-03-01T03:00:00Z'));
    // Amman began summer time at midnight on 1 April 2016.
    expect(periodOfMonth('2016-04', createWireTime('Asia/Amman'))?.from).toEqual(
      new Date('2016-03-31T22:00:00Z'),
    );
  });
});
