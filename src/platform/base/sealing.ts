import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { PlainError } from './plain-error.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys under which stored secrets are sealed: the current one, and a former one while re-sealing. */
export interface MasterKeys {
  readonly current: Buffer;
  readonly previous: Buffer | undefined;
}

export interface Sealed {
  /** First 16 hex digits of the SHA-256 of the master key. */
  readonly masterKeyId: string;
  /** Nonce (12 bytes), tag (16 bytes), encrypted text. */
  readonly bytes: Buffer;
}

export function masterKeyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/**
 * Encrypts a secret by AES-256-GCM under the current master key.
 * @param place where it is stored (table, row, key id), bound in as associated data, so that a
 *   sealed secret copied to another row does not open.
 */
export function seal(secret: string, location: string, keys: MasterKeys): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keys.current, nonce);
  cipher.setAAD(Buffer.from(location, 'utf8'));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return {
    masterKeyId: masterKeyId(keys.current),
    bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]),
  };
}

/** The reverse of `seal`. Throws when the master key is not at hand or the bytes were altered or moved. */
export function unseal(sealed: Sealed, location: string, keys: MasterKeys): string {
  const key = [keys.current, keys.previous].find(
    (candidate) => candidate !== undefined && masterKeyId(candidate) === sealed.masterKeyId,
  );
  if (key === undefined) {
    throw new PlainError(
      `A stored secret was sealed under master key ${sealed.masterKeyId}, which is neither MASTER_KEY nor MASTER_KEY_PREVIOUS.`,
    );
  }
  // With the length, or a shortened tag, which is easier to forge, would do.
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(location, 'utf8'));
  decipher.setAuthTag(sealed.bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = sealed.bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}
