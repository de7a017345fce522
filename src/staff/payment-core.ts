import { decodeReference, encodeReference } from '../parties/reference.ts';
import type { PaymentKey } from '../payments/create/payment.ts';
import { provesAfterMsOf } from '../payments/dispatch/next-step.ts';
import { readAsked } from '../payments/timeline/asked.ts';
import type { AskedPayments } from '../payments/timeline/asked.ts';
import type { PaymentTimeline, TimelineEntry as Recorded } from '../payments/timeline/assemble.ts';
import { forVendor, isOfHouse } from '../payments/timeline/for-vendor.ts';
import type { QueriedPayment } from '../payments/timeline/query.ts';
import type { OwedDetails } from '../payments/settle/read-late-details.ts';
import { formatMoney } from '../platform/base/money.ts';
import { paymentView, resultView } from '../self-service/payment-view.ts';
import type { StaffDeps } from './deps.ts';
import type { ListedPayment, PaymentDetail, TimelineEntry } from './payment-schema.ts';
import type { Viewer } from './viewer.ts';

/** Which payments somebody asks for: a vendor’s people see those of their vendor. Throws as `readAsked` does. */
export async function askedOf(
  asked: AskedPayments,
  { pool, clock, wireTime }: StaffDeps,
  { vendor }: Viewer,
) {
  return await readAsked(pool, asked, {
    ...{ vendorId: vendor?.vendorId, now: clock.now(), wireTime },
  });
}

/** Undefined: it is no reference, or another vendor’s, which does not exist for a vendor’s people. */
export function ownKey(reference: string, { vendor }: Viewer): PaymentKey | undefined {
  const key = decodeReference(reference.toUpperCase());
  return vendor === undefined || vendor.vendorId === key?.vendorId ? key : undefined;
}

/** A payment as lists show it. */
export function listedPayment(row: QueriedPayment): ListedPayment {
  const { amount_cents: _amount, fee_cents: _fee, ...same } = paymentView(row);
  return {
    ...same,
    vid: row.vid,
    operator: row.operatorCode,
    amount: formatMoney(row.amountCents),
    fee: formatMoney(row.feeCents),
  };
}

/** A payment of which details are owed. */
export function owedDetailsView(row: OwedDetails, { vendor }: Pick<Viewer, 'vendor'>) {
  return {
    reference: encodeReference(row.vendorId, row.paymentId),
    ...{ vid: row.vid, biller: row.billerCode, operator: row.operatorCode, account: row.account },
    amount: formatMoney(row.amountCents),
    ...{ since: row.since.toISOString(), asked: row.asked },
    next_at: row.dueAt?.toISOString() ?? null,
    note: vendor === undefined ? row.note : null,
  };
}

/** A payment with its timeline. */
export function paymentDetailOf(
  found: PaymentTimeline,
  { payments }: Pick<StaffDeps, 'payments'>,
  { vendor }: Pick<Viewer, 'vendor'>,
): PaymentDetail {
  const { payment, timeline } = found;
  return {
    ...listedPayment(payment),
    ...resultView(found),
    settled_by: payment.settledBy,
    queries: payment.verifyCount,
    next_step_at: payment.dueAt?.toISOString() ?? null,
    provable_at: provableAt(timeline, payments)?.toISOString() ?? null,
    note: vendor === undefined ? payment.note : null,
    timeline: (vendor === undefined ? timeline : forVendor(timeline)).map(entryOf),
  };
}

/** When "not found" becomes proof that the instruction in progress was not executed, as the dispatcher counts it. */
function provableAt(
  timeline: readonly Recorded[],
  payments: StaffDeps['payments'],
): Date | undefined {
  const open = timeline.find((entry) => entry.kind === 'attempt' && entry.outcome === null);
  if (open?.kind !== 'attempt' || open.operatorCode === null) return undefined;
  const witness = payments?.witnessOf(open.operatorCode, open.operatorVersion);
  const afterMs = witness === undefined ? null : provesAfterMsOf(witness);
  return afterMs === null ? undefined : new Date(open.at.getTime() + afterMs);
}

const isoOf = (at: Date | null): string | null => at?.toISOString() ?? null;

function detailsEntry(entry: Extract<Recorded, { kind: 'details' }>): TimelineEntry {
  return {
    ...{ at: entry.at.toISOString(), kind: entry.kind, operator: entry.operatorCode },
    is_owed: entry.isOwed,
    owed_since: entry.isOwed ? entry.since.toISOString() : null,
    names: Object.keys(entry.details),
    ...{ asked: entry.asked, note: entry.note },
  };
}

function entryOf(entry: Recorded): TimelineEntry {
  const at = entry.at.toISOString();
  switch (entry.kind) {
    case 'created':
      return { at, kind: entry.kind };
    case 'transfer':
      return {
        ...{ at, kind: entry.kind, movement: entry.movement },
        amount: formatMoney(entry.amountCents),
        debit_account: entry.debitAccount,
        credit_account: entry.creditAccount,
        is_house: isOfHouse(entry),
      };
    case 'attempt':
      return {
        ...{ at, kind: entry.kind, attempt: entry.attemptNumber, outcome: entry.outcome },
        ended_at: isoOf(entry.endedAt),
        operator: entry.operatorCode,
        route_reason: entry.routeReason,
        operator_handle: entry.operatorHandle,
        note: entry.note,
      };
    case 'settled':
      return { at, kind: entry.kind, status: entry.status, source: entry.source };
    case 'unmatched_callback':
      return { at, kind: entry.kind, operator: entry.operatorCode, report: entry.report };
    case 'statement_entry':
      return {
        ...{ at, kind: entry.kind, operator: entry.operator, movement: entry.movement },
        amount: formatMoney(entry.amountCents),
        operator_reference: entry.operatorReference,
        verdict: entry.verdict,
      };
    case 'correction':
      return {
        ...{ at, kind: entry.kind, case: entry.caseId, resolution: entry.resolution },
        ...{ amount: formatMoney(entry.amountCents), outcome_after: entry.outcomeAfter },
      };
    case 'details':
      return detailsEntry(entry);
    case 'event':
      return {
        ...{ at, kind: entry.kind, event_id: entry.eventId, event_type: entry.type },
        ...{ state: entry.state, attempts: entry.attemptCount, last_result: entry.lastResult },
        first_attempt_at: isoOf(entry.firstAttemptAt),
        due_at: isoOf(entry.dueAt),
        ended_at: isoOf(entry.endedAt),
      };
    case 'case':
      return {
        ...{ at, kind: entry.kind, case: entry.caseId, case_kind: entry.caseKind },
        ...{ action: entry.action, actor: entry.actor, resolution: entry.resolution },
      };
  }
}
