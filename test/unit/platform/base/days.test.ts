import { describe, expect, test } from 'vitest';
import { isoDay, parseDay } from '../../../../src/platform/base/days.ts';

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
