import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Static } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { decodeReference, encodeReference } from '../../parties/reference.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { findLost } from '../quarantine/read-lost.ts';
import type { LostPaymentRow } from '../quarantine/read-lost.ts';
import { refuseUnknown } from '../quarantine/unknown.ts';
import { readArchivedPayment } from '../archive/archive-store.ts';
import { readUsedReference } from '../moving/read-references.ts';
import { FAILURE_CODES } from '../create/failure-code.ts';
import { MERCHANT_REFERENCE } from '../create/payment.ts';
import type { StatusReader } from '../create/status-reader.ts';
import type { StatusKey, StatusRow } from '../create/status-store.ts';
import { operatorFieldsOf, statusNumberOf, statusSentence } from '../create/status-fields.ts';
import { vid } from '../../parties/http/fields.ts';
import { StoredAnswer } from '../../platform/http/operation.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, nullable, wireTimeText } from '../../platform/http/schemas.ts';
import { EXAMPLE_REFERENCE, earlierMerchantReference, ipayReference } from './fields.ts';

const operatorFields = {
  biller_response_time: nullable(
    wireTimeText(
      'When the instruction that was finally executed or declined was sent to the operator; null while the outcome is not known.',
    ),
  ),
  biller_reference: nullable(Type.String({ description: 'The operator’s own reference.' })),
  transaction_status: Type.String({
    description:
      '`QUEUED`; `PENDING`: sent, or the outcome is not known yet: query again; `SUCCESS`; `FAILED`: not paid, the amount is back in the float.',
    examples: ['SUCCESS'],
  }),
  transaction_message: nullable(Type.String({ description: 'The operator’s message for people.' })),
  failure_code: nullable(
    Type.String({
      description: `Why it failed, for programs; null unless \`FAILED\`. One of ${FAILURE_CODES.map((code) => `\`${code}\``).join(', ')}; treat any other code, which may be added later, as \`other\`.`,
      examples: ['declined'],
    }),
  ),
  account: Type.String(),
  amount: Type.Number({ examples: [100] }),
  biller_name: Type.String({ description: 'Biller code.', examples: ['kplc_prepaid'] }),
  details: nullable(
    // `Type.Record` would give the same with `patternProperties`, which few clients understand.
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      description: 'Fields of the result, such as `token` and `units`.',
      additionalProperties: { type: 'string' },
    }),
  ),
};
const detailsPending = Type.Optional(
  Type.Boolean({
    description:
      'True, or absent. True: paid, and the operator has said that more `details` follow, such as the token. The event `transaction.details_received` announces them.',
  }),
);

const request = Type.Object({
  vid,
  reference: Type.Optional(ipayReference),
  ipay_reference: Type.Optional(ipayReference),
  merchant_reference: Type.Optional(earlierMerchantReference),
});
const response = Type.Object({
  header_status: headerStatus,
  msg: Type.Object({
    status: Type.Integer({ description: '0 when the transaction failed, otherwise 1.' }),
    text: Type.Object(
      { ...operatorFields, details_pending: detailsPending },
      {
        description:
          'The transaction, as clients of this API read it. For a vendor with the setting `status_text: sentence`, it is a sentence for people.',
      },
    ),
    ipay_reference: Type.String(),
    posted_time: wireTimeText('When the transaction was saved.'),
    merchant_reference: nullable(Type.String()),
    ...operatorFields,
    details_pending: detailsPending,
  }),
});

const EXAMPLE_FIELDS = {
  biller_response_time: '2026-11-21 09:15:01',
  biller_reference: 'OP151DB25E3B85FA91',
  transaction_status: 'SUCCESS',
  transaction_message: 'Payment received',
  failure_code: null,
  account: '37200009901',
  amount: 100,
  biller_name: 'kplc_prepaid',
  details: { token: '96943714845508985567', units: '4.00' },
};

const EXAMPLE_ANSWER = {
  header_status: 200,
  msg: {
    status: 1,
    text: EXAMPLE_FIELDS,
    ipay_reference: EXAMPLE_REFERENCE,
    posted_time: '2026-11-21 09:15:00',
    merchant_reference: 'order-1001',
    ...EXAMPLE_FIELDS,
  },
};

