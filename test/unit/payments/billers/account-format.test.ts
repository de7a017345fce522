import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kenyanMobileNumber, phoneNumber } from '../../../../src/platform/base/mobile-number.ts';
import { normaliseAccount, requireAccount } from '../../../../src/payments/billers/account.ts';
import {
  ANY_ACCOUNT,
  MSISDN,
  describeFormat,
  hasFormat,
  whyNotAFormat,
} from '../../../../src/payments/billers/account-format.ts';

const DIGITS = '0123456789'.split('');

describe('a Kenyan mobile number', () => {
  test.each([
    '254722000000',
    '+254722000000',
    '0722000000',
    '722000000',
    ' 0722 000 000 ',
    '0722-000-000',
    '0722.000.000',
    '(0722) 000 000',
    '(+254) 722-000000',
    '+254 (722 000 00) 0',
  ])('may be written %j', (text) => {
    expect(kenyanMobileNumber(text)).toBe('254722000000');
  });

  test.each([
    '',
    '+',
    '72200000',
    '07220000000',
    '2547220000000',
    '00254722000000',
    '++254722000000',
    '+0722000000',
    '256722000000',
    '2540722000000',
    '0000000000',
    '254412345678',
    '0202009901',
    '0622000000',
    '222000000',
    '0722_000000',
    '0722/000000',
    '٠٧٢٢٠٠٠٠٠٠',
    'notaphone',
  ])('%j does not count as a Kenyan mobile number', (text) => {
    expect(kenyanMobileNumber(text)).toBeUndefined();
  });

  test('every notation is one number, and normalising it again changes nothing', () => {
    const eight = fc.string({
      unit: fc.constantFrom(...DIGITS),
      minLength: 8,
      maxLength: 8,
    });
    const digits = fc.tuple(fc.constantFrom('7', '1'), eight).map((parts) => parts.join(''));
    const separators = fc.array(fc.constantFrom('', '', ' ', '-', '.', '(', ')'), {
      minLength: 13,
      maxLength: 13,
    });
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom('', '0', '254', '+254'),
        separators,
        (nine, lead, gaps) => {
          const text = (lead + nine)
            .split('')
            .map((sign, index) => sign + (gaps[index] ?? ''))
            .join('');
          expect(kenyanMobileNumber(text)).toBe(`254${nine}`);
          expect(kenyanMobileNumber(`254${nine}`)).toBe(`254${nine}`);
          expect(phoneNumber(text)).toBe(`254${nine}`);
        },
      ),
    );
  });
});

describe('a phone number', () => {
  test.each([
    ['+256 772 123 456', '256772123456'],
    ['0722 000 000', '254722000000'],
    ['123456789012345', '123456789012345'],
  ])('%j is %s', (text, number) => {
    expect(phoneNumber(text)).toBe(number);
  });

  test.each(['0202009901', '254412345678', '+254202009901', '412345678', '00256772123456'])(
    'refuses %j, which claims to be Kenyan',
    (text) => {
      expect(phoneNumber(text)).toBeUndefined();
    },
  );

  test.each(['12345678', '1234567890123456', 'home', '1+234567890', '--------------'])(
    'refuses the phone number %j',
    (text) => {
      expect(phoneNumber(text)).toBeUndefined();
    },
  );
});

const METERS = { billerCode: 'kplc', accountFormat: '^[0-9]{5,14}$', accountLabel: 'Meter number' };
const AIRTIME = { billerCode: 'safaricom', accountFormat: MSISDN, accountLabel: 'Phone number' };

