import type { CreditDesk } from '../credit/desk.ts';
import { ACCESS_PATH } from '../credit/operations/subject-access.ts';
import { openRegistryVault } from '../credit/registry/read-vault.ts';
import { creditKeysOf } from '../credit/registry/vault.ts';
import type { Vault } from '../credit/registry/vault.ts';
import { systemClock } from '../platform/base/clock.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Session } from './session.ts';

/** The registry for a command. Throws: `PlainError` if a key is missing, or is not the registry's. */
export async function openDesk(session: Session): Promise<CreditDesk> {
  const { pool, config } = session;
  return {
    ...{ pool, vault: await openVault(session), clock: systemClock, timeZone: config.timeZone },
    retentionDays: config.creditRetentionDays,
    enquiryService: undefined,
    accessUrl: `${config.publicUrl}${config.scoringPath}${ACCESS_PATH}`,
    contact: config.creditContact,
  };
}

/** The vault with the keys that the service uses. */
async function openVault({ config, pool, sealing }: Session): Promise<Vault> {
  const { masterKeys } = await sealing();
  // A sandbox that created its own master key derives the index key from it; others have a separate one.
  const keys = creditKeysOf(config, masterKeys, config.masterKey === undefined);
  if (keys === undefined) {
    throw new PlainError(
      'CREDIT_INDEX_KEY is not set. Set it to the value that the service uses; create the first one with: openssl rand -base64 32',
    );
  }
  return await openRegistryVault(pool, keys);
}
