import { setBuckets } from '../../src/parties/buckets-store.ts';
import { recordSchema } from '../../src/platform/db/schema-check.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from './citus.ts';

/** Spreads vendors that are added from now on over several buckets, as on a cluster. */
export async function spreadVendors(owner: Pool, buckets = 4): Promise<void> {
  if (CITUS_URL !== undefined) return;
  await setBuckets(owner, buckets);
  await recordSchema(owner);
}
