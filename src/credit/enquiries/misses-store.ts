import type { Queryable } from '../../platform/db/pool.ts';
import { MISSES } from './disclosure.ts';

/** A vendor's misses after an instant, at most `atMost` of them, and the time of the oldest. */
export async function countMisses(
  db: Queryable,
  of: { readonly vendorId: number; readonly after: Date; readonly atMost: number },
): Promise<{ readonly count: number; readonly oldest: Date | null }> {
  const read = await db.query<{ count: bigint; oldest: Date | null }>({
    name: 'enquiry_misses',
    text: `select count(*) as count, min(enquired_at) as oldest from (
        select enquired_at from enquiries
        where bucket = bucket_of($1) and vendor_id = $1 and enquired_at > $2 and outcome in (${OUTCOMES})
        order by enquired_at desc limit $3) m`,
    values: [of.vendorId, of.after, of.atMost],
  });
  const row = read.rows[0];
  return { count: Number(row?.count ?? 0n), oldest: row?.oldest ?? null };
}

// As literals, so that the partial index of misses is used.
const OUTCOMES = MISSES.map((outcome) => `'${outcome}'`).join(', ');
