import { createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMac, hmac, isHmac } from '../../src/platform/base/mac.ts';

/** Node’s own. */
function model(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

const keys = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  // Around the length of a block, above which a key is hashed first.
  fc.uint8Array({ minLength: 63, maxLength: 66 }),
);
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  // Halves of surrogate pairs, which have no UTF-8.
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((units) => String.fromCharCode(...units)),
  // Around the length that fits into the shared memory.
  fc.integer({ min: 8188, max: 8196 }).map((length) => 'a'.repeat(length)),
  fc.integer({ min: 2728, max: 2732 }).map((length) => '€'.repeat(length)),
);

describe('hmac', () => {
  it('hmac equals Node’s HMAC for every key and text', () => {
    fc.assert(
      fc.property(keys, texts, texts, (bytes, text, next) => {
        const key = createSecretKey(bytes);
        const expected = model(bytes, text);
        const made = hmac(key, text);
        expect(hmac(key, next)).toEqual(model(bytes, next));
        // The memory that both calls used is not part of the result.
        expect(made).toEqual(expected);
        for (const encoding of ['hex', 'base64', 'base64url', 'binary'] as const) {
          expect(hmac(key, text, encoding)).toBe(expected.toString(encoding));
        }
        expect(createMac(Buffer.from(bytes)).sign(text)).toEqual(expected);
      }),
    );
  });

  it('holds for its own text and key only', () => {
    fc.assert(
      fc.property(keys, texts, fc.nat(255), (bytes, text, bit) => {
        const key = createSecretKey(bytes);
        const right = model(bytes, text);
        expect(isHmac(key, text, right)).toBe(true);
        const wrong = Buffer.from(right);
        wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(isHmac(key, text, wrong)).toBe(false);
        expect(isHmac(key, `${text}a`, right)).toBe(false);
        expect(isHmac(createSecretKey(Buffer.from([...bytes, 1])), text, right)).toBe(false);
      }),
    );
  });

  it.each([0, 31, 33])('does not hold for %i bytes', (length) => {
    const key = createSecretKey(Buffer.from('key'));
    const right = model(Buffer.from('key'), 'text');
    expect(isHmac(key, 'text', Buffer.concat([right, right]).subarray(0, length))).toBe(false);
  });
});
