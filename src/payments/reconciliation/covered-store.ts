import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { Period } from './store.ts';

/** True if complete statements cover from <= time < to. */
export type Covers = (from: Date, to: Date) => boolean;

/**
 * Reads what complete statements of the operator cover: every movement of that time has been matched with our ledger.
 * @param which `proofs`: without statements that may be of a merchant account that we had before, and without those
 * that were pulled, because operators list movements late.
 */
export async function readCoverage(
  db: Queryable,
  operator: string,
  which: 'all' | 'proofs',
): Promise<Covers> {
  const listed = await db.query<Period>(
    `select lower(p) as from, upper(p) as to from (
       select unnest(range_agg(tstzrange(period_start, period_end))) as p
       from operator_statements where operator = $1 and complete
         and ($2 = 'all' or not pulled and period_start >= coalesce((
           select max(v.replaced_at) from operator_versions v
           where v.operator_code = $1 and not v.same_account), '-infinity'))
     ) merged`,
    [operator, which],
  );
  return (from, to) => listed.rows.some((period) => period.from <= from && to <= period.to);
}

/** Counts those of the payments that exist and are not archived. */
export async function countPayments(
  db: Queryable,
  payments: readonly PaymentKey[],
): Promise<number> {
  let count = 0;
  for (const { bucket, items } of await groupByBucket(db, payments)) {
    const found = await db.query(
      `select from unnest($2::integer[], $3::uuid[]) as w (vendor_id, payment_id)
         join payments t on t.bucket = $1 and t.vendor_id = w.vendor_id and t.payment_id = w.payment_id`,
      [bucket, items.map(({ vendorId }) => vendorId), items.map(({ paymentId }) => paymentId)],
    );
    count += found.rowCount ?? 0;
  }
  return count;
}
