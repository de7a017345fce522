import { Type } from 'typebox';
import { findVendor } from '../../parties/store.ts';
import type { VendorRow } from '../../parties/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** Routes about one vendor. A vendor's people reach only their own (`mount.ts`). */
export const vendorParams = Type.Object({ vid: Type.String({ maxLength: 64 }) });

/** Throws: `not_found`. */
export async function requireVendor(db: Queryable, vid: string): Promise<VendorRow> {
  const vendor = await findVendor(db, vid);
  if (vendor === undefined) throw new Refusal('not_found', { text: 'Unknown vendor' });
  return vendor;
}
