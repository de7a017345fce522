import { listBuckets } from '../../parties/read-buckets.ts';
import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listBillersOfOneRoute } from '../billers/routes-store.ts';
import type { PaymentKey } from '../create/payment.ts';

/**
 * Records instructions that the ledger lost in a restore. An operator's statement, or a person on
 * the operator's behalf, reports that it paid a payment for which the restored ledger has no
 * instruction to it, and none in progress. With the instruction recorded, the report can settle the
 * payment, and nobody sends it again. The caller holds the vendors' float rows.
 *
 * @param operatorCode the operator that paid; null: unknown.
 */
export async function recallInstructions(
  db: Queryable,
  payments: readonly PaymentKey[],
  operatorCode: string | null,
): Promise<void> {
  for (const { bucket, items } of await groupByBucket(db, payments)) {
    await db.query(
      `with forgotten as materialized (
         select q.vendor_id, q.payment_id, q.biller_code
         from (
             select * from unnest($2::integer[], $3::uuid[]) as u (vendor_id, payment_id)
             limit cardinality($2)
           ) k
           join payments t
             on t.bucket = $1 and t.vendor_id = k.vendor_id and t.payment_id = k.payment_id
           join dispatch_queue q on q.bucket = $1 and q.vendor_id = t.vendor_id
             and q.biller_code = t.biller_code and q.stage = 'send' and q.payment_id = t.payment_id
         where q.attempt_number = 0 or $4::text is not null and not exists (
           select from unexecuted_attempts x
           where x.bucket = $1 and x.vendor_id = q.vendor_id and x.payment_id = q.payment_id
             and coalesce(x.operator_code, $4) = $4)
         for update of q
       )
       update dispatch_queue q
       set stage = 'verify', attempt_number = least(q.attempt_number + 1, 32767), claim_number = q.claim_number + 1, sent_at = now(),
         note = 'known from the operator only', operator_code = $4, operator_price = null, operator_version = null
       from forgotten f
       where q.bucket = $1 and q.vendor_id = f.vendor_id and q.biller_code = f.biller_code
         and q.stage = 'send' and q.payment_id = f.payment_id`,
      [bucket, items.map((key) => key.vendorId), items.map((key) => key.paymentId), operatorCode],
    );
  }
}

/**
 * Finds the open payments whose last instruction is still the given one: no other has been sent, and
 * none can be sent before the caller's database transaction ends. The caller holds the vendors' float
 * rows.
 */
export async function lockStillUnderWay(
  db: Queryable,
  payments: readonly (PaymentKey & { readonly lastSentAt: Date | null })[],
): Promise<ReadonlySet<string>> {
  const still = new Set<string>();
  for (const { bucket, items } of await groupByBucket(db, payments)) {
    const locked = await db.query<{ paymentId: string }>(
      `select q.payment_id as "paymentId"
       from (
           select * from unnest($2::integer[], $3::uuid[], $4::timestamptz[])
             as u (vendor_id, payment_id, last_sent_at)
           limit cardinality($2)
         ) k
         join payments t
           on t.bucket = $1 and t.vendor_id = k.vendor_id and t.payment_id = k.payment_id
         join dispatch_queue q on q.bucket = $1 and q.vendor_id = t.vendor_id
           and q.biller_code = t.biller_code and q.stage = 'verify' and q.payment_id = t.payment_id
       where date_trunc('milliseconds', q.sent_at) <= k.last_sent_at
       order by q.vendor_id, q.payment_id for update of q`,
      [
        bucket,
        items.map((key) => key.vendorId),
        items.map((key) => key.paymentId),
        items.map((key) => key.lastSentAt),
      ],
    );
    for (const { paymentId } of locked.rows) still.add(paymentId);
  }
  return still;
}

/** An instruction that is in progress. */
export interface Instruction {
  readonly operatorCode: string | null;
  /** When it was sent, in seconds, to the microsecond: another one has another time. */
  readonly sentAt: string;
}

/**
 * The instruction of an open payment that is in progress. It does not end before the caller's database transaction
 * does. Undefined: none is in progress.
 */
export async function lockInstruction(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string },
): Promise<Instruction | undefined> {
  const locked = await db.query<Instruction>(
    `select operator_code as "operatorCode", extract(epoch from sent_at)::text as "sentAt"
     from dispatch_queue
     where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage = 'verify'
       and payment_id = $3 for update`,
    [payment.vendorId, payment.billerCode, payment.paymentId],
  );
  return locked.rows[0];
}

/**
 * Records an instruction for every payment that was queued at the end of the missing period,
 * because it may have been sent during that period. The operator is then asked before anything is
 * sent. Returns how many payments.
 */
export async function suspectQueued(
  db: Queryable,
  suspicion: {
    /** Only payments created before then, because only those may have been sent. */
    readonly createdUntil: string;
    readonly dueAt: string;
  },
): Promise<number> {
  // If several operators may have it, the ledger does not know which.
  const certain = await listBillersOfOneRoute(db);
  let count = 0;
  for (const bucket of await listBuckets(db)) {
    const suspected = await db.query(
      `update dispatch_queue d
       set stage = 'verify', attempt_number = d.attempt_number + 1, verify_count = 0,
         claim_number = d.claim_number + 1, due_at = $3::timestamptz, sent_at = $2::timestamptz,
         note = 'it may have been sent in the period that the ledger lacks',
         operator_code = t.operator_code, route_reason = null,
         operator_price = null, operator_version = null
       from (
         select p.vendor_id, p.payment_id, c.operator_code
         from payments p left join unnest($4::text[], $5::text[]) as c (biller_code, operator_code)
           using (biller_code)
         where p.bucket = $1 and p.created_at <= $2::timestamptz
       ) t
       where d.bucket = $1 and d.stage = 'send' and t.vendor_id = d.vendor_id
         and t.payment_id = d.payment_id`,
      [
        bucket,
        suspicion.createdUntil,
        suspicion.dueAt,
        certain.map((biller) => biller.billerCode),
        certain.map((biller) => biller.operatorCode),
      ],
    );
    count += suspected.rowCount ?? 0;
  }
  return count;
}
