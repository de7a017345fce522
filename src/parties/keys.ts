import { randomBytes } from 'node:crypto';
import type { MasterKeys } from '../platform/base/sealing.ts';
import { masterKeyId, seal, unseal } from '../platform/base/sealing.ts';
import { newId } from '../platform/base/ids.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { HolderKind, KeyRow } from './store.ts';
import {
  HOLDER_KINDS,
  insertKey,
  insertKeyOnce,
  listKeys,
  listKeysOf,
  retireKeys,
  updateSealed,
} from './store.ts';

export interface Holder {
  readonly holderKind: HolderKind;
  readonly holder: string;
}

function location(holder: Holder, keyId: string): string {
  return `security_keys|${holder.holderKind}|${holder.holder}|${keyId}`;
}

/** A new security key: 256 random bits as 43 characters of base64url. */
export function newSecurityKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * A new secret shared with an operator or a webhook, in the format of Standard Webhooks: 256 random
 * bits.
 */
export function newSharedSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Makes sure that the stored keys are sealed under our master key. A key sealed under another one
 * would keep every process of the service from reloading its vendors.
 * @param certain false: the master key is a guess, so at least one stored key has to confirm it.
 * Throws: `PlainError`.
 */
export async function requireSameMasterKey(
  db: Queryable,
  masterKeys: MasterKeys,
  certain: boolean,
): Promise<void> {
  const rows = await listKeys(db, HOLDER_KINDS);
  if (rows.length === 0 && !certain) {
    throw new PlainError('Set MASTER_KEY to the value that the service uses.');
  }
  const current = masterKeyId(masterKeys.current);
  if (rows.every((row) => row.masterKeyId === current)) return;
  throw new PlainError(
    'The stored keys are sealed under another master key. Set MASTER_KEY to the value that the service uses; while it is being changed, run `npm run -s malipo -- keys reseal` first.',
  );
}

/**
 * Stores a key for the holder. Its former key stays valid for `overlapSeconds` (two are valid at
 * once during a rotation); older ones end now.
 */
export async function addKey(
  db: Queryable,
  holder: Holder,
  options: {
    readonly secret: string;
    readonly overlapSeconds: number;
    readonly masterKeys: MasterKeys;
  },
): Promise<void> {
  const keyId = newId();
  const sealed = seal(options.secret, location(holder, keyId), options.masterKeys);
  await insertKey(db, {
    ...holder,
    keyId,
    masterKeyId: sealed.masterKeyId,
    sealed: sealed.bytes,
    createdAt: new Date(),
  });
  await retireKeys(db, { ...holder, keyId }, options.overlapSeconds);
}

/** Stores a key under a given id, unless that id exists. */
export async function makeKeyOnce(
  db: Queryable,
  key: Holder & { readonly keyId: string },
  secret: string,
  masterKeys: MasterKeys,
): Promise<void> {
  const sealed = seal(secret, location(key, key.keyId), masterKeys);
  await insertKeyOnce(db, {
    ...key,
    masterKeyId: sealed.masterKeyId,
    sealed: sealed.bytes,
    createdAt: new Date(),
  });
}

export interface OpenedKey {
  readonly keyId: string;
  readonly holderKind: HolderKind;
  readonly holder: string;
  readonly secret: string;
  readonly validUntil: Date | null;
}

/** The valid keys in plain text, newest first per holder. Throws if one cannot be decrypted. */
export async function openKeys(
  db: Queryable,
  kinds: readonly HolderKind[],
  masterKeys: MasterKeys,
): Promise<OpenedKey[]> {
  const rows = await listKeys(db, kinds);
  return rows.map((row) => ({
    keyId: row.keyId,
    holderKind: row.holderKind,
    holder: row.holder,
    secret: openRow(row, masterKeys),
    validUntil: row.validUntil,
  }));
}

/** The keys shared with each operator, newest first. Rejects as `openKeys` does. */
export async function openOperatorKeys(
  db: Queryable,
  masterKeys: MasterKeys,
): Promise<Map<string, Pick<OpenedKey, 'secret' | 'validUntil'>[]>> {
  const keys = new Map<string, Pick<OpenedKey, 'secret' | 'validUntil'>[]>();
  for (const { holder, secret, validUntil } of await openKeys(db, ['operator'], masterKeys)) {
    keys.set(holder, [...(keys.get(holder) ?? []), { secret, validUntil }]);
  }
  return keys;
}

/** The holder's valid secrets in plain text, newest first. Throws if one cannot be decrypted. */
export async function openSecretsOf(
  db: Queryable,
  holder: Holder,
  masterKeys: MasterKeys,
): Promise<string[]> {
  return (await listKeysOf(db, holder)).map((row) => openRow(row, masterKeys));
}

function openRow(row: KeyRow, masterKeys: MasterKeys): string {
  const holder = { holderKind: row.holderKind, holder: row.holder };
  return unseal(
    { masterKeyId: row.masterKeyId, bytes: row.sealed },
    location(holder, row.keyId),
    masterKeys,
  );
}

/**
 * Seals every valid key that is still sealed under the previous master key under the current one.
 * Returns the number of keys under each. Throws: `PlainError` if a key cannot be decrypted with
 * either.
 */
export async function resealKeys(
  db: Queryable,
  masterKeys: MasterKeys,
): Promise<{ readonly resealed: number; readonly already: number }> {
  const rows = await listKeys(db, HOLDER_KINDS);
  const known = [masterKeys.current, masterKeys.previous].map(
    (key) => key !== undefined && masterKeyId(key),
  );
  const undecryptable = rows.filter((row) => !known.includes(row.masterKeyId));
  if (undecryptable.length > 0) {
    throw new PlainError(
      `${undecryptable.length} of ${rows.length} stored keys are sealed under neither MASTER_KEY nor MASTER_KEY_PREVIOUS.`,
    );
  }
  const old = rows.filter((row) => row.masterKeyId !== known[0]);
  for (const row of old) {
    const holder = { holderKind: row.holderKind, holder: row.holder };
    const sealed = seal(openRow(row, masterKeys), location(holder, row.keyId), masterKeys);
    await updateSealed(db, {
      ...holder,
      keyId: row.keyId,
      masterKeyId: sealed.masterKeyId,
      sealed: sealed.bytes,
    });
  }
  return { resealed: old.length, already: rows.length - old.length };
}
