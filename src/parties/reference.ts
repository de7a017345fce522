import { writeUuid } from '../platform/base/uuid-bytes.ts';

// Crockford's base 32: without I, L, O and U, so that a reference can be read out over the phone.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
// A vendor id is positive, so the first bit of its four bytes is 0.
const REFERENCE_PATTERN = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{31}$/;

/**
 * The `ipay_reference` of a payment: vendor id (4 bytes) and payment id (16 bytes) in Crockford
 * base 32, 32 characters. It contains the vendor, so that a callback finds the shard with its row.
 * It is unique by construction and not secret. Throws: `RangeError` if the payment id is not a UUID, or
 * the vendor id is not a whole number of 32 bits.
 */
export function encodeReference(vendorId: number, paymentId: string): string {
  referenceBytes.writeUInt32BE(vendorId);
  writeUuid(referenceBytes, paymentId, 4);
  let at = 0;
  // Five bytes are eight letters. Bit operations work on 32 bits, so the five bytes are two numbers of 20 bits.
  for (let start = 0; start < referenceBytes.length; start += 5) {
    const middle = referenceBytes.readUInt8(start + 2);
    const high = (referenceBytes.readUInt16BE(start) << 4) | (middle >>> 4);
    const low = ((middle & 15) << 16) | referenceBytes.readUInt16BE(start + 3);
    at = writeLetters(high, at);
    at = writeLetters(low, at);
  }
  return referenceLetters.toString('latin1');
}

const referenceBytes = Buffer.alloc(20);
const referenceLetters = Buffer.alloc(32);
const LETTERS = Buffer.from(ALPHABET, 'latin1');

/** Writes 20 bits as four letters. Returns the position after them. */
function writeLetters(bits: number, at: number): number {
  for (let letter = 0; letter < 4; letter += 1) {
    referenceLetters[at + letter] = LETTERS[(bits >>> (15 - 5 * letter)) & 31] ?? 0;
  }
  return at + 4;
}

/** Checks only the form of the text, not that such a reference exists. */
export function isReference(text: string): boolean {
  return REFERENCE_PATTERN.test(text);
}

/** The reverse of `encodeReference`; undefined if the text is not a reference. */
export function decodeReference(
  reference: string,
): { readonly vendorId: number; readonly paymentId: string } | undefined {
  if (!isReference(reference)) return undefined;
  let hex = '';
  for (let index = 0; index < 32; index += 4) {
    let bits = 0;
    for (let digit = index; digit < index + 4; digit += 1) {
      bits = bits * 32 + ALPHABET.indexOf(reference.charAt(digit));
    }
    hex += bits.toString(16).padStart(5, '0');
  }
  const vendorId = Number.parseInt(hex.slice(0, 8), 16);
  const id = hex.slice(8);
  return {
    vendorId,
    paymentId: `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`,
  };
}
