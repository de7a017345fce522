import { PlainError } from '../platform/base/plain-error.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { markChanged } from '../platform/db/settings-watch.ts';

/** Counts the buckets that vendors are spread over. */
export async function countBuckets(db: Queryable): Promise<number> {
  const read = await db.query<{ count: number }>('select count(*)::integer as count from buckets');
  return read.rows[0]?.count ?? 0;
}

export async function listBuckets(db: Queryable): Promise<number[]> {
  const read = await db.query<{ bucket: number }>('select bucket from buckets order by bucket');
  return read.rows.map(({ bucket }) => bucket);
}

/** Counts vendors by bucket. */
export async function countVendorsByBucket(
  db: Queryable,
): Promise<{ readonly bucket: number; readonly vendors: number }[]> {
  const read = await db.query<{ bucket: number; vendors: number }>(
    `select bucket_of(vendor_id) as bucket, count(*)::integer as vendors from vendors
     group by 1 order by 1`,
  );
  return read.rows;
}

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

/** Throws: `PlainError` when rows are distributed by another number of buckets. */
export async function requireBuckets(db: Queryable, count: number): Promise<void> {
  const found = await countBuckets(db);
  if (found === count) return;
  throw new PlainError(
    `The rows are distributed by ${found} buckets already. Use --buckets ${found}, or run \`npm run -s malipo -- cluster undistribute\` first.`,
  );
}
