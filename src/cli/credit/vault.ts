import { PlainError } from '../../platform/base/plain-error.ts';
import { openRegistryVault } from '../../credit/registry/read-vault.ts';
import { creditKeysOf } from '../../credit/registry/vault.ts';
import type { Vault } from '../../credit/registry/vault.ts';
import type { Session } from '../session.ts';

/**
 * The vault with the keys that the service uses.
 * Throws: `PlainError` if a key is missing, or is not the registry's.
 */
export async function openVault(session: Session): Promise<Vault> {
  const { masterKeys } = await session.sealing();
  // A sandbox that created its own master key derives the index key from it; others have a separate
  // one.
  const derive = session.config.masterKey === undefined;
  const keys = creditKeysOf(session.config, masterKeys, derive);
  if (keys === undefined) {
    throw new PlainError(
      'CREDIT_INDEX_KEY is not set. Set it to the value that the service uses; create the first one with: openssl rand -base64 32',
    );
  }
  return await openRegistryVault(session.pool, keys);
}
