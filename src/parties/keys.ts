import { randomBytes } from 'node:crypto';
import type { Mac } from '../platform/base/mac.ts';
import { createMac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import { deriveKey, masterKeyId, seal, unseal } from '../platform/base/sealing.ts';
import { Refusal } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { HolderKind, KeyRow } from './read-keys.ts';
import { insertKey, insertKeyOnce, retireKeys, updateSealed } from './store.ts';
import { HOLDER_KINDS, listKeys, listKeysOf } from './read-keys.ts';

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
    'The stored keys are encrypted under another master key. Set MASTER_KEY to the value that the service uses. If you are replacing the master key, first run `npm run -s malipo -- keys reseal`.',
  );
}

/**
 * Makes sure that every stored key can be decrypted, also while the master key is being replaced.
 * Throws: `PlainError`.
 */
export async function requireKnownMasterKey(db: Queryable, masterKeys: MasterKeys): Promise<void> {
  const known = new Set(
    [masterKeys.current, masterKeys.previous].map((key) => key && masterKeyId(key)),
  );
  const rows = await listKeys(db, HOLDER_KINDS);
  if (rows.every((row) => known.has(row.masterKeyId))) return;
  throw new PlainError(
    'The stored keys are encrypted under another master key. Set MASTER_KEY to the value that the service used before, or MASTER_KEY_PREVIOUS while you are replacing it. Nothing was changed.',
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

/** A request for a new key, which its sender may have to repeat. */
export interface KeyRequest {
  /**
   * Chosen by the sender. The same text means the same request. It must be impossible to guess, because
   * anyone who has a former key and this text gets the new secret.
   */
  readonly idempotencyKey: string;
  readonly overlapSeconds: number;
  /** The key that signed the request. Only the current one may replace itself; null: any may. */
  readonly signedWith: string | null;
}

export interface NewKey {
  readonly keyId: string;
  /** In plain text. */
  readonly secret: string;
}

/** A request repeated within this time gets the same secret, because the first answer may have been lost. */
export const REPEAT_MS = 600_000;

/**
 * Stores a new key once for each request. The id of the key follows from the request, so that a repeat
 * finds the key that the first one made. The caller locks the holder's keys.
 * Throws: `reference_reused` if an earlier request had the same text and is over, or asked for something
 * else; `changed_meanwhile` if the key that signed has been replaced.
 */
export async function addKeyOnce(
  db: Queryable,
  holder: Holder,
  request: KeyRequest,
  by: { readonly newSecret: () => string; readonly masterKeys: MasterKeys },
): Promise<NewKey> {
  const { overlapSeconds, signedWith } = request;
  const { current: masterKey, previous } = by.masterKeys;
  const keyId = keyIdOf(holder, request, masterKey);
  // The first request may have come before the master key was replaced.
  const ids = previous === undefined ? [keyId] : [keyId, keyIdOf(holder, request, previous)];
  const keys = await listKeysOf(db, holder);
  const [current] = keys;
  if (current !== undefined && ids.includes(current.keyId)) return repeated(current, by.masterKeys);
  if (keys.some((key) => ids.some((id) => isOfRequest(key.keyId, id))))
    throw reused('has been used');
  if (signedWith !== null && signedWith !== current?.keyId) {
    throw new Refusal('changed_meanwhile', {
      field: 'X-Signature',
      text: 'The key that signed this has been replaced. Sign with the current key',
    });
  }
  const secret = by.newSecret();
  const key = { ...holder, keyId };
  if (!(await makeKeyOnce(db, key, secret, by.masterKeys))) throw reused('has been used');
  await retireKeys(db, key, overlapSeconds);
  return { keyId, secret };
}

function repeated(row: KeyRow, masterKeys: MasterKeys): NewKey {
  if (Date.now() - row.createdAt.getTime() > REPEAT_MS) throw reused('is too old to be repeated');
  return { keyId: row.keyId, secret: openRow(row, masterKeys) };
}

function reused(why: string): Refusal {
  return new Refusal('reference_reused', {
    field: 'idempotency_key',
    text: `This idempotency_key ${why}. Use a new one for a new key`,
  });
}

/**
 * The first half of the id names the request, the second its content (RFC 9562, version 8). Vendors see
 * ids, so they are made with a key: nobody can find out from one which text a request had.
 */
function keyIdOf(
  holder: Holder,
  { idempotencyKey, overlapSeconds }: KeyRequest,
  masterKey: Buffer,
): string {
  const { holderKind, holder: name } = holder;
  const mac = createMac(deriveKey(masterKey, 'malipo ids of requested keys'));
  const request = hexOf(mac, `request|${holderKind}|${name}|${idempotencyKey}`);
  const content = hexOf(mac, `content|${idempotencyKey}|${overlapSeconds}`);
  const hex = [request.slice(0, 12), '8', request.slice(12, 15), '8', content.slice(0, 15)].join(
    '',
  );
  return [8, 12, 16, 20, 32].map((end, at, ends) => hex.slice(ends[at - 1] ?? 0, end)).join('-');
}

function hexOf(mac: Mac, text: string): string {
  return mac.sign(text).toString('hex');
}

const REQUEST_PART = 18;

function isOfRequest(keyId: string, requested: string): boolean {
  return keyId.slice(0, REQUEST_PART) === requested.slice(0, REQUEST_PART);
}

/** Stores a key under a given id. Returns false if that id exists. */
export async function makeKeyOnce(
  db: Queryable,
  key: Holder & { readonly keyId: string },
  secret: string,
  masterKeys: MasterKeys,
): Promise<boolean> {
  const sealed = seal(secret, location(key, key.keyId), masterKeys);
  return await insertKeyOnce(db, {
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
  const { keyId, holderKind, holder, masterKeyId: sealedUnder, sealed: bytes } = row;
  const at = location({ holderKind, holder }, keyId);
  try {
    return unseal({ masterKeyId: sealedUnder, bytes }, at, masterKeys);
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw new PlainError(
      `The key ${keyId} of ${holderKind} ${holder} was damaged, or changed in the database. ${wayOut(row)}`,
    );
  }
}

/** After it the damaged key is not valid any more, so that nothing reads it. */
function wayOut({ holderKind, holder, keyId }: KeyRow): string {
  switch (holderKind) {
    case 'vendor':
    case 'collector':
      return `Replace it with \`malipo ${holderKind} rotate-key ${holder} --overlap 0\`, and give the new one to its holder.`;
    case 'webhook':
      return `Replace it with \`malipo webhook rotate-secret ${holder} --overlap 0\`, and give the new one to the vendor.`;
    case 'operator':
      return `As the owner of the tables, end it with \`update security_keys set valid_until = now() where key_id = '${keyId}'\`, then set it again with \`malipo operator set-key\`.`;
    case 'source':
      return `Set it again with \`malipo receipts source set-key ${holder}\`.`;
    case 'ledger':
      return 'Put this row of the table security_keys back from a backup.';
  }
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
      `${undecryptable.length} of ${rows.length} stored keys are encrypted under neither MASTER_KEY nor MASTER_KEY_PREVIOUS.`,
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
