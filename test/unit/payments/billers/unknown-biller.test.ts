import { expect, test } from 'vitest';
import { unknownBiller } from '../../../../src/payments/billers/unknown-biller.ts';

test('a misspelt code is repeated', () => {
  expect(unknownBiller('biller_name', 'kplc_prepayd')).toMatchObject({
    code: 'unknown_biller',
    field: 'biller_name',
    message: 'There is no biller kplc_prepayd; the biller list has the codes',
  });
});

test.each(['0722000000', '+254722000000', 'a1', 'Amani Baraka', '', 'a'.repeat(33), 'a\u202eb'])(
  '%j is not repeated: it may be personal, or is not printable',
  (sent) => {
    const { message } = unknownBiller('biller_name', sent);
    expect(message).toBe('There is no such biller; the biller list has the codes');
  },
);
