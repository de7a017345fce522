import { registerVendor } from '../../parties/administer.ts';
import type { AddedVendor, GivenKey, NewVendor, Sealing } from '../../parties/administer.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { FIRST_ACCOUNTS } from './account.ts';
import { ensureAccounts } from './store.ts';

/** Adds a vendor with its accounts, in one commit. Throws: `PlainError` if the vid exists. */
export async function addVendor(
  db: Queryable,
  vendor: NewVendor,
  sealing: Sealing & GivenKey,
): Promise<AddedVendor> {
  return await changeSettings(db, 'vendors', async (client) => {
    const added = await registerVendor(client, vendor, sealing);
    await ensureAccounts(client, added.vendorId, FIRST_ACCOUNTS);
    return added;
  });
}
