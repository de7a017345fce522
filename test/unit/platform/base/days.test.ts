import { describe, expect, test } from 'vitest';
import {
  dayAfter,
  isoDay,
  midnightWithOffset,
  parseDay,
} from '../../../../src/platform/base/days.ts';

describe('a day', () => {
  test.each(['2026-11-21', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])(
    '%s is read as it is written',
    (text) => {
      const day = parseDay(text);
      expect(day && isoDay(day)).toBe(text);
    },
  );

  test.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '0000-06-01',
    '2026-13-01',
    '2026-00-01',
    '2026-04-31',
  ])('%s does not exist', (text) => {
    expect(parseDay(text)).toBeUndefined();
  });

  test.each(['', '2026-1-1', '2026-11-21T00:00:00Z', ' 2026-11-21', '20261121', '2026-11-21\n'])(
    '%j is not written as a day',
    (text) => {
      expect(parseDay(text)).toBeUndefined();
    },
  );
});

test.each([
  ['2026-02-28', '2026-03-01'],
  ['2024-02-28', '2024-02-29'],
  ['2026-12-31', '2027-01-01'],
])('the day after %s is %s', (day, next) => {
  expect(dayAfter(day)).toBe(next);
});

test.each([
  ['2026-03-01T21:00:00Z', '2026-03-02T00:00:00+03:00'],
  ['2026-03-02T00:00:00Z', '2026-03-02T00:00:00+00:00'],
  ['2026-03-02T03:30:00Z', '2026-03-02T00:00:00-03:30'],
  ['2026-03-01T18:15:00Z', '2026-03-02T00:00:00+05:45'],
])('midnight at %s is %s', (instant, text) => {
  expect(midnightWithOffset('2026-03-02', new Date(instant))).toBe(text);
});
