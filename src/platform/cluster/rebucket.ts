import type { Queryable } from '../db/pool.ts';
import { recordSchema } from '../db/schema-check.ts';

/**
 * Rewrites the bucket of every row, after the function `bucket_of` was changed in the same database
 * transaction. The caller holds locks that keep everybody from the tables, and knows that no
 * process caches a bucket.
 * @param tables those with a bucket, none of which may be distributed already.
 */
export async function rebucket(db: Queryable, tables: readonly string[]): Promise<void> {
  const quoted = await db.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class c
     where relnamespace = current_schema()::regnamespace and relname = any ($1::text[])
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'vendor_id')`,
    [tables],
  );
  for (const { name } of quoted.rows) {
    await db.query(
      `update ${name} set bucket = bucket_of(vendor_id) where bucket <> bucket_of(vendor_id)`,
    );
  }
  await recordSchema(db);
}
