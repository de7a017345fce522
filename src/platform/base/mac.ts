import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { BinaryToTextEncoding, KeyObject } from 'node:crypto';

/**
 * HMAC-SHA-256 of the text's UTF-8 bytes.
 * @param key a `KeyObject`: given bytes, Node imports the key on every call, which costs 20 times
 * as much.
 */
export function hmac(key: KeyObject, text: string): Buffer;
export function hmac(key: KeyObject, text: string, encoding: BinaryToTextEncoding): string;
export function hmac(
  key: KeyObject,
  text: string,
  encoding?: BinaryToTextEncoding,
): Buffer | string {
  const made = createHmac('sha256', key).update(text, 'utf8');
  return encoding === undefined ? made.digest() : made.digest(encoding);
}

/** Message authentication codes: who has the key can create and verify them. */
export interface Mac {
  sign(text: string): Buffer;
  /** Also false for a missing code. */
  verify(text: string, mac: Buffer | null): boolean;
}

/** @param hash SHA-256 for our own; operators may use the other. */
export function createMac(key: Buffer, hash: 'sha256' | 'sha512' = 'sha256'): Mac {
  const secret = createSecretKey(key);
  const sign = (text: string): Buffer => createHmac(hash, secret).update(text, 'utf8').digest();
  return {
    sign,
    verify: (text, mac) => {
      const right = sign(text);
      return mac?.length === right.length && timingSafeEqual(mac, right);
    },
  };
}
