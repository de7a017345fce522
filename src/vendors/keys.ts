import { randomBytes } from 'node:crypto';
import type { MasterKeys } from '../base/sealing.ts';
import { seal, unseal } from '../base/sealing.ts';
import { newId } from '../base/ids.ts';
import type { Queryable } from '../db/pool.ts';
import type { HolderKind, KeyRow } from './store.ts';
import { insertKey, listKeys, retireKeys, updateSealed } from './store.ts';

interface Holder {
  readonly holderKind: HolderKind;
  readonly holder: string;
}

function place(holder: Holder, keyId: string): string {
  return `security_keys|${holder.holderKind}|${holder.holder}|${keyId}`;
}

/** A new security key: 256 random bits as 43 characters of base64url. */
export function newSecurityKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Stores a key for the holder. Its former key stays valid for `overlapSeconds` (two are valid at
 * once during a rotation), older ones end now.
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
  const sealed = seal(options.secret, place(holder, keyId), options.masterKeys);
  await insertKey(db, {
    ...holder,
    keyId,
    masterKeyId: sealed.masterKeyId,
    sealed: sealed.bytes,
    createdAt: new Date(),
  });
  await retireKeys(db, { ...holder, keyId }, options.overlapSeconds);
}

export interface OpenedKey {
  readonly holderKind: HolderKind;
  readonly holder: string;
  readonly secret: string;
  readonly validUntil: Date | null;
}

/** The valid keys in the clear, newest first of each holder. Throws when one cannot be opened. */
export async function openKeys(
  db: Queryable,
  kinds: readonly HolderKind[],
  masterKeys: MasterKeys,
): Promise<OpenedKey[]> {
  const rows = await listKeys(db, kinds);
  return rows.map((row) => ({
    holderKind: row.holder_kind,
    holder: row.holder,
    secret: openRow(row, masterKeys),
    validUntil: row.valid_until,
  }));
}

function openRow(row: KeyRow, masterKeys: MasterKeys): string {
  const holder = { holderKind: row.holder_kind, holder: row.holder };
  return unseal(
    { masterKeyId: row.master_key_id, bytes: row.sealed },
    place(holder, row.key_id),
    masterKeys,
  );
}

/** Seals every valid key anew under the current master key. Returns how many. */
export async function resealKeys(db: Queryable, masterKeys: MasterKeys): Promise<number> {
  const rows = await listKeys(db, ['vendor', 'collector', 'operator']);
  for (const row of rows) {
    const holder = { holderKind: row.holder_kind, holder: row.holder };
    const sealed = seal(openRow(row, masterKeys), place(holder, row.key_id), masterKeys);
    await updateSealed(db, {
      ...holder,
      keyId: row.key_id,
      masterKeyId: sealed.masterKeyId,
      sealed: sealed.bytes,
    });
  }
  return rows.length;
}
