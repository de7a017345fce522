import { describe, expect, test } from 'vitest';
import { encodeReference } from '../../../../src/parties/reference.ts';
import { readTerm } from '../../../../src/payments/timeline/term.ts';

const PLACE = { vendorId: 7, paymentId: '0197a5b1-7c00-7d2e-9c3f-5a1b2c3d4e5f' };

describe('a search term', () => {
  test('may be a reference, in either case and with spaces around it', () => {
    const reference = encodeReference(PLACE.vendorId, PLACE.paymentId);
    expect(readTerm(` ${reference.toLowerCase()} `).location).toEqual(PLACE);
    expect(readTerm('order-1').location).toBeUndefined();
  });

  test.each([
    '254722000001',
    '+254722000001',
    '0722000001',
    '722000001',
    '+254 722 000-001',
    '(0722) 000.001',
    '00254722000001',
  ])('%s is a phone number in all its forms', (text) => {
    expect(readTerm(text).accounts).toEqual(
      expect.arrayContaining(['254722000001', '+254722000001', '0722000001', '722000001']),
    );
    expect(readTerm(text).accounts).toContain(text);
  });

  test('may be a number of another country', () => {
    expect(readTerm('+256 772 000 001').accounts).toEqual(['+256 772 000 001', '256772000001']);
  });

  test.each(['14 234-567', 'order 0722000001', '3720000990112345', 'INV-7'])(
    '%s is an account as it stands',
    (text) => {
      expect(readTerm(text).accounts).toEqual([text]);
    },
  );
});
