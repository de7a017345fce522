import type { Queryable } from '../../platform/db/pool.ts';
import type { PaymentKey } from '../create/payment.ts';

/** A payment whose operator owes details. */
export interface OwedDetails extends PaymentKey {
  readonly vid: string;
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly operatorVersion: number | null;
  readonly operatorHandle: string | null;
  readonly attemptNumber: number;
  readonly account: string;
  readonly amountCents: bigint;
  readonly since: Date;
  /** Null: the operator is not asked any more. */
  readonly dueAt: Date | null;
  /** Number of times that the operator was asked. */
  readonly asked: number;
  readonly note: string | null;
}

/** Only of payments that are still paid: a correction may have ended the wait. */
export const OWED = (where: string): string =>
  `select d.vendor_id as "vendorId", v.vid, d.payment_id as "paymentId", d.biller_code as "billerCode",
     d.operator_code as "operatorCode", d.operator_version as "operatorVersion",
     d.operator_handle as "operatorHandle", d.attempt_number::integer as "attemptNumber",
     t.account, t.amount_cents as "amountCents", d.since, d.due_at as "dueAt", d.asked, d.note
   from late_details d
     join payments t on t.bucket = d.bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
     join vendors v on v.vendor_id = d.vendor_id
   where d.ended_at is null and t.outcome = 'success' and ${where}`;

/** The payments whose operators owe details, longest first. */
export async function listOwedDetails(
  db: Queryable,
  { vendorId, limit }: { readonly vendorId?: number | undefined; readonly limit: number },
): Promise<OwedDetails[]> {
  const listed = await db.query<OwedDetails>(
    `${OWED('d.vendor_id = coalesce($1, d.vendor_id)')}
     order by d.since, d.payment_id limit $2`,
    [vendorId ?? null, limit],
  );
  return listed.rows;
}

/** Number of payments that wait for details of each operator, and since when the oldest waits. */
export async function countOwedDetails(
  db: Queryable,
): Promise<
  { readonly operatorCode: string; readonly count: number; readonly oldestSeconds: number }[]
> {
  const counted = await db.query<{ operatorCode: string; count: number; oldestSeconds: number }>(
    `select d.operator_code as "operatorCode", count(*)::integer as count,
       extract(epoch from now() - min(d.since))::float8 as "oldestSeconds"
     from late_details d
       join payments t on t.bucket = d.bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
     where d.ended_at is null and t.outcome = 'success'
     group by d.operator_code`,
  );
  return counted.rows;
}
