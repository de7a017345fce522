import { isLostWorker } from '../platform/db/pool.ts';
import type { Queryable } from '../platform/db/pool.ts';

/** The buckets of vendors, by vendor id. They change only while the service is stopped. */
type Known = Map<number, number>;

/** By connection or pool, so that each asks once for a vendor. */
const knownBy = new WeakMap<Queryable, Known>();

async function bucketsOf(
  db: Queryable,
  items: readonly { readonly vendorId: number }[],
): Promise<Known> {
  const known = knownBy.get(db) ?? new Map<number, number>();
  knownBy.set(db, known);
  const missing = new Set<number>();
  for (const { vendorId } of items) if (!known.has(vendorId)) missing.add(vendorId);
  if (missing.size === 0) return known;
  const read = await db.query<{ vendorId: number; bucket: number }>({
    name: 'buckets_of',
    text: `select vendor_id as "vendorId", bucket_of(vendor_id) as bucket
      from unnest($1::integer[]) as v (vendor_id)`,
    values: [[...missing]],
  });
  for (const { vendorId, bucket } of read.rows) known.set(vendorId, bucket);
  return known;
}

interface Group<Item> {
  readonly bucket: number;
  readonly items: readonly Item[];
  /** Where the items were. */
  readonly indexes: readonly number[];
}

/** The items by the buckets that their vendors are in, in the order of the buckets. */
export async function groupByBucket<Item extends { readonly vendorId: number }>(
  db: Queryable,
  items: readonly Item[],
): Promise<Group<Item>[]> {
  return groupBy(await bucketsOf(db, items), items);
}

function groupBy<Item extends { readonly vendorId: number }>(
  buckets: Known,
  items: readonly Item[],
): Group<Item>[] {
  const groups = Map.groupBy(items.entries(), ([, { vendorId }]) => buckets.get(vendorId) ?? 0);
  return [...groups]
    .toSorted(([one], [other]) => one - other)
    .map(([bucket, entries]) => ({
      bucket,
      items: entries.map(([, item]) => item),
      indexes: entries.map(([index]) => index),
    }));
}

/**
 * Makes a call for each bucket that the items' vendors are in, in the order of the buckets; on one machine
 * that is one call. A call returns one result per item, in order, and so does this.
 */
export async function byBucket<Item extends { readonly vendorId: number }, Result>(
  db: Queryable,
  items: readonly Item[],
  call: (bucket: number, items: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const buckets = await bucketsOf(db, items);
  const only = onlyBucket(buckets, items);
  if (only !== undefined) return await call(only, items);
  const results: Result[] = [];
  for (const { bucket, items: group, indexes } of groupBy(buckets, items)) {
    const made = await call(bucket, group);
    for (const [position, index] of indexes.entries()) results[index] = made[position] as Result;
  }
  return results;
}

/** The bucket of all items; undefined if they have several, or there is no item. */
function onlyBucket(
  buckets: Known,
  items: readonly { readonly vendorId: number }[],
): number | undefined {
  const bucket = items[0] && buckets.get(items[0].vendorId);
  return items.every(({ vendorId }) => buckets.get(vendorId) === bucket) ? bucket : undefined;
}

/**
 * Reads rows of all vendors with one statement. While a worker of a cluster is away that fails: then bucket
 * by bucket, without those of that worker.
 */
export async function readReachable<Row>(
  db: Queryable,
  readAll: () => Promise<{ readonly rows: readonly Row[] }>,
  readOf: (bucket: number) => Promise<{ readonly rows: readonly Row[] }>,
): Promise<readonly Row[]> {
  try {
    return (await readAll()).rows;
  } catch (error) {
    if (!isLostWorker(error)) throw error;
  }
  const buckets = await db.query<{ bucket: number }>(
    'select distinct bucket_of(vendor_id) as bucket from vendors order by bucket',
  );
  const rows: Row[] = [];
  for (const { bucket } of buckets.rows) {
    try {
      rows.push(...(await readOf(bucket)).rows);
    } catch (error) {
      if (!isLostWorker(error)) throw error;
    }
  }
  return rows;
}
