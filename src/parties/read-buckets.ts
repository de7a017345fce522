import type { Queryable } from '../platform/db/pool.ts';

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
