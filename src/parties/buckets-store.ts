import type { Queryable } from '../platform/db/pool.ts';
import { markChanged } from '../platform/db/settings-watch.ts';

/**
 * Spreads the vendors over this many buckets. The rows of their tables are not moved here; the caller
 * moves them in the same database transaction.
 */
export async function setBuckets(db: Queryable, count: number): Promise<void> {
  if (!Number.isInteger(count) || count < 1) throw new Error(`${count} is no number of buckets`);
  await db.query(
    `create or replace function bucket_of(p_vendor_id integer) returns integer
     language sql immutable parallel safe as 'select p_vendor_id % ${count}'`,
  );
  await db.query('delete from buckets where bucket >= $1', [count]);
  await db.query(
    'insert into buckets (bucket) select generate_series(0, $1 - 1) on conflict do nothing',
    [count],
  );
  await markChanged(db, 'vendors');
}
