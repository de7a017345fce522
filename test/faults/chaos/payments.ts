import type { Pool } from '../../../src/platform/db/pool.ts';
import { cannotBeAsked, cannotProveAbsence } from './providers.ts';

/** A payment in the database. */
export interface PaymentRow {
  readonly vid: string;
  readonly vendor_id: number;
  readonly payment_id: string;
  readonly merchant_reference: string;
  readonly account: string;
  readonly amount: string;
  readonly outcome: 'success' | 'failed' | null;
  /** The operator of the instruction in progress. */
  readonly operator_code: string | null;
  readonly operator_handle: string | null;
  readonly has_case: boolean;
  /** Until it is due, or the lease of its call ends; 0 if it is not open. */
  readonly due_in_ms: number;
}

/** @param condition SQL about `t`, a payment, and `q`, its row of the queue. */
export async function readPayments(pool: Pool, condition = 'true'): Promise<PaymentRow[]> {
  const read = await pool.query<PaymentRow>(
    `select v.vid, t.vendor_id, t.payment_id, t.merchant_reference, t.account,
       (t.amount_cents / 100.0)::numeric(14, 2)::text as amount, t.outcome,
       q.operator_code, q.operator_handle,
       coalesce(extract(epoch from q.due_at - now()) * 1000, 0)::float8 as due_in_ms,
       exists (select from cases c where c.bucket = t.bucket and c.vendor_id = t.vendor_id
         and c.payment_id = t.payment_id and c.kind = 'no_answer') as has_case
     from payments t join vendors v using (vendor_id)
       left join dispatch_queue q using (bucket, vendor_id, payment_id)
     where ${condition}`,
  );
  return read.rows;
}

/** Whether the payment is open with a case for people, because its result cannot be found out. */
export function isLeftToPeople(row: PaymentRow): boolean {
  return hasOpenCase(row) && (isUnknowable(row) || cannotProveAbsence(row.operator_code));
}

/** The same for a payment that the operator has paid. */
export function isPaidAndLeftToPeople(row: PaymentRow): boolean {
  return hasOpenCase(row) && isUnknowable(row);
}

function hasOpenCase({ outcome, has_case: hasCase }: PaymentRow): boolean {
  return outcome === null && hasCase;
}

function isUnknowable({ operator_code: code, operator_handle: handle }: PaymentRow): boolean {
  return cannotBeAsked(code, handle);
}
