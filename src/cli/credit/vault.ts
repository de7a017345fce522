import { PlainError } from '../../platform/base/plain-error.ts';
import { openRegistryVault } from '../../credit/registry/open-vault-store.ts';
import { creditKeysOf } from '../../credit/registry/vault.ts';
import type { Vault } from '../../credit/registry/vault.ts';
import type { Session } from '../session.ts';

/**
 * The vault with the keys that the service runs with.
 * Throws: `PlainError` when a key is missing, or is not the registry's.
 */
export async function openVault(session: Session): Promise<Vault> {
  const { masterKeys } = await session.sealing();
  // The sandbox that made its master key derives the index key from it; others have one of their own.
  const derive = session.config.masterKey === undefined;
  const keys = creditKeysOf(session.config, masterKeys, derive);
  if (keys === undefined) {
    throw new PlainError(
      'CREDIT_INDEX_KEY is not set. Set it to the one that the service runs with; make the first one with: openssl rand -base64 32',
    );
  }
  return await openRegistryVault(session.pool, keys);
}
