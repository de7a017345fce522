import { findVendor } from '../parties/store.ts';
import type { VendorRow } from '../parties/store.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/pool.ts';

/** The vendor in the path, which for a vendor’s people is their own. Throws: `not_found`. */
export async function requireVendor(db: Queryable, vid: string): Promise<VendorRow> {
  const vendor = await findVendor(db, vid);
  if (vendor === undefined)
    throw new Refusal('not_found', { text: `Vendor ${vid} does not exist.` });
  return vendor;
}
