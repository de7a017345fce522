import type { TObject } from 'typebox';
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
import { timelineEntry } from './payment-schema.ts';
import type { ListedPayment, PaymentDetail, TimelineEntry } from './payment-schema.ts';
import type { Viewer } from './viewer.ts';
import { fit, wireOf } from './wire.ts';

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

/** The names of those that people call otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ attemptNumber: 'attempt', attemptCount: 'attempts', caseId: 'case', type: 'eventType' },
  ...{ since: 'owedSince' },
};

function entryOf(entry: Recorded): TimelineEntry {
  const named = Object.entries(entry).map(([name, value]) => [NAMES[name] ?? name, value]);
  const schema = timelineEntry.anyOf.find(({ properties }) => properties.kind.const === entry.kind);
  if (schema === undefined) throw new Error(`${entry.kind} is no part of a timeline`);
  const more = {
    ...(entry.kind === 'unmatched_callback' && { report: entry.report }),
    ...(entry.kind === 'transfer' && { is_house: isOfHouse(entry) }),
    ...(entry.kind === 'details' && {
      names: Object.keys(entry.details),
      ...(!entry.isOwed && { owed_since: null }),
    }),
  };
  const values = { ...(wireOf(Object.fromEntries(named)) as object), ...more };
  return fit<TObject>(schema, values) as TimelineEntry;
}
