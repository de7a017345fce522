import { createMac } from '../platform/base/mac.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool, Queryable } from '../platform/db/pool.ts';
import { databaseTransaction } from '../platform/db/pool.ts';
import { makeKeyOnce, newSecurityKey, openSecretsOf } from './keys.ts';

const LEDGER = { holderKind: 'ledger', holder: 'ledger' } as const;
/** Every process uses this id, so that two processes that start at once create one key. */
const KEY_ID = '00000000-0000-7000-8000-000000000001';

/**
 * The ledger's authentication codes. Their random key is stored under the master key, so that
 * changing the master key changes no code. Created at the first start. Throws if the key cannot be
 * decrypted.
 */
export async function openLedgerMac(pool: Pool, masterKeys: MasterKeys): Promise<Mac> {
  const known = await findLedgerMac(pool, masterKeys);
  if (known !== undefined) return known;
  await databaseTransaction(pool, async (client) => {
    await makeKeyOnce(client, { ...LEDGER, keyId: KEY_ID }, newSecurityKey(), masterKeys);
  });
  const made = await findLedgerMac(pool, masterKeys);
  if (made === undefined) throw new Error('the ledger has no valid key');
  return made;
}

/** Reads the ledger's key without creating it; undefined if none exists. */
export async function findLedgerMac(
  db: Queryable,
  masterKeys: MasterKeys,
): Promise<Mac | undefined> {
  const [secret] = await openSecretsOf(db, LEDGER, masterKeys);
  return secret === undefined ? undefined : createMac(Buffer.from(secret, 'base64url'));
}
