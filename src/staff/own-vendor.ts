import { findVendor } from '../parties/read-vendors.ts';
import type { VendorRow } from '../parties/read-vendors.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/pool.ts';

/** The vendor in the path, which for a vendor’s people is their own. Throws: `not_found`. */
export async function requireVendor(db: Queryable, vid: string): Promise<VendorRow> {
  const vendor = await findVendor(db, vid);
  if (vendor === undefined)
    throw new Refusal('not_found', { text: `Vendor ${vid} does not exist.` });
  return vendor;
}

/** The vendor that a filter names; null: any. Throws: `unknown_vendor`. */
export async function vendorNamed(
  db: Queryable,
  vid: string | undefined,
): Promise<VendorRow | null> {
  if (vid === undefined) return null;
  const vendor = await findVendor(db, vid);
  if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  return vendor;
}
