import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { decodeReference, encodeReference } from '../../src/parties/reference.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const vendorId = fc.integer({ min: 0, max: 2_147_483_647 });
const paymentId = fc.uuid();

describe('a reference', () => {
  test('decoding a reference gives its parts', () => {
    fc.assert(
      fc.property(vendorId, paymentId, (vendor, payment) => {
        const reference = encodeReference(vendor, payment);
        expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{32}$/);
        expect(decodeReference(reference)).toEqual({
          vendorId: vendor,
          paymentId: payment,
        });
      }),
    );
  });

  test('encoding gives the same text again: no two texts name one payment', () => {
    const text = fc.string({
      unit: fc.constantFrom(...ALPHABET.split('')),
      minLength: 32,
      maxLength: 32,
    });
    fc.assert(
      fc.property(text, (reference) => {
        const location = decodeReference(reference);
        if (location === undefined) return;
        expect(encodeReference(location.vendorId, location.paymentId)).toBe(reference);
      }),
    );
  });

  test('sorts by vendor, and by time within a vendor', () => {
    fc.assert(
      fc.property(vendorId, paymentId, vendorId, paymentId, (...given) => {
        const [vendor, payment, otherVendor, otherPayment] = given;
        const key = (id: number, uuid: string): string => `${String(id).padStart(10, '0')} ${uuid}`;
        const before = key(vendor, payment) < key(otherVendor, otherPayment);
        const reference = encodeReference(vendor, payment);
        const other = encodeReference(otherVendor, otherPayment);
        expect(reference < other).toBe(before);
      }),
    );
  });

  test('text that is no reference is refused', () => {
    const good = encodeReference(7, newId());
    const others = [
      '',
      good.slice(1),
      `${good}0`,
      good.toLowerCase(),
      ` ${good.slice(1)}`,
      `I${good.slice(1)}`,
      `U${good.slice(1)}`,
      `${good.slice(0, 31)}\n`,
      `${good}\n`,
      // A vendor id that is too large for an integer column.
      `G${'0'.repeat(31)}`,
      'Z'.repeat(32),
    ];
    for (const text of others) expect(decodeReference(text)).toBeUndefined();
  });
});
