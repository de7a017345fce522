import { findVendor } from './read-vendors.ts';
import type { VendorRow } from './read-vendors.ts';
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

/**
 * The vendor whose float pays: a person’s own, or the one that a command names.
 * Throws: `missing_field`, `not_found`, `unknown_vendor`, `vendor_suspended`.
 */
export async function payingVendor(
  db: Queryable,
  { vendor }: { readonly vendor: { readonly vid: string } | undefined },
  named?: string,
): Promise<VendorRow> {
  const vid = vendor?.vid ?? named;
  if (vid === undefined) throw new Refusal('missing_field', { field: 'vid' });
  // For them, another vendor does not exist.
  if (named !== undefined && named !== vid) throw new Refusal('not_found');
  const paying = await findVendor(db, vid);
  if (paying === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  if (paying.status === 'suspended') throw new Refusal('vendor_suspended', { field: 'vid' });
  return paying;
}
