import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { PaymentRow } from '../../payments/create/store.ts';
import { statusOf } from '../../payments/create/payment.ts';
import { record } from '../output.ts';

/** A payment for programs: the names of the API, amounts as decimal text, times in ISO 8601. */
export function paymentJson(row: PaymentRow, vid: string) {
  return {
    ipay_reference: encodeReference(row.vendorId, row.paymentId),
    vid,
    biller_name: row.billerCode,
    account: row.account,
    phone: row.phone,
    amount: formatMoney(row.amountCents),
    fee: formatMoney(row.feeCents),
    merchant_reference: row.merchantReference,
    transaction_status: statusOf(row.outcome, row.underWay),
    transaction_message: row.message,
    failure_code: row.failureCode,
    biller_reference: row.billerReference,
    details: row.details,
    created_at: row.createdAt.toISOString(),
    biller_response_time: row.billerResponseTime?.toISOString() ?? null,
    settled_at: row.settledAt?.toISOString() ?? null,
  };
}

/** A payment for people. */
export function paymentText(row: PaymentRow, vid: string, wireTime: WireTime): string {
  const view = paymentJson(row, vid);
  return record([
    ['reference', view.ipay_reference],
    ['vendor', vid],
    ['biller', view.biller_name],
    ['account', view.account],
    ['phone', view.phone ?? ''],
    ['amount', view.amount],
    ['fee', view.fee],
    ['merchant reference', view.merchant_reference ?? ''],
    ['status', view.transaction_status],
    ['message', view.transaction_message ?? ''],
    ...(view.failure_code === null ? [] : [['failure code', view.failure_code] as const]),
    ['biller reference', view.biller_reference ?? ''],
    ...Object.entries(view.details ?? {}),
    ['created', wireTime.format(row.createdAt)],
    ['settled', row.settledAt === null ? '' : wireTime.format(row.settledAt)],
  ]);
}
