import { describe, expect, test } from 'vitest';
import { createWireTime } from '../../../../src/platform/base/clock.ts';
import { readBookPeriod, untilNow } from '../../../../src/platform/base/period.ts';

const wireTime = createWireTime('Africa/Nairobi');

describe('a period of the books', () => {
  test.each([
    [
      'the last second of a day',
      '2026-11-22T20:59:59Z',
      '2026-10-31T21:00:00Z',
      '2026-11-22T21:00:00Z',
    ],
    ['the first one', '2026-11-22T21:00:00Z', '2026-10-31T21:00:00Z', '2026-11-23T21:00:00Z'],
    [
      'the first one of a month',
      '2026-10-31T21:00:00Z',
      '2026-10-31T21:00:00Z',
      '2026-11-01T21:00:00Z',
    ],
  ])(
    'a period in %s is from the first of the month to the end of the day in Nairobi',
    (_, now, from, to) => {
      expect(readBookPeriod({}, { wireTime, now: new Date(now) })).toEqual({
        from: new Date(from),
        to: new Date(to),
      });
    },
  );
});

test('a search backwards begins now, not at the end of a day that has just begun', () => {
  const midnight = new Date('2026-11-22T21:00:00Z');
  const endOfDay = new Date('2026-11-23T21:00:00Z');
  expect(untilNow(endOfDay, midnight)).toEqual(new Date('2026-11-22T21:01:00Z'));
  expect(untilNow(midnight, endOfDay)).toEqual(midnight);
});
