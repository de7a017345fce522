import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { QUEUED_TEXT } from '../create/status-fields.ts';
import { vid } from '../../parties/http/fields.ts';
import { markedReplay } from '../../platform/http/operation.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { Payments } from '../payments.ts';
import { headerStatus, moneyText, wireTimeText } from '../../platform/http/schemas.ts';
import { createRequestOf, paymentFields } from './create-request.ts';
import { EXAMPLE_REFERENCE } from './fields.ts';

const createRequest = Type.Object({ vid, ...paymentFields });
const createResponse = Type.Object({
  header_status: headerStatus,
  msg: Type.Object({
    status: Type.Integer({ description: '1: accepted.' }),
    text: Type.String({ examples: [QUEUED_TEXT] }),
    ipay_reference: Type.String({
      description: 'Our reference of the payment, with which you query its status.',
    }),
    posted_time: wireTimeText('When the transaction was saved.'),
    fee: moneyText('Reserved on top of the amount, with VAT.'),
  }),
});

/** Also used in the introduction, to show how a request is signed. */
export const CREATE_EXAMPLE = {
  vid: 'demo',
  biller_name: 'kplc_prepaid',
  amount: '100',
  account: '37200009901',
  merchant_reference: 'order-1001',
};

/** Specification §4.4. */
export function createPayment(deps: {
  readonly byVendor: Authenticators['byVendor'];
  readonly create: Payments['create'];
  readonly wireTime: WireTime;
}): Operation<typeof createRequest, typeof createResponse, Vendor> {
  return {
    name: 'createTransaction',
    method: 'POST',
    path: '/transaction/create',
    tag: 'Billing',
    summary: 'Create a transaction',
    description:
      'Queues a payment. Success means that it was accepted and its amount reserved, not that it is paid: query its status. A repeat with the same `merchant_reference` and content returns the first response again, with the header `Idempotency-Replayed: true`, and is paid once.',
    signedBy: deps.byVendor,
    request: createRequest,
    response: createResponse,
    refusals: {
      unknown_biller: {},
      amount_below_minimum: { field: 'amount' },
      amount_above_maximum: { field: 'amount' },
      insufficient_float: { field: 'amount' },
      reference_reused: {},
      likely_duplicate: { reference: EXAMPLE_REFERENCE },
      biller_offline: {},
      outcome_unknown: {},
    },
    example: {
      request: CREATE_EXAMPLE,
      answer: {
        header_status: 200,
        msg: {
          status: 1,
          text: QUEUED_TEXT,
          ipay_reference: EXAMPLE_REFERENCE,
          posted_time: '2026-11-21 09:15:00',
          fee: '0.00',
        },
      },
    },
    handle: async (request, vendor) => {
      const created = await deps.create(createRequestOf(request), vendor);
      const answer = {
        header_status: 200,
        msg: {
          status: 1,
          text: QUEUED_TEXT,
          ipay_reference: created.reference,
          posted_time: deps.wireTime.format(created.createdAt),
          fee: formatMoney(created.feeCents),
        },
      };
      return markedReplay(answer, created.replayed);
    },
  };
}
