import { statusOf } from '../../payments/create/payment.ts';
import type { QueriedPayment } from '../../payments/timeline/query.ts';
import { encodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { ListedPayment } from '../answers.ts';

/** A payment as lists show it. */
export function listedPayment(row: QueriedPayment): ListedPayment {
  return {
    reference: encodeReference(row.vendorId, row.paymentId),
    vid: row.vid,
    status: statusOf(row.outcome, row.underWay),
    biller: row.billerCode,
    operator: row.operatorCode,
    account: row.account,
    phone: row.phone,
    amount: formatMoney(row.amountCents),
    fee: formatMoney(row.feeCents),
    merchantReference: row.merchantReference,
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  };
}
