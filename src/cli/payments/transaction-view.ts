import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { PaymentRow } from '../../payments/create/store.ts';
import { statusOf } from '../../payments/create/payment.ts';
import { record } from '../output.ts';

/** A payment for programs: the names of the API, amounts as decimal text, times in ISO 8601. */
export function paymentJson(row: PaymentRow, vid: string) {
  return {
    ipay_reference: encodeReference(row.vendor_id, row.payment_id),
    vid,
    biller_name: row.biller_code,
    account: row.account,
    phone: row.phone,
    amount: formatMoney(row.amount_cents),
    fee: formatMoney(row.fee_cents),
    merchant_reference: row.merchant_reference,
    transaction_status: statusOf(row.outcome, row.under_way),
    transaction_message: row.message,
    failure_code: row.failure_code,
    biller_reference: row.biller_reference,
    details: row.details,
    created_at: row.created_at.toISOString(),
    biller_response_time: row.biller_response_time?.toISOString() ?? null,
    settled_at: row.settled_at?.toISOString() ?? null,
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
    ['created', wireTime.format(row.created_at)],
    ['settled', row.settled_at === null ? '' : wireTime.format(row.settled_at)],
  ]);
}
