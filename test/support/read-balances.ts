import type { Queryable } from '../../src/platform/db/pool.ts';

/** All accounts of a vendor. */
export async function readBalances(
  db: Queryable,
  vendorId: number,
): Promise<{ account: string; balanceCents: bigint }[]> {
  const read = await db.query<{ account: string; balanceCents: bigint }>(
    `select account, balance_cents as "balanceCents" from accounts where bucket = bucket_of($1) and vendor_id = $1
      order by account`,
    [vendorId],
  );
  return read.rows;
}
