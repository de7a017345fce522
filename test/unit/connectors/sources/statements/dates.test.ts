import { expect, test } from 'vitest';
import { readDay } from '../../../../../src/connectors/sources/statements/dates.ts';

test.each([
  ['2026-01-05', 'YYYY-MM-DD', '2026-01-05', ''],
  ['05/01/2026 10:15', 'DD/MM/YYYY', '2026-01-05', ' 10:15'],
  ['1/5/2026', 'MM/DD/YYYY', '2026-01-05', ''],
  ['05.01.2026', 'DD.MM.YYYY', '2026-01-05', ''],
  ['05-JAN-2026', 'DD-MMM-YYYY', '2026-01-05', ''],
])('reads %s in the format %s', (text, format, day, rest) => {
  expect(readDay(text, format)).toEqual({ day, rest });
});

test.each([
  ['05/01/2026', 'YYYY-MM-DD'],
  ['05x01x2026', 'DD.MM.YYYY'],
  ['05-XYZ-2026', 'DD-MMM-YYYY'],
  ['05/01/20261', 'DD/MM/YYYY'],
  ['', 'DD/MM/YYYY'],
])('%s is not in the format %s', (text, format) => {
  expect(readDay(text, format)).toBeUndefined();
});
