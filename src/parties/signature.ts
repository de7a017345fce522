import { createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { HASH_FIELD, canonicalText } from '../platform/base/canonical.ts';
import type { Fields, Reading } from '../platform/base/canonical.ts';
import { hmac } from '../platform/base/mac.ts';

/** A vendor has one key, or two during a rotation. */
const MAX_ACTIVE_KEYS = 2;

// Buffer.from(text, 'hex') stops silently at the first invalid digit, so check the form first.
const HASH_PATTERN = /^[0-9a-fA-F]{64}$/;

/** Replaces the keys that a vendor lacks, so that every failed check costs the same. */
const absentKey = createSecretKey(randomBytes(32));

/** HMAC-SHA-256 of the text's UTF-8 bytes, 64 lower-case hex digits (specification §5.4). */
export function sign(text: string, key: KeyObject): string {
  return hmac(key, text, 'hex');
}

/** A valid signature. */
export interface Verified {
  /** The reading that was signed, and the only one to act on. */
  readonly fields: Fields;
  /** The signer's key that matched. */
  readonly keyIndex: number;
}

/**
 * Finds the reading whose `hash` is valid under one of its signer's keys.
 *
 * `keysOf` is called for each reading, because two readings may name two signers: a signature
 * counts only under the keys of the signer that this reading names. For an unknown signer it
 * returns no keys. A failure costs the same with no, one or two keys, so neither the answer nor its
 * time reveals whether a `vid` exists.
 *
 * Returns undefined if no reading is signed; then answer `reading.refusal ?? signature_invalid`.
 */
export function verify(
  reading: Reading,
  keysOf: (fields: Fields) => readonly KeyObject[],
): Verified | undefined {
  const first = verifyFields(reading.fields, keysOf(reading.fields));
  if (first !== undefined) return first;
  const raw = reading.raw?.();
  return raw === undefined ? undefined : verifyFields(raw, keysOf(raw));
}

function verifyFields(fields: Fields, keys: readonly KeyObject[]): Verified | undefined {
  const hash = fields.get(HASH_FIELD);
  if (hash === undefined || hash === null || !HASH_PATTERN.test(hash)) return undefined;
  const keyIndex = matchingKey(canonicalText(fields), hash, keys);
  return keyIndex === undefined ? undefined : { fields, keyIndex };
}

/**
 * The key that signed the text; undefined if none did. A failure costs the same with no, one or two
 * keys.
 * @param signature 64 hexadecimal digits.
 */
export function matchingKey(
  text: string,
  signature: string,
  keys: readonly KeyObject[],
): number | undefined {
  const claimed = Buffer.from(signature, 'hex');
  let keyIndex: number | undefined;
  // No early exit: the time must not reveal which key matched.
  for (const [index, key] of keys.entries()) {
    if (isSignedWith(key, text, claimed)) keyIndex = index;
  }
  if (keyIndex !== undefined) return keyIndex;
  for (let count = keys.length; count < MAX_ACTIVE_KEYS; count += 1) {
    isSignedWith(absentKey, text, claimed);
  }
  return undefined;
}

function isSignedWith(key: KeyObject, text: string, claimed: Buffer): boolean {
  return timingSafeEqual(hmac(key, text), claimed);
}
