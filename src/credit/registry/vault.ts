import { createHash, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { hmac } from '../../platform/base/mac.ts';
import { decrypt, deriveKey, encrypt } from '../../platform/base/sealing.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';

const KEY_ID_BYTES = 4;
const INDEX_BYTES = 16;

/** The keys of the registry: one pair seals personal fields, another makes them searchable. */
export interface CreditKeys {
  readonly master: MasterKeys;
  readonly index: MasterKeys;
}

/**
 * The configured keys. Undefined without an index key: the registry is then off.
 * @param derive without an index key, derive it from the master key (sandbox).
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
  return deriveKey(master, 'malipo sandbox credit index');
}

/** The input of a blind index; inputs of two kinds are never equal. */
export type IndexKind = 'document' | 'account' | 'identity';

/**
 * Seals personal fields and makes blind indexes. Both begin with four bytes that identify their
 * key, so that rows under a former key are still found and decrypted until a rotation has rewritten
 * them.
 */
export interface Vault {
  /**
   * Key id (4 bytes), then the text as returned by `encrypt`.
   * @param location where it is stored; sealed bytes copied to another row cannot be decrypted.
   */
  seal(text: string, location: string): Buffer;
  /** Throws if the key is not available, or the bytes were altered or moved. */
  unseal(sealed: Buffer, location: string): string;
  /** Under the current key: key id (4 bytes), HMAC-SHA-256 truncated to 16 bytes. */
  index(kind: IndexKind, text: string): Buffer;
  /** Under the current key first, then under the former one if there is one. */
  indexes(kind: IndexKind, text: string): Buffer[];
  /**
   * Returns the keys as text with one character per byte, which can be a map key and is cheaper than
   * buffers.
   */
  indexKeys(kind: IndexKind, text: string): string[];
  /** True for the output of `seal` or `index` under a key that is no longer the current one. */
  isFormer(bytes: Buffer, made: 'sealed' | 'index'): boolean;
  /** True for the output of `seal` or `index` under an available key. */
  knows(bytes: Buffer, made: 'sealed' | 'index'): boolean;
}

interface VaultKey {
  readonly id: Buffer;
  /** One character per byte. */
  readonly idText: string;
  readonly key: KeyObject;
}

// The master key also seals other secrets; a derived key keeps the uses apart.
function vaultKey(source: Buffer, purpose: string): VaultKey {
  const bytes = deriveKey(source, `malipo credit ${purpose}`);
  const id = createHash('sha256').update(bytes).digest().subarray(0, KEY_ID_BYTES);
  return { id, idText: id.toString('latin1'), key: createSecretKey(bytes) };
}

function vaultKeys(keys: MasterKeys, purpose: string): { current: VaultKey; all: VaultKey[] } {
  const current = vaultKey(keys.current, purpose);
  const all = keys.previous === undefined ? [current] : [current, vaultKey(keys.previous, purpose)];
  return { current, all };
}

export function createVault(keys: CreditKeys): Vault {
  const sealing = vaultKeys(keys.master, 'sealing');
  const indexing = vaultKeys(keys.index, 'index');
  return {
    seal: (text, location) =>
      Buffer.concat([sealing.current.id, encrypt(text, location, sealing.current.key)]),
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

/** As text with one character per byte, which costs a third of a separate buffer. */
function blindIndex({ idText, key }: VaultKey, kind: IndexKind, text: string): string {
  return idText + hmac(key, `${kind}|${text}`, 'binary').slice(0, INDEX_BYTES);
}

function open(sealed: Buffer, location: string, keys: readonly VaultKey[]): string {
  const id = sealed.subarray(0, KEY_ID_BYTES);
  const found = keys.find((key) => key.id.equals(id));
  if (found === undefined) {
    throw new Error(
      'A personal field was encrypted under a key that is neither MASTER_KEY nor MASTER_KEY_PREVIOUS.',
    );
  }
  return decrypt(sealed.subarray(KEY_ID_BYTES), location, found.key);
}
