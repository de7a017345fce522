import { masterKeyId, seal, unseal } from '../../platform/base/sealing.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings, markChanged } from '../../platform/db/settings-watch.ts';
import { resealKeys } from '../keys.ts';
import { lockCodeSecrets, updateCodeSecret } from './people-store.ts';
import { codeSecretLocation } from './sign-in.ts';

interface Resealed {
  readonly resealed: number;
  readonly already: number;
}

/**
 * Seals all stored keys, and the secrets of people's one-time codes, under the current master key,
 * as one change. Can be repeated. Processes reload; one that lacks the new master key reports that at
 * once and continues with what it has.
 * Throws: `PlainError` if something cannot be decrypted; nothing is changed then.
 */
export async function resealAllKeys(pool: Pool, masterKeys: MasterKeys): Promise<Resealed> {
  return await changeSettings(pool, 'vendors', async (client) => {
    await markChanged(client, 'billers');
    const keys = await resealKeys(client, masterKeys);
    const codes = await resealCodes(client, masterKeys);
    return {
      resealed: keys.resealed + codes.resealed,
      already: keys.already + codes.already,
    };
  });
}

async function resealCodes(db: Queryable, masterKeys: MasterKeys): Promise<Resealed> {
  const rows = await lockCodeSecrets(db);
  const current = masterKeyId(masterKeys.current);
  const old = rows.filter((row) => row.masterKeyId !== current);
  const previous = masterKeys.previous && masterKeyId(masterKeys.previous);
  const undecryptable = old.filter((row) => row.masterKeyId !== previous);
  if (undecryptable.length > 0) {
    throw new PlainError(
      `The one-time codes of ${undecryptable.length} people are encrypted under neither MASTER_KEY nor MASTER_KEY_PREVIOUS.`,
    );
  }
  for (const { personId, masterKeyId: keyId, codeSecret } of old) {
    const location = codeSecretLocation(personId);
    const secret = unseal({ masterKeyId: keyId, bytes: codeSecret }, location, masterKeys);
    await updateCodeSecret(db, personId, seal(secret, location, masterKeys));
  }
  return { resealed: old.length, already: rows.length - old.length };
}
