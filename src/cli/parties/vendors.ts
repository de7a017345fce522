import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findVendor } from '../../parties/read-vendors.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';

/** The vendor that `--vid` names. Throws: `unknown_vendor`. */
export async function requireVendor(db: Queryable, vid: string): Promise<VendorRow> {
  const vendor = await findVendor(db, vid);
  if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  return vendor;
}

/**
 * Like `requireVendor`, for what a suspended vendor may not do. Also throws: `vendor_suspended`.
 */
export async function requireActiveVendor(db: Queryable, vid: string): Promise<VendorRow> {
  const vendor = await requireVendor(db, vid);
  if (vendor.status === 'suspended') throw new Refusal('vendor_suspended', { field: 'vid' });
  return vendor;
}
