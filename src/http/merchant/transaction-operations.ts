import { Type } from 'typebox';
import type { WireTime } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { decodeReference } from '../../base/ids.ts';
import { parseMoney } from '../../base/money.ts';
import type { BillerCatalogue } from '../../billers/catalogue.ts';
import type { Pool } from '../../db/pool.ts';
import { findOpenQuarantine } from '../../quarantine/store.ts';
import { readArchivedTransaction } from '../../transactions/archive-store.ts';
import { acceptPayment } from '../../transactions/create.ts';
import type { CreateLanes } from '../../transactions/create.ts';
import type { StatusReader } from '../../transactions/status-reader.ts';
import { operatorFieldsOf, statusNumberOf } from '../../transactions/told.ts';
import {
  account,
  amount,
  billerCode,
  ipayReference,
  merchantReference,
  phone,
  vid,
} from './fields.ts';
import type { Operation } from './operation.ts';
import { headerStatus, nullable, wireTimeText } from './schemas.ts';

const createRequest = Type.Object({
  vid,
  biller_name: billerCode,
  amount,
  account,
  phone: Type.Optional(phone),
  merchant_reference: Type.Optional(merchantReference),
});
const createResponse = Type.Object({
  header_status: headerStatus,
  msg: Type.Object({
    status: Type.Integer({ description: '1: accepted.' }),
    text: Type.String({ examples: ['Transaction queued and pending processing'] }),
    ipay_reference: Type.String({ description: 'Ask for the status with it.' }),
    posted_time: wireTimeText('When the transaction was saved.'),
  }),
});

/** Specification §4.4. */
export function createTransaction(
  deps: {
    readonly catalogue: BillerCatalogue;
    readonly lanes: CreateLanes;
    readonly pool: Pool;
    readonly wireTime: WireTime;
  },
  path: string,
): Operation<typeof createRequest, typeof createResponse, 'vendor'> {
  return {
    name: 'createTransaction',
    method: 'POST',
    path,
    summary: 'Create a transaction',
    description:
      'Queues a payment. Success means that it was accepted and the amount is reserved, not that it is paid: ask for its status. A repeat with the same `merchant_reference` and content answers the first one again and is paid once.',
    signedBy: 'vendor',
    request: createRequest,
    response: createResponse,
    handle: async (request, vendor) => {
      const created = await acceptPayment(
        {
          billerCode: request.biller_name,
          account: request.account,
          phone: request.phone ?? null,
          amountCents: parseMoney(request.amount),
          merchantReference: request.merchant_reference ?? null,
        },
        { vendor, biller: deps.catalogue.biller(request.biller_name) },
        deps,
      );
      return {
        header_status: 200,
        msg: {
          status: 1,
          text: 'Transaction queued and pending processing',
          ipay_reference: created.reference,
          posted_time: deps.wireTime.format(created.createdAt),
        },
      };
    },
  };
}

const operatorFields = {
  biller_response_time: nullable(wireTimeText('When the operator’s answer reached us.')),
  biller_reference: nullable(Type.String({ description: 'The operator’s own reference.' })),
  transaction_status: Type.String({
    description:
      '`QUEUED`; `PENDING`: sent, or the outcome is not known yet, keep asking; `SUCCESS`; `FAILED`: not paid, the amount is back in the float.',
    examples: ['SUCCESS'],
  }),
  transaction_message: nullable(Type.String({ description: 'In the operator’s words.' })),
  account: Type.String(),
  amount: Type.Number({ examples: [100] }),
  biller_name: Type.String({ description: 'Biller code.', examples: ['kplc_prepaid'] }),
};

const statusRequest = Type.Object({
  vid,
  reference: Type.Optional(ipayReference),
  ipay_reference: Type.Optional(ipayReference),
});
const statusResponse = Type.Object({
  header_status: headerStatus,
  msg: Type.Object({
    status: Type.Integer({ description: '0 when the transaction failed, otherwise 1.' }),
    text: Type.Object(
      {
        ...operatorFields,
        details: nullable(
          Type.Record(Type.String(), Type.String(), {
            description: 'What the payment yielded, such as `token` and `units`.',
          }),
        ),
      },
      { description: 'The transaction, as clients of this API read it.' },
    ),
    ipay_reference: Type.String(),
    posted_time: wireTimeText('When the transaction was saved.'),
    merchant_reference: nullable(Type.String()),
    ...operatorFields,
  }),
});

/** Specification §4.5, with the operator's fields in `msg.text` and flat in `msg` (design §4). */
export function transactionStatus(
  deps: { readonly statuses: StatusReader; readonly pool: Pool; readonly wireTime: WireTime },
  path: string,
): Operation<typeof statusRequest, typeof statusResponse, 'vendor'> {
  return {
    name: 'transactionStatus',
    method: 'POST',
    path,
    summary: 'Transaction status',
    description:
      'What became of a transaction. `reference` is the `ipay_reference` that create returned (the name `ipay_reference` is taken too).',
    signedBy: 'vendor',
    request: statusRequest,
    response: statusResponse,
    handle: async (request, vendor) => {
      const { reference } = oneReference(request);
      const place = decodeReference(reference);
      // Another vendor's reference gets the answer of an unknown one, and costs as little.
      const row =
        place?.vendorId === vendor.vendorId
          ? ((await deps.statuses.read(vendor.vendorId, place.transactionId)) ??
            (await readArchivedTransaction(deps.pool, vendor.vendorId, place.transactionId)))
          : undefined;
      if (row === undefined) throw await refuseUnknown(deps.pool);
      const fields = operatorFieldsOf(row, deps.wireTime);
      return {
        header_status: 200,
        msg: {
          status: statusNumberOf(row),
          text: { ...fields, details: row.details },
          ipay_reference: reference,
          posted_time: deps.wireTime.format(row.created_at),
          merchant_reference: row.merchant_reference,
          ...fields,
        },
      };
    },
  };
}

/** While the books lack a time, a reference of it is unknown to us and may be paid all the same. */
async function refuseUnknown(pool: Pool): Promise<Refusal> {
  const open = await findOpenQuarantine(pool);
  return open === undefined
    ? new Refusal('unknown_reference', { field: 'reference' })
    : new Refusal('quarantine', { field: 'reference', retryAfterSeconds: 60 });
}

function oneReference(request: { reference?: string; ipay_reference?: string }): {
  reference: string;
} {
  const { reference, ipay_reference: alias } = request;
  if (reference !== undefined && alias !== undefined && reference !== alias) {
    throw new Refusal('ambiguous_request', {
      field: 'ipay_reference',
      text: 'reference and ipay_reference name two transactions',
    });
  }
  const one = reference ?? alias;
  if (one === undefined) {
    throw new Refusal('missing_field', { field: 'reference', text: 'reference is required' });
  }
  return { reference: one };
}
