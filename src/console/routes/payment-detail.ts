import type { PaymentTimeline } from '../../payments/timeline/assemble.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { PaymentDetail } from '../answers.ts';

/** What only the staff may see: who resolved a case, and what the operator wrote to us. */
const STAFF_ONLY: ReadonlySet<string> = new Set([
  'case',
  'unmatched_callback',
  'statement_entry',
  'correction',
]);

/** Of an attempt, what only they may see: why it went to its operator, and what that wrote to us. */
const STAFF_ONLY_FACTS = { routeReason: null, operatorHandle: null, note: null };

/** A payment with its timeline. */
export function paymentDetail(
  found: PaymentTimeline,
  { forStaff }: { readonly forStaff: boolean },
): PaymentDetail {
  const { payment } = found;
  return {
    reference: found.reference,
    vid: payment.vid,
    status: found.status,
    biller: payment.billerCode,
    operator: payment.operatorCode,
    account: payment.account,
    phone: payment.phone,
    amount: formatMoney(payment.amountCents),
    fee: formatMoney(payment.feeCents),
    merchantReference: payment.merchantReference,
    createdAt: payment.createdAt.toISOString(),
    settledAt: time(payment.settledAt),
    billerReference: payment.billerReference,
    billerResponseTime: time(payment.billerResponseTime),
    message: payment.message,
    failureCode: payment.failureCode,
    details: payment.details,
    settledBy: payment.settledBy,
    archived: payment.archived,
    queries: payment.verifyCount,
    nextStepAt: time(payment.dueAt),
    note: forStaff ? payment.note : null,
    timeline: found.timeline
      .filter(({ kind }) => forStaff || !STAFF_ONLY.has(kind))
      .map((entry) =>
        forStaff || entry.kind !== 'attempt' ? entry : { ...entry, ...STAFF_ONLY_FACTS },
      )
      .map((entry) => plain(entry) as PaymentDetail['timeline'][number]),
  };
}

function time(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}

/** Amounts as decimal text, times as ISO 8601. */
function plain(entry: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (typeof value === 'bigint') return [name.replace(/Cents$/, ''), formatMoney(value)];
      return [name, value instanceof Date ? value.toISOString() : (value as unknown)];
    }),
  );
}
