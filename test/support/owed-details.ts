import { decodeReference } from '../../src/parties/reference.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';

/** The operator of a paid payment says that details follow; it is asked in an hour. */
export async function oweDetails(db: Queryable, reference: string): Promise<void> {
  const { vendorId, paymentId } = decodeReference(reference) ?? {};
  await db.query(
    `insert into late_details (bucket, vendor_id, payment_id, biller_code, operator_code, paid_cents,
       attempt_number, since, due_at, asked, note)
     select bucket, vendor_id, payment_id, biller_code, operator_code, amount_cents, attempt_number, settled_at,
       now() + interval '1 hour', 3, 'paid, details follow'
     from payments where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2 and outcome = 'success'`,
    [vendorId, paymentId],
  );
}
