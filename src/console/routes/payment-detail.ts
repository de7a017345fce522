import type { Connector } from '../../connectors/operator.ts';
import type { PaymentTimeline, TimelineEntry } from '../../payments/timeline/assemble.ts';
import { forVendor } from '../../payments/timeline/for-vendor.ts';
import type { PaymentDetail } from '../answers.ts';
import { onWire } from '../on-wire.ts';
import { listedPayment } from './listed-payment.ts';

type ConnectorOf = (operatorCode: string) => Pick<Connector, 'acceptanceWindowMs'> | undefined;

/** A payment with its timeline. */
export function paymentDetail(
  found: PaymentTimeline,
  { forStaff, connectorOf }: { readonly forStaff: boolean; readonly connectorOf: ConnectorOf },
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
    provableAt: provableAt(timeline, connectorOf)?.toISOString() ?? null,
    note: forStaff ? payment.note : null,
    timeline: (forStaff ? timeline : forVendor(timeline)).map(onWire),
  };
}

function provableAt(
  timeline: readonly TimelineEntry[],
  connectorOf: ConnectorOf,
): Date | undefined {
  const open = timeline.find((entry) => entry.kind === 'attempt' && entry.outcome === null);
  if (open?.kind !== 'attempt' || open.operatorCode === null) return undefined;
  const windowMs = connectorOf(open.operatorCode)?.acceptanceWindowMs ?? null;
  return windowMs === null ? undefined : new Date(open.at.getTime() + windowMs);
}
