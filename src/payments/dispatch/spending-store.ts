import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Sums what was sent today through each route of these billers, by `<biller code> <operator code>`:
 * payments that succeeded, and those whose outcome is unknown.
 * @param timeZone in which the day begins.
 */
export async function readSpending(
  db: Queryable,
  billerCodes: readonly string[],
  timeZone: string,
): Promise<Map<string, bigint>> {
  const read = await db.query<{ name: string; cents: bigint }>(
    `select biller_code || ' ' || operator_code as name, sum(amount_cents)::bigint as cents from (
       select t.biller_code, t.operator_code, f.amount_cents
       from transfers f join payments t on t.bucket = f.bucket and t.vendor_id = f.vendor_id
         and t.payment_id = f.source_id
       where f.leg = 2 and f.credit_account like 'operator:%' and t.biller_code = any ($1)
         and f.created_at >= date_trunc('day', now(), $2)
       union all
       select q.biller_code, q.operator_code, t.amount_cents
       from dispatch_queue q join payments t using (bucket, vendor_id, payment_id)
       where q.stage = 'verify' and q.biller_code = any ($1)
     ) s where operator_code is not null group by 1`,
    [billerCodes, timeZone],
  );
  return new Map(read.rows.map((row) => [row.name, row.cents]));
}
