import type { Queryable } from '../../platform/db/pool.ts';

/** Lists the vendors that may have enquiries, or calls to bureaus, whose payloads are kept. */
export async function listEnquiring(db: Queryable): Promise<number[]> {
  const vendors = await db.query<{ vendorId: number }>(
    `select vendor_id as "vendorId" from vendors union select vendor_id from enquiry_chains
     order by "vendorId"`,
  );
  return vendors.rows.map(({ vendorId }) => vendorId);
}

/**
 * Erases payloads of a vendor's enquiries, at most so many. Returns how many. By a function of the database's
 * owner, which keeps everything younger than the database's retention.
 */
export async function erasePayloadsOf(
  db: Queryable,
  of: { readonly vendorId: number; readonly before: Date; readonly limit: number },
): Promise<number> {
  const done = await db.query<{ erased: number }>(
    'select erase_enquiries(bucket_of($1), $1, $2, $3)::integer as erased',
    [of.vendorId, of.before, of.limit],
  );
  return done.rows[0]?.erased ?? 0;
}

/** Writes the minimum retention of enquiries, in days; 0: forever. */
export async function writeEnquiryRetention(owner: Queryable, days: number): Promise<void> {
  await owner.query('update enquiry_retention set least_days = nullif($1::integer, 0)', [days]);
}

/** The minimum retention of enquiries in the database, in days; 0: forever. */
export async function readEnquiryRetention(db: Queryable): Promise<number> {
  const read = await db.query<{ days: number }>(
    'select coalesce(least_days, 0) as days from enquiry_retention',
  );
  return read.rows[0]?.days ?? 0;
}
