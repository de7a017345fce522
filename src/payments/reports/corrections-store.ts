import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import type { CorrectionContent } from '../ledger/authenticity.ts';

/** A transfer of a correction, with what two people decided. */
export interface CorrectionTransfer extends Omit<CorrectionContent, 'postedAt' | 'outcomeAfter'> {
  at: Date;
  leg: number;
  kind: string | null;
  /** Whose payment it is; 0: nobody’s. Null: the case is gone. */
  caseVendorId: number | null;
  debitAccount: string;
  creditAccount: string;
}

/** Oldest first. */
export async function listCorrectionTransfers(
  db: Queryable,
  { from, to }: BookPeriod,
  limit: number,
): Promise<CorrectionTransfer[]> {
  const listed = await db.query<CorrectionTransfer>(
    // The case of a correction between our own accounts is its vendor's, in another bucket.
    `with made as materialized (
       select * from corrections where posted_at >= $1 and posted_at < $2),
     decided as materialized (
       select case_id, vendor_id, kind, proposed_by, resolved_by from cases
       where resolved_at is not null)
     select c.posted_at as at, c.vendor_id as "vendorId", c.correction_id as "correctionId",
       f.leg::integer as leg, c.case_id as "caseId", k.kind, c.resolution, c.payment_id as "paymentId",
       k.vendor_id as "caseVendorId",
       f.debit_account as "debitAccount", f.credit_account as "creditAccount",
       f.amount_cents as "amountCents", k.proposed_by as "proposedBy", k.resolved_by as "approvedBy"
     from made c
       join transfers f on f.bucket = c.bucket and f.vendor_id = c.vendor_id
         and f.source_id = c.correction_id
       left join decided k on k.case_id = c.case_id
     order by c.posted_at, c.correction_id, f.leg limit $3`,
    [from, to, limit],
  );
  return listed.rows;
}
