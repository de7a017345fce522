import type { QueryResultRow } from 'pg';
import { findCitus } from '../../platform/cluster/tables.ts';
import { listBuckets } from '../../parties/read-buckets.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { PAYMENTS_TABLES } from '../tables.ts';

/** Reads distributed tables, and has their column `bucket`. */
const BUCKETED_VIEWS = ['attempts'];

const BUCKETED = new Set([
  ...Object.keys(PAYMENTS_TABLES).filter((table) => PAYMENTS_TABLES[table] === 'distributed'),
  ...BUCKETED_VIEWS,
]);

/** Tables of the coordinator: those with vendors' rows by the vendor, the others as they are. */
const LOCAL: Readonly<Record<string, (bucket: number) => string>> = {
  collections: (bucket) => `where bucket_of(vendor_id) = ${bucket}`,
  vendor_openings: (bucket) => `where bucket_of(vendor_id) = ${bucket}`,
  vendor_payouts: (bucket) => `where bucket_of(vendor_id) = ${bucket}`,
  proposals: (bucket) => `where bucket_of(vendor_id) = ${bucket}`,
  proposal_decisions: () => '',
  closed_days: () => '',
  transfer_sums: () => '',
  // The house is vendor 0 of the hash chain.
  house_transfers: (bucket) => `where bucket_of(0) = ${bucket}`,
};

/**
 * Limits the query to the rows of one bucket, so that on a cluster it runs on the node that has them.
 * Its text is taken as it is: in front of it, the names of its tables are given to the rows of the
 * bucket. With one bucket this changes no plan.
 * @param onCluster rows of the coordinator are read first, and sent along.
 */
export function inBucket(sql: string, bucket: number, onCluster: boolean): string {
  if (!Number.isInteger(bucket)) throw new Error(`${bucket} is no bucket`);
  const named = [...new Set(sql.match(/\b[a-z_]+\b/g))];
  const parts = named.flatMap((table) => {
    if (BUCKETED.has(table)) {
      return [`${table} as not materialized (select * from ${table} where bucket = ${bucket})`];
    }
    const local = LOCAL[table];
    if (local === undefined) return [];
    const how = onCluster ? 'materialized' : 'not materialized';
    return [`${table} as ${how} (select * from ${table} ${local(bucket)})`];
  });
  return parts.length === 0 ? sql : `with ${parts.join(', ')} select * from (${sql}) found`;
}

/** Runs the query over the rows of each bucket in turn. Returns what all of them gave. */
export async function queryByBucket<Row extends QueryResultRow>(
  db: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const onCluster = (await findCitus(db)) !== undefined;
  const rows: Row[] = [];
  for (const bucket of await listBuckets(db)) {
    rows.push(...(await db.query<Row>(inBucket(sql, bucket, onCluster), values)).rows);
  }
  return rows;
}
