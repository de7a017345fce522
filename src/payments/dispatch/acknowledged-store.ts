import type { Queryable } from '../../platform/db/pool.ts';
import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { PaymentKey } from '../create/payment.ts';

/** A payment as a commit left it: created, or claimed to be sent. */
export interface AcknowledgedPayment extends PaymentKey {
  /** 0: created. */
  readonly attemptNumber: number;
}

/**
 * True if the database lacks one of the payments, or one of the attempts. In quarantine, payments that
 * were queued have an attempt that nobody made, and that one proves nothing.
 */
export async function lacksAny(
  db: Queryable,
  payments: readonly AcknowledgedPayment[],
): Promise<boolean> {
  for (const { bucket, items } of await groupByBucket(db, payments)) {
    const found = await db.query<{ count: number }>(
      `select count(*)::integer as count
       from (
           select * from unnest($2::integer[], $3::uuid[], $4::integer[])
             as u (vendor_id, payment_id, attempt_number)
           limit cardinality($2)
         ) k
         join payments t
           on t.bucket = $1 and t.vendor_id = k.vendor_id and t.payment_id = k.payment_id
         cross join (
           select coalesce(min(entered_at), 'infinity') as entered_at
           from quarantines where released_at is null
         ) z
       where k.attempt_number = 0 or t.settled_at < z.entered_at or exists (
         select from attempts a
         where a.bucket = $1 and a.vendor_id = k.vendor_id and a.biller_code = t.biller_code
           and a.payment_id = k.payment_id and a.attempt_number >= k.attempt_number
           and a.sent_at < z.entered_at)`,
      [
        bucket,
        items.map((item) => item.vendorId),
        items.map((item) => item.paymentId),
        items.map((item) => item.attemptNumber),
      ],
    );
    if (found.rows[0]?.count !== items.length) return true;
  }
  return false;
}
