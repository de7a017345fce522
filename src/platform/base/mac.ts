import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { BinaryToTextEncoding, KeyObject } from 'node:crypto';

/**
 * HMAC-SHA-256 of the text's UTF-8 bytes.
 * @param key as a `KeyObject`: Node imports a key given as bytes on every call, at 20 times the cost.
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

/** Authentication codes: whoever has the key can make one for a text, and check one. */
export interface Mac {
  sign(text: string): Buffer;
  /** False also for one that is missing. */
  verify(text: string, mac: Buffer | null): boolean;
}

export function createMac(key: Buffer): Mac {
  const secret = createSecretKey(key);
  return {
    sign: (text) => hmac(secret, text),
    verify: (text, mac) => {
      const right = hmac(secret, text);
      return mac?.length === right.length && timingSafeEqual(mac, right);
    },
  };
}
