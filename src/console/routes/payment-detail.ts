import type { Connector } from '../../payments/dispatch/connector.ts';
import { HOUSE } from '../../payments/cases/cases-store.ts';
import { isOwnTermsAccount } from '../../payments/ledger/account.ts';
import type { PaymentTimeline, TimelineEntry } from '../../payments/timeline/assemble.ts';
import type { PaymentDetail } from '../answers.ts';
import { onWire } from '../on-wire.ts';
import { listedPayment } from './listed-payment.ts';

/** What only the staff may see: who resolved a case, and what the operator wrote to us. */
const STAFF_ONLY: ReadonlySet<string> = new Set([
  'case',
  'unmatched_callback',
  'statement_entry',
  'correction',
]);

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
    timeline: timeline
      .filter((entry) => forStaff || isForVendor(entry))
      .map((entry) => onWire(forStaff ? entry : withoutInternals(entry))),
  };
}

/** Our terms with operators are not the vendor's business. */
function isForVendor(entry: TimelineEntry): boolean {
  if (entry.kind !== 'transfer') return !STAFF_ONLY.has(entry.kind);
  const { debitAccount, creditAccount, vendorId } = entry;
  const isOurs = isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount);
  return vendorId !== HOUSE && !isOurs;
}

/** A vendor sees which operator got its payment, but not how we choose operators or communicate with them. */
function withoutInternals(entry: TimelineEntry): TimelineEntry {
  if (entry.kind !== 'attempt') return entry;
  return { ...entry, routeReason: null, note: null, operatorHandle: null };
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
