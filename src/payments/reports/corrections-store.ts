import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';

/** A transfer of a correction, with what two people decided. */
export interface CorrectionTransfer {
  at: Date;
  vendorId: number;
  correctionId: string;
  leg: number;
  caseId: string;
  kind: string | null;
  resolution: string;
  paymentId: string | null;
  debitAccount: string;
  creditAccount: string;
  amountCents: bigint;
  proposedBy: string | null;
  approvedBy: string | null;
}

/** Oldest first. */
export async function listCorrectionTransfers(
  db: Queryable,
  { from, to }: BookPeriod,
  limit: number,
): Promise<CorrectionTransfer[]> {
  const listed = await db.query<CorrectionTransfer>(
    `select c.posted_at as at, c.vendor_id as "vendorId", c.correction_id as "correctionId",
       f.leg::integer as leg, c.case_id as "caseId", k.kind, c.resolution, c.payment_id as "paymentId",
       f.debit_account as "debitAccount", f.credit_account as "creditAccount",
       f.amount_cents as "amountCents", k.proposed_by as "proposedBy", k.resolved_by as "approvedBy"
     from corrections c
       join transfers f on f.bucket = c.bucket and f.vendor_id = c.vendor_id
         and f.source_id = c.correction_id
       left join cases k on k.bucket = c.bucket and k.vendor_id = c.vendor_id
         and k.case_id = c.case_id
     where c.posted_at >= $1 and c.posted_at < $2
     order by c.posted_at, c.correction_id, f.leg limit $3`,
    [from, to, limit],
  );
  return listed.rows;
}
