import { encodeReference } from '../../parties/reference.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { HOUSE, hadCaseSinceSent, openCase } from '../cases/cases-store.ts';
import type { FinalReport, PaymentKey } from '../create/payment.ts';

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

/**
 * Opens a case about a payment whose outcome neither an answer nor a query gives. Only once for each
 * instruction: a case that people have decided is not opened again.
 */
export async function openNoAnswerCase(
  db: Queryable,
  { vendorId, paymentId, billerCode }: PaymentKey & { readonly billerCode: string },
  about: { readonly note: string; readonly operatorCode: string },
): Promise<void> {
  const subject = { vendorId, paymentId, kind: 'no_answer' } as const;
  if (await hadCaseSinceSent(db, { ...subject, billerCode })) return;
  await openCase(db, {
    ...subject,
    evidenceId: null,
    operatorCode: about.operatorCode,
    facts: { source: 'dispatch', note: about.note },
  });
}
