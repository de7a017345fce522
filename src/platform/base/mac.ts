import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import type { BinaryToTextEncoding, KeyObject } from 'node:crypto';

/** Block size of SHA-256 (FIPS 180-4 §1). */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer texts are hashed in memory of their own. */
const MAX_SHORT_BYTES = 8192;

/**
 * HMAC-SHA-256 of the text's UTF-8 bytes.
 *
 * `Hmac` makes a native object for each call, which garbage collection then has to visit: 9 µs of a short
 * request. Two hashes of one call each, which is what HMAC is (RFC 2104 §2), make none (decision 36).
 * @param key a `KeyObject`: given bytes, the padded keys would have to be made again on every call.
 */
export function hmac(key: KeyObject, text: string): Buffer;
export function hmac(key: KeyObject, text: string, encoding: BinaryToTextEncoding): string;
export function hmac(
  key: KeyObject,
  text: string,
  encoding?: BinaryToTextEncoding,
): Buffer | string {
  return hash('sha256', outerBytes(key, text), encoding ?? 'buffer');
}

const computed = Buffer.alloc(DIGEST_BYTES);

/** Compares `mac` with the HMAC of the text in constant time. */
export function isHmac(key: KeyObject, text: string, mac: Buffer): boolean {
  if (mac.length !== DIGEST_BYTES) return false;
  computed.write(hash('sha256', outerBytes(key, text), 'binary'), 'latin1');
  return timingSafeEqual(computed, mac);
}

interface PaddedKey {
  /** A character per byte. */
  readonly inner: string;
  /** The first block of what the outer hash is taken of; each call writes the second one. */
  readonly outer: Buffer;
}

const paddedKeys = new WeakMap<KeyObject, PaddedKey>();
/** Used by every call, and never beyond it. */
const shared = Buffer.alloc(BLOCK_BYTES + MAX_SHORT_BYTES);

/** Input of the outer hash. The buffer is shared, so it is valid only until the next call. */
function outerBytes(key: KeyObject, text: string): Buffer {
  const { inner, outer } = paddedKey(key);
  outer.write(innerDigest(inner, text), BLOCK_BYTES, 'latin1');
  return outer;
}

function innerDigest(padded: string, text: string): string {
  const length = BLOCK_BYTES + Buffer.byteLength(text);
  const bytes = length <= shared.length ? shared.subarray(0, length) : Buffer.alloc(length);
  bytes.write(padded, 'latin1');
  bytes.write(text, BLOCK_BYTES);
  return hash('sha256', bytes, 'binary');
}

function paddedKey(key: KeyObject): PaddedKey {
  const known = paddedKeys.get(key);
  if (known !== undefined) return known;
  const given = key.export();
  const bytes = given.length > BLOCK_BYTES ? hash('sha256', given, 'buffer') : given;
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  for (const [at, byte] of bytes.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  const padded = { inner: inner.toString('latin1'), outer };
  paddedKeys.set(key, padded);
  return padded;
}

/** Message authentication codes: who has the key can create and verify them. */
export interface Mac {
  sign(content: string | Buffer): Buffer;
  /** Also false for a missing code. */
  verify(content: string | Buffer, mac: Buffer | null): boolean;
}

/** @param algorithm SHA-256 for our own; operators may use the other. */
export function createMac(key: Buffer, algorithm: 'sha256' | 'sha512' = 'sha256'): Mac {
  const secret = createSecretKey(key);
  const sign = (content: string | Buffer): Buffer =>
    algorithm === 'sha256' && typeof content === 'string'
      ? hmac(secret, content)
      : createHmac(algorithm, secret).update(content).digest();
  return {
    sign,
    verify: (content, mac) => {
      const right = sign(content);
      return mac?.length === right.length && timingSafeEqual(mac, right);
    },
  };
}
