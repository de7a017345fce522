import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { HASH_FIELD, canonicalText } from '../platform/base/canonical.ts';
import type { Fields, Reading } from '../platform/base/canonical.ts';
import { hmac, isHmac } from '../platform/base/mac.ts';
import type { Signer } from './vendor.ts';

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
export interface Verified<Of> {
  /** The reading that was signed, and the only one to act on. */
  readonly fields: Fields;
  /** Who the reading names. */
  readonly signer: Of;
  /** The signer's key that matched. */
  readonly key: KeyObject;
}

/**
 * Finds the reading whose `hash` is valid under one of its signer's keys.
 *
 * `signerOf` is called for each reading, because two readings may name two signers: a signature
 * counts only under the keys of the signer that this reading names. A failure costs the same for an
 * unknown signer and with one or two keys, so neither the answer nor its time reveals whether a `vid`
 * exists.
 *
 * Returns undefined if no reading is signed; then answer `reading.refusal ?? signature_invalid`.
 */
export function verify<Of extends Pick<Signer, 'keys'>>(
  reading: Reading,
  signerOf: (fields: Fields) => Of | undefined,
): Verified<Of> | undefined {
  const first = verifyFields(reading.fields, signerOf(reading.fields));
  if (first !== undefined) return first;
  const raw = reading.raw?.();
  return raw === undefined ? undefined : verifyFields(raw, signerOf(raw));
}

function verifyFields<Of extends Pick<Signer, 'keys'>>(
  fields: Fields,
  signer: Of | undefined,
): Verified<Of> | undefined {
  const hash = fields.get(HASH_FIELD);
  if (hash === undefined || hash === null || !HASH_PATTERN.test(hash)) return undefined;
  const key = matchingKey(canonicalText(fields), hash, signer?.keys ?? []);
  return key === undefined || signer === undefined ? undefined : { fields, signer, key };
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
): KeyObject | undefined {
  const claimed = Buffer.from(signature, 'hex');
  let match: KeyObject | undefined;
  // No early exit: the time must not reveal which key matched.
  for (const key of keys) {
    if (isHmac(key, text, claimed)) match = key;
  }
  if (match !== undefined) return match;
  for (let count = keys.length; count < MAX_ACTIVE_KEYS; count += 1) {
    isHmac(absentKey, text, claimed);
  }
  return undefined;
}
