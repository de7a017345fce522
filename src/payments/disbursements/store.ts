import type { Queryable } from '../../platform/db/pool.ts';

/** A refund that may have been, or may be, paid. */
export interface RefundRow {
  proposalId: string;
  cents: bigint;
}

/**
 * Refunds of a payment that wait, or were approved and have not failed.
 */
export async function listRefunds(
  db: Queryable,
  vendorId: number,
  refundOf: string,
): Promise<RefundRow[]> {
  const listed = await db.query<RefundRow & { paymentId: string }>(
    `select p.proposal_id as "proposalId", p.content ->> 'paymentId' as "paymentId",
       (p.content ->> 'cents')::bigint as cents
     from proposals p left join proposal_decisions d on d.proposal_id = p.proposal_id
     where p.kind = 'refund' and p.vendor_id = $1 and p.content ->> 'refundOf' = $2
       and coalesce(d.decision, 'approved') = 'approved'`,
    [vendorId, refundOf],
  );
  const outcomes = await readOutcomes(
    db,
    vendorId,
    listed.rows.map(({ paymentId }) => paymentId),
  );
  return listed.rows.filter(({ paymentId }) => outcomes.get(paymentId) !== 'failed');
}

/** Outcomes of a vendor's payments; null while one is open. Payments that do not exist are left out. */
export async function readOutcomes(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (paymentIds.length === 0) return new Map();
  const read = await db.query<{ paymentId: string; outcome: string | null }>(
    `select payment_id as "paymentId", outcome from payments
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = any ($2::uuid[])
     union all
     select payment_id, outcome from archived_payments
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = any ($2::uuid[])`,
    [vendorId, paymentIds],
  );
  return new Map(read.rows.map(({ paymentId, outcome }) => [paymentId, outcome]));
}

/** True if people corrected the payment, or have to decide about it. */
export async function isDisputed(
  db: Queryable,
  vendorId: number,
  paymentId: string,
): Promise<boolean> {
  const found = await db.query(
    `select from corrections
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2
     union all
     select from cases
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2 and resolved_at is null`,
    [vendorId, paymentId],
  );
  return found.rowCount !== 0;
}

/** Returns false if an instruction is in progress, or the payment has ended. */
export async function cancelPayment(
  db: Queryable,
  payment: { readonly vendorId: number; readonly paymentId: string; readonly billerCode: string },
  message: string,
): Promise<boolean> {
  const { vendorId, paymentId, billerCode } = payment;
  const cancelled = await db.query<{ done: boolean }>(
    'select cancel_payment(bucket_of($1), $1, $2, $3, $4) as done',
    [vendorId, paymentId, billerCode, message],
  );
  return cancelled.rows[0]?.done === true;
}
