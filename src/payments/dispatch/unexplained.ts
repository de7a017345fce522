import { encodeReference } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { HOUSE, openCase } from '../cases/cases-store.ts';
import type { FinalReport } from '../create/payment.ts';

/**
 * Opens a case of vendor 0 about an operator's answer to an instruction that belongs to no payment.
 */
export async function openUnexplainedCase(
  db: Queryable,
  { report, operatorCode }: { readonly report: FinalReport; readonly operatorCode: string | null },
): Promise<void> {
  await openCase(db, {
    vendorId: HOUSE,
    paymentId: null,
    kind: 'unmatched_callback',
    evidenceId: report.paymentId,
    operatorCode,
    facts: {
      source: report.source,
      reference: encodeReference(report.vendorId, report.paymentId),
      operator_says: report.outcome,
      biller_reference: report.billerReference,
      paid_cents: report.outcome === 'success' ? Number(report.paidCents) : null,
    },
  });
}
