import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomFillSync,
} from 'node:crypto';
import type { CipherKey } from 'node:crypto';
import { PlainError } from './plain-error.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The keys that stored secrets are sealed with: the current one, and the previous one during
 * re-sealing.
 */
export interface MasterKeys {
  readonly current: Buffer;
  readonly previous: Buffer | undefined;
}

export interface Sealed {
  /** First 16 hex digits of the SHA-256 of the master key. */
  readonly masterKeyId: string;
  /** The result of `encrypt`. */
  readonly bytes: Buffer;
}

export function masterKeyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/**
 * Derives a key for one purpose from another key by HKDF-SHA-256, which keeps the purposes apart.
 */
export function deriveKey(source: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', source, '', purpose, 32));
}

/**
 * Encrypts a text with AES-256-GCM. Returns the nonce (12 bytes), the tag (16 bytes) and the
 * ciphertext.
 * @param location where it is stored (table, row), bound in as associated data, so that ciphertext
 * copied to another row cannot be decrypted.
 */
export function encrypt(text: string, location: string, key: CipherKey): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(location, 'utf8'));
  const encrypted = cipher.update(text, 'utf8');
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/**
 * The reverse of `encrypt`. Throws if the bytes were altered or moved, or the key is a different
 * one.
 */
export function decrypt(bytes: Buffer, location: string, key: CipherKey): string {
  // GCM also allows shorter tags, which are easier to forge. Without a fixed length, an attacker
  // could truncate the tag.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(location, 'utf8'));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

const nonces = Buffer.alloc(NONCE_BYTES * 512);
let usedNonceBytes = nonces.length;

/**
 * A random nonce, for immediate use. Many are drawn at a time, because an import seals 25,000
 * values a second.
 */
function nextNonce(): Buffer {
  if (usedNonceBytes === nonces.length) {
    randomFillSync(nonces);
    usedNonceBytes = 0;
  }
  return nonces.subarray(usedNonceBytes, (usedNonceBytes += NONCE_BYTES));
}

/** Encrypts a secret under the current master key. For `location` see `encrypt`. */
export function seal(secret: string, location: string, keys: MasterKeys): Sealed {
  return {
    masterKeyId: masterKeyId(keys.current),
    bytes: encrypt(secret, location, keys.current),
  };
}

/**
 * The reverse of `seal`. Throws if the master key is missing, or the bytes were altered or moved.
 */
export function unseal(sealed: Sealed, location: string, keys: MasterKeys): string {
  const key = [keys.current, keys.previous].find(
    (candidate) => candidate !== undefined && masterKeyId(candidate) === sealed.masterKeyId,
  );
  if (key === undefined) {
    throw new PlainError(
      `A stored secret was encrypted under master key ${sealed.masterKeyId}, which is neither MASTER_KEY nor MASTER_KEY_PREVIOUS.`,
    );
  }
  return decrypt(sealed.bytes, location, key);
}
