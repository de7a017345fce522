import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PAYMENT_STATUSES, statusOf } from '../payments/create/payment.ts';
import type { PaymentStatus } from '../payments/create/payment.ts';
import { EXAMPLE_REFERENCE } from '../payments/operations/fields.ts';
import type { LostPaymentRow } from '../payments/quarantine/read-lost.ts';
import type { PaymentTimeline } from '../payments/timeline/assemble.ts';
import type { QueriedPayment } from '../payments/timeline/query.ts';
import { encodeReference } from '../parties/reference.ts';
import { nullable } from '../platform/http/schemas.ts';
import { cents, instant } from './schemas.ts';

/** A payment in a list. */
export const paymentFields = {
  reference: Type.String({
    description: 'Our reference: the `ipay_reference` that create returned.',
  }),
  merchant_reference: nullable(Type.String({ description: 'Your own reference.' })),
  status: Type.Unsafe<PaymentStatus>({
    type: 'string',
    description: `One of ${PAYMENT_STATUSES.map((status) => `\`${status}\``).join(', ')}, as the status operation has it.`,
    examples: ['SUCCESS'],
  }),
  biller: Type.String({ description: 'Biller code.', examples: ['kplc_prepaid'] }),
  account: Type.String(),
  phone: nullable(
    Type.String({ description: 'Phone number; also null once the payment is archived.' }),
  ),
  amount_cents: cents('Amount.'),
  fee_cents: cents('Fee with its VAT, taken from the float on top of the amount.'),
  created_at: instant('When the payment was accepted.'),
  settled_at: nullable(instant('When the result became final.')),
};

const payment = Type.Object(paymentFields);

export function paymentView(row: QueriedPayment): Static<typeof payment> {
  return {
    reference: encodeReference(row.vendorId, row.paymentId),
    merchant_reference: row.merchantReference,
    status: statusOf(row.outcome, row.underWay),
    biller: row.billerCode,
    account: row.account,
    phone: row.phone,
    amount_cents: String(row.amountCents),
    fee_cents: String(row.feeCents),
    created_at: row.createdAt.toISOString(),
    settled_at: row.settledAt?.toISOString() ?? null,
  };
}

/** The result of a payment, as far as it is known. */
export function resultView({ payment: row }: PaymentTimeline) {
  return {
    biller_reference: row.billerReference,
    biller_response_time: row.billerResponseTime?.toISOString() ?? null,
    message: row.message,
    failure_code: row.failureCode,
    details: row.details,
    archived: row.archived,
  };
}

/** A restore lost it, and a case says that it is paid: until people have decided, it is open. */
export function lostView(lost: LostPaymentRow): Static<typeof payment> {
  return {
    reference: encodeReference(lost.vendorId, lost.paymentId),
    ...{
      merchant_reference: null,
      status: lost.isCharged ? 'SUCCESS' : 'PENDING',
      biller: lost.billerCode ?? '',
    },
    ...{ account: lost.account ?? '', phone: null, amount_cents: String(lost.amountCents) },
    ...{ fee_cents: '0', created_at: lost.at.toISOString(), settled_at: null },
  };
}

export const EXAMPLE_PAYMENT: Static<typeof payment> = {
  reference: EXAMPLE_REFERENCE,
  merchant_reference: 'order-1001',
  status: 'SUCCESS',
  biller: 'kplc_prepaid',
  account: '37200009901',
  phone: null,
  amount_cents: '10000',
  fee_cents: '0',
  created_at: '2026-11-21T06:15:00.000Z',
  settled_at: '2026-11-21T06:15:01.000Z',
};
