import { PlainError } from '../platform/base/plain-error.ts';
import { rebucket } from '../platform/cluster/rebucket.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { setBuckets } from './buckets-store.ts';
import { countBuckets } from './read-buckets.ts';

/**
 * Spreads the vendors, and their rows in these tables, over this many buckets.
 * Throws: `PlainError` if some of the tables are distributed by another number already.
 */
export async function spreadVendors(
  db: Queryable,
  buckets: number,
  {
    tables,
    areSome,
  }: { readonly tables: Parameters<typeof rebucket>[1]; readonly areSome: boolean },
): Promise<void> {
  if (!areSome) {
    await setBuckets(db, buckets);
    await rebucket(db, tables);
    return;
  }
  const found = await countBuckets(db);
  if (found === buckets) return;
  throw new PlainError(
    `The rows are distributed by ${found} buckets already. Use --buckets ${found}, or run \`npm run -s malipo -- cluster undistribute\` first.`,
  );
}