/** Specification §4.5, with the operator's fields in `msg.text` and again in `msg` itself. */
export function paymentStatus(deps: {
  readonly byVendor: Authenticators['byVendor'];
  readonly statuses: StatusReader;
  readonly pool: Pool;
  readonly wireTime: WireTime;
}): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'transactionStatus',
    method: 'POST',
    path: '/transaction/check/status',
    tag: 'Billing',
    summary: 'Transaction status',
    description:
      'The status and result of a transaction. Identify it by `reference`, the `ipay_reference` that create returned (the name `ipay_reference` is accepted too), or by your own `merchant_reference`.',
    signedBy: deps.byVendor,
    request,
    anyText: ['reference', 'ipay_reference', 'merchant_reference'],
    response,
    refusals: { unknown_reference: { field: 'reference' }, quarantine: {} },
    example: {
      request: { vid: 'demo', reference: EXAMPLE_REFERENCE },
      answer: EXAMPLE_ANSWER,
    },
    handle: async (asked, vendor) => {
      const wanted = whichOne(asked);
      const row = await find(deps, vendor.vendorId, wanted);
      if (row === undefined) {
        const byOwn = wanted.field === 'merchant_reference' ? vendor.vendorId : undefined;
        throw await refuseUnknown(deps.pool, unknownReference(wanted), byOwn);
      }
      const fields = {
        ...operatorFieldsOf(row, deps.wireTime),
        ...(row.detailsPending === true && { details_pending: true }),
      };
      const answer = {
        header_status: 200,
        msg: {
          status: statusNumberOf(row),
          text: fields,
          ipay_reference: encodeReference(vendor.vendorId, row.paymentId),
          posted_time: deps.wireTime.format(row.createdAt),
          merchant_reference: row.merchantReference,
          ...fields,
        },
      };
      if (vendor.statusText === 'object') return answer;
      const sentence = { ...answer, msg: { ...answer.msg, text: statusSentence(row) } };
      return new StoredAnswer(JSON.stringify(sentence));
    },
  };
}

interface Wanted {
  readonly field: 'reference' | 'merchant_reference';
  readonly value: string;
}

async function find(
  deps: { readonly statuses: StatusReader; readonly pool: Pool },
  vendorId: number,
  wanted: Wanted,
): Promise<StatusRow | undefined> {
  const key = keyOf(vendorId, wanted);
  if (key === undefined) return undefined;
  const known =
    (await deps.statuses.read(key)) ??
    (await readArchivedPayment(deps.pool, key)) ??
    (await readUsedReference(deps.pool, key));
  if (known !== undefined || !('paymentId' in key)) return known;
  const lost = await findLost(deps.pool, key);
  return lost && statusOfLost(lost);
}

/** Builds the status of a lost payment from its case. People decide if it is paid. */
function statusOfLost(lost: LostPaymentRow): StatusRow {
  return {
    ...{ paymentId: lost.paymentId, createdAt: lost.at, amountCents: lost.amountCents },
    ...{ billerCode: lost.billerCode ?? '', account: lost.account ?? '', merchantReference: null },
    ...{ outcome: lost.isCharged ? 'success' : null, underWay: !lost.isCharged },
    ...{ billerResponseTime: null, billerReference: null },
    ...{ message: null, failureCode: null, details: null },
  };
}

/** Undefined for what can be no payment of the vendor: it gets the answer of an unknown reference. */
function keyOf(vendorId: number, { field, value }: Wanted): StatusKey | undefined {
  if (field === 'merchant_reference') {
    return MERCHANT_REFERENCE.test(value) ? { vendorId, merchantReference: value } : undefined;
  }
  const location = decodeReference(value);
  return location?.vendorId === vendorId ? location : undefined;
}

/** Malformed references and those of other vendors get this refusal too, so it reveals nothing. */
function unknownReference({ field }: Wanted): Refusal {
  const text =
    field === 'reference'
      ? 'You have no payment with this reference. Send the ipay_reference that create returned, or your own merchant_reference'
      : 'You have no payment with this merchant_reference. Send the one of the create, or the ipay_reference that it returned as reference';
  return new Refusal('unknown_reference', { field, text });
}

/** Throws: `missing_field`, `ambiguous_request`. */
function whichOne(asked: Static<typeof request>): Wanted {
  const { reference, ipay_reference: alias, merchant_reference: own } = asked;
  const value = reference ?? alias;
  if (reference !== undefined && alias !== undefined && reference !== alias) {
    throw new Refusal('ambiguous_request', {
      field: 'ipay_reference',
      text: 'reference and ipay_reference are different',
    });
  }
  if (own === undefined) {
    if (value !== undefined) return { field: 'reference', value };
    throw new Refusal('missing_field', {
      field: 'reference',
      text: 'reference or merchant_reference is required',
    });
  }
  if (value === undefined) return { field: 'merchant_reference', value: own };
  throw new Refusal('ambiguous_request', {
    field: 'merchant_reference',
    text: 'Send either reference or merchant_reference, not both',
  });
}
