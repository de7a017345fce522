import { provesAfterMsOf } from '../../payments/dispatch/next-step.ts';
import type { Times } from '../../payments/dispatch/witness.ts';
import type { PaymentTimeline, TimelineEntry } from '../../payments/timeline/assemble.ts';
import { forVendor } from '../../payments/timeline/for-vendor.ts';
import type { PaymentDetail } from '../answers.ts';
import { onWire } from '../on-wire.ts';
import { listedPayment } from './listed-payment.ts';

type WitnessOf = (operatorCode: string, version: number | null) => Times | undefined;

/** A payment with its timeline. */
export function paymentDetail(
  found: PaymentTimeline,
  { forStaff, witnessOf }: { readonly forStaff: boolean; readonly witnessOf: WitnessOf },
): PaymentDetail {
  const { payment, timeline } = found;
  return {
    ...listedPayment(payment),
    billerReference: payment.billerReference,
    billerResponseTime: payment.billerResponseTime?.toISOString() ?? null,
    message: payment.message,
    failureCode: payment.failureCode,
    details: payment.details,
    settledBy: payment.settledBy,
    archived: payment.archived,
    queries: payment.verifyCount,
    nextStepAt: payment.dueAt?.toISOString() ?? null,
    provableAt: provableAt(timeline, witnessOf)?.toISOString() ?? null,
    note: forStaff ? payment.note : null,
    timeline: (forStaff ? timeline : forVendor(timeline)).map(onWire),
  };
}

/** When "not found" becomes proof that the instruction in progress was not executed, as the dispatcher counts it. */
function provableAt(timeline: readonly TimelineEntry[], witnessOf: WitnessOf): Date | undefined {
  const open = timeline.find((entry) => entry.kind === 'attempt' && entry.outcome === null);
  if (open?.kind !== 'attempt' || open.operatorCode === null) return undefined;
  const witness = witnessOf(open.operatorCode, open.operatorVersion);
  const afterMs = witness === undefined ? null : provesAfterMsOf(witness);
  return afterMs === null ? undefined : new Date(open.at.getTime() + afterMs);
}
