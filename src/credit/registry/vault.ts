import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hash,
  hkdfSync,
  randomFillSync,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { MasterKeys } from '../../platform/base/sealing.ts';

const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const INDEX_BYTES = 16;

/** The keys of the registry: one pair seals personal fields, another finds them. */
export interface CreditKeys {
  readonly master: MasterKeys;
  readonly index: MasterKeys;
}

/**
 * The keys as configured, or undefined when the registry is off: it needs an index key of its own.
 * @param derive make the index key from the master key instead (sandbox).
 */
export function creditKeysOf(
  configured: {
    readonly creditIndexKey: Buffer | undefined;
    readonly creditIndexKeyPrevious: Buffer | undefined;
  },
  master: MasterKeys,
  derive: boolean,
): CreditKeys | undefined {
  const { creditIndexKey: current, creditIndexKeyPrevious: previous } = configured;
  if (current !== undefined) return { master, index: { current, previous } };
  if (!derive) return undefined;
  return {
    master,
    index: {
      current: deriveIndexKey(master.current),
      previous: master.previous === undefined ? undefined : deriveIndexKey(master.previous),
    },
  };
}

function deriveIndexKey(master: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', 'malipo sandbox credit index', 32));
}

/** What a blind index is made of; texts of two kinds are never equal. */
export type IndexKind = 'document' | 'account' | 'identity';

/**
 * Seals personal fields and makes blind indexes. Both carry four bytes that name their key, so that
 * rows of a former key are found and opened until a rotation has rewritten them.
 */
export interface Vault {
  /**
   * Key id (4 bytes), nonce (12), tag (16), AES-256-GCM of the text.
   * @param place where it is stored, bound in: sealed bytes copied to another row do not open.
   */
  seal(text: string, location: string): Buffer;
  /** Throws when the key is not at hand, or the bytes were altered or moved. */
  unseal(sealed: Buffer, location: string): string;
  /** Under the current key: key id (4 bytes), HMAC-SHA-256 truncated to 16 bytes. */
  index(kind: IndexKind, text: string): Buffer;
  /** Under the current key first, then under the former one while there is one. */
  indexes(kind: IndexKind, text: string): Buffer[];
  /** The same as texts of one character a byte: keys of maps, and cheaper than buffers. */
  indexKeys(kind: IndexKind, text: string): string[];
  /** True for what `seal` or `index` made under a key that is no longer the current one. */
  isFormer(bytes: Buffer, made: 'sealed' | 'index'): boolean;
  /** True for what `seal` or `index` made under a key that is at hand. */
  knows(bytes: Buffer, made: 'sealed' | 'index'): boolean;
}

interface VaultKey {
  readonly id: Buffer;
  /** One character a byte. */
  readonly idText: string;
  readonly key: KeyObject;
  /** What HMAC (RFC 2104) hashes: a block of the key each, and room for what follows it. */
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer messages get a buffer of their own. */
const MESSAGE_ROOM_BYTES = 4_096;
/** Of UTF-8, to a UTF-16 unit. */
const MAX_BYTES_A_CHARACTER = 3;

function paddedKey(key: Buffer, byte: number, roomBytes: number): Buffer {
  const padded = Buffer.alloc(BLOCK_BYTES + roomBytes);
  for (let at = 0; at < BLOCK_BYTES; at += 1) padded[at] = byte ^ (key[at] ?? 0);
  return padded;
}

// The master key seals other secrets too: a key of its own keeps the uses apart.
function deriveKey(source: Buffer, purpose: string): VaultKey {
  const bytes = Buffer.from(hkdfSync('sha256', source, '', `malipo credit ${purpose}`, 32));
  const id = createHash('sha256').update(bytes).digest().subarray(0, KEY_ID_BYTES);
  return {
    id,
    idText: id.toString('latin1'),
    key: createSecretKey(bytes),
    inner: paddedKey(bytes, 0x36, MESSAGE_ROOM_BYTES),
    outer: paddedKey(bytes, 0x5c, DIGEST_BYTES),
  };
}

function deriveKeys(keys: MasterKeys, purpose: string): { current: VaultKey; all: VaultKey[] } {
  const current = deriveKey(keys.current, purpose);
  const all =
    keys.previous === undefined ? [current] : [current, deriveKey(keys.previous, purpose)];
  return { current, all };
}

export function createVault(keys: CreditKeys): Vault {
  const sealing = deriveKeys(keys.master, 'sealing');
  const indexing = deriveKeys(keys.index, 'index');
  const nextNonce = createNonces();
  return {
    seal: (text, location) => {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', sealing.current.key, nonce);
      cipher.setAAD(Buffer.from(location, 'utf8'));
      const sealed = cipher.update(text, 'utf8');
      cipher.final();
      return Buffer.concat([sealing.current.id, nonce, cipher.getAuthTag(), sealed]);
    },
    unseal: (sealed, location) => open(sealed, location, sealing.all),
    index: (kind, text) => Buffer.from(blindIndex(indexing.current, kind, text), 'latin1'),
    indexes: (kind, text) =>
      indexing.all.map((key) => Buffer.from(blindIndex(key, kind, text), 'latin1')),
    indexKeys: (kind, text) => indexing.all.map((key) => blindIndex(key, kind, text)),
    isFormer: (bytes, made) => {
      const { current } = made === 'sealed' ? sealing : indexing;
      return !current.id.equals(bytes.subarray(0, KEY_ID_BYTES));
    },
    knows: (bytes, made) => {
      const { all } = made === 'sealed' ? sealing : indexing;
      return all.some(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
    },
  };
}

/**
 * HMAC by two one-shot hashes, which are four times quicker than an Hmac object; digests as
 * text of one character a byte, which cost a third of buffers of their own.
 */
function blindIndex(key: VaultKey, kind: IndexKind, text: string): string {
  const message = `${kind}|${text}`;
  const isLong = message.length * MAX_BYTES_A_CHARACTER > MESSAGE_ROOM_BYTES;
  const inner = isLong
    ? Buffer.concat([key.inner.subarray(0, BLOCK_BYTES), Buffer.from(message, 'utf8')])
    : key.inner.subarray(0, BLOCK_BYTES + key.inner.write(message, BLOCK_BYTES, 'utf8'));
  key.outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'latin1');
  return key.idText + hash('sha256', key.outer, 'binary').slice(0, INDEX_BYTES);
}

function open(sealed: Buffer, location: string, keys: readonly VaultKey[]): string {
  const id = sealed.subarray(0, KEY_ID_BYTES);
  const found = keys.find((key) => key.id.equals(id));
  if (found === undefined) {
    throw new Error(
      'A personal field was sealed under a key that is neither MASTER_KEY nor MASTER_KEY_PREVIOUS.',
    );
  }
  let at = KEY_ID_BYTES;
  const take = (length: number): Buffer => sealed.subarray(at, (at += length));
  const decipher = createDecipheriv('aes-256-gcm', found.key, take(NONCE_BYTES));
  decipher.setAAD(Buffer.from(location, 'utf8'));
  decipher.setAuthTag(take(TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(at)), decipher.final()]).toString('utf8');
}

/** Random nonces, drawn many at a time (an import seals ten thousands a second), to be used at once. */
function createNonces(): () => Buffer {
  const pool = Buffer.alloc(NONCE_BYTES * 512);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    return pool.subarray(at, (at += NONCE_BYTES));
  };
}