describe('an account', () => {
  test('an account is trimmed, and must be one of the biller’s', () => {
    expect(requireAccount(' 14200000001\t', METERS)).toBe('14200000001');
    expect(requireAccount('0722 000000', AIRTIME)).toBe('254722000000');
    // Only mobile numbers lose the characters between their digits.
    expect(requireAccount('A 1', { ...METERS, ...ANY_ACCOUNT })).toBe('A 1');
  });

  test.each([
    ['1234', METERS],
    ['123456789012345', METERS],
    ['14200000001.', METERS],
    ['1420 0000001', METERS],
    ['14200000001\n2', METERS],
    ['notaphone', AIRTIME],
    ['256722000000', AIRTIME],
    ['14234567890', AIRTIME],
    ['0000000000', AIRTIME],
    ['254412345678', AIRTIME],
    ['0202009901', AIRTIME],
    ['12345.', { ...METERS, ...ANY_ACCOUNT }],
    ['.', { ...METERS, ...ANY_ACCOUNT }],
  ])('%j is refused', (text, biller) => {
    expect(() => requireAccount(text, biller)).toThrow(
      expect.objectContaining({ code: 'invalid_field', field: 'account' }) as Error,
    );
  });

  test.each([
    ['^[0-9]{5,14}$', 'a number of 5 to 14 digits'],
    ['^[0-9]{11}$', 'a number of 11 digits'],
    [MSISDN, 'a Kenyan mobile number such as 254712345678 or 0712345678'],
    [
      ANY_ACCOUNT.accountFormat,
      'up to 64 letters and digits, with spaces or . / _ - only between them',
    ],
    ['^[A-Z][0-9]{5}$', 'of the form ^[A-Z][0-9]{5}$'],
  ])('describes the format %s in words where that is possible', (format, words) => {
    expect(describeFormat(format)).toBe(words);
  });

  test('normalised twice is the same', () => {
    const written = fc.string({
      unit: fc.constantFrom(...'0254 +-.()7a'.split('')),
      maxLength: 20,
    });
    fc.assert(
      fc.property(written, fc.constantFrom(METERS, AIRTIME), (text, biller) => {
        const once = normaliseAccount(text, biller);
        expect(normaliseAccount(once, biller)).toBe(once);
      }),
    );
  });
});

describe('a format', () => {
  test.each([
    MSISDN,
    ANY_ACCOUNT.accountFormat,
    '^[0-9]{5,14}$',
    String.raw`^\d{11}$`,
    '^[03][17][0-9]{9}$',
    '^(01[0-9]{9}|37[0-9]{9})$',
    '^[A-Z]{2}-?[0-9]{4,8}[A-Z]?$',
    String.raw`^KP/[0-9]{1,6}\.[0-9]{2}$`,
    '^[A-Za-z ._/-]{3}$',
  ])('may be %s', (format) => {
    expect(whyNotAFormat(format)).toBeUndefined();
  });

  test.each([
    '',
    'MSISDN',
    '[0-9]{5,14}',
    '^[0-9]{5,14}',
    '^[0-9]{5,14}$|x',
    '^$',
    '^[0-9]+$',
    '^[0-9]*$',
    '^[0-9]{5,}$',
    '^[0-9]{5,140}$',
    '^.{5}$',
    '^(a+)+$',
    '^(a?){50}$',
    '^([0-9]{2}|[0-9]{3}){20}$',
    '^((a|b)|c)$',
    String.raw`^([0-9])\1$`,
    '^(?=a)a$',
    '^(?<a>a)$',
    '^[^0-9]$',
    '^a{2}{3}$',
    '^a{3}?$',
    String.raw`^\w{5}$`,
    String.raw`^[\d]{5}$`,
    '^[0-9]{5,14}$\n',
    '^[9-0]{5}$',
    '^[0-9]{14,5}$',
    '^a?b?c?d?$',
    '^a{1,2}b{1,2}c{1,2}d{1,2}$',
    '^(a?b?|c?d?)$',
    `^${'a'.repeat(200)}$`,
    '^é$',
    '^[]$',
    '^]$',
  ])('is not %j', (format) => {
    expect(whyNotAFormat(format)).toBeDefined();
  });

  test('an accepted format never takes long: its variable counts are bounded', () => {
    // With unbounded backtracking these would never end.
    const format = '^([0-9]{0,99}[0-9]{0,99}[0-9]{0,99}x|[0-9]{99}x|[0-9]{64}x)$';
    expect(whyNotAFormat(format)).toBeUndefined();
    expect(hasFormat('1'.repeat(64), format)).toBe(false);
  });

  test('checking any format never takes long', () => {
    for (const part of ['a?', '[a-a', 'a{1,2}', '[a-zA-Z', '(a|', '\\', 'a|']) {
      expect(whyNotAFormat(`^${part.repeat(90)}$`)).toBeDefined();
    }
  });

  test('matches the pattern, and nothing longer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'01aA.-\n'.split('')), maxLength: 16 }),
        (text) => {
          expect(hasFormat(text, '^[0-9]{5,14}$')).toBe(
            /^\d{5,14}$/.test(text) && !text.includes('\n'),
          );
        },
      ),
    );
  });
});
