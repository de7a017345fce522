import { groupByBucket } from '../../parties/by-bucket-store.ts';
import { integerArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { AccountName } from './account.ts';

export async function readBalance(
  db: Queryable,
  vendorId: number,
  account: AccountName,
): Promise<bigint> {
  const read = await db.query<{ balanceCents: bigint }>(
    `select balance_cents as "balanceCents" from accounts
     where bucket = bucket_of($1) and vendor_id = $1 and account = $2`,
    [vendorId, account],
  );
  return read.rows[0]?.balanceCents ?? 0n;
}

/** The floats of these vendors, in cents. */
export async function readFloats(
  db: Queryable,
  vendorIds: readonly number[],
): Promise<Map<number, bigint>> {
  const floats = new Map<number, bigint>();
  const wanted = vendorIds.map((vendorId) => ({ vendorId }));
  for (const { bucket, items } of await groupByBucket(db, wanted)) {
    const read = await db.query<{ vendorId: number; balanceCents: bigint }>({
      name: 'read_floats',
      text: `select a.vendor_id as "vendorId", a.balance_cents as "balanceCents"
        from (
            select vendor_id, 'float' as account from unnest($2::integer[]) u (vendor_id)
            limit cardinality($2)
          ) w
          join accounts a
            on a.bucket = $1 and a.vendor_id = w.vendor_id and a.account = w.account`,
      values: [bucket, integerArray(items.map(({ vendorId }) => vendorId))],
    });
    for (const row of read.rows) floats.set(row.vendorId, row.balanceCents);
  }
  return floats;
}
