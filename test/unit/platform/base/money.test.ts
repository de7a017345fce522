import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { formatMoney, moneyNumber, parseMoney } from '../../../../src/platform/base/money.ts';

describe('reading an amount', () => {
  test.each([
    ['0', 0n],
    ['1', 100n],
    ['100.5', 10_050n],
    ['100.50', 10_050n],
    ['100.05', 10_005n],
    ['007.10', 710n],
    ['999999999999.99', 99_999_999_999_999n],
  ])('reads %s', (text, cents) => {
    expect(parseMoney(text)).toBe(cents);
  });

  test.each([
    '',
    ' ',
    '-1',
    '+1',
    '1e2',
    '100.005',
    '100.',
    '.5',
    '100,00',
    '1 000',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '9007199254740993',
    '1234567890123',
    '١٢٣',
    '１',
    '1\n',
    '1.00 ',
  ])('refuses %j', (text) => {
    expect(() => parseMoney(text, 'sum')).toThrow(Refusal);
    try {
      parseMoney(text, 'sum');
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_field', field: 'sum' });
    }
  });
});

describe('writing an amount', () => {
  test.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [-5n, '-0.05'],
    [10_050n, '100.50'],
    [-10_050n, '-100.50'],
    [123_456_789_012_345_678n, '1234567890123456.78'],
  ])('writes %s cents', (cents, text) => {
    expect(formatMoney(cents)).toBe(text);
  });

  test('reading an amount reverses writing it, for every amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99_999_999_999_999n }), (cents) => {
        expect(parseMoney(formatMoney(cents))).toBe(cents);
      }),
    );
  });

  test('as a number is exact: JSON shows the same two decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99_999_999_999_999n }), (cents) => {
        const shown = JSON.stringify(moneyNumber(cents));
        expect(parseMoney(shown)).toBe(cents);
      }),
    );
  });
});
