import type { Queryable } from '../../platform/db/pool.ts';
import type { CreateRequest } from './payment.ts';

export interface EarlierRow {
  /** Position of the request, from 1. */
  number: number;
  paymentId: string;
  createdAt: Date;
  feeCents: bigint;
  /** False: the reference stands for another payment. */
  isSame: boolean;
}

/**
 * The payments that the vendor has already created with the references of these requests, archived
 * ones and those of the system that it came from included, as `create_payments` finds them. Requests without a reference have none.
 */
export async function findEarlier(
  db: Queryable,
  vendorId: number,
  requests: readonly CreateRequest[],
): Promise<EarlierRow[]> {
  const found = await db.query<EarlierRow>({
    name: 'find_earlier',
    text: `select w.number::integer, e.payment_id as "paymentId", e.created_at as "createdAt",
       e.fee_cents as "feeCents", e.is_same as "isSame"
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
         with ordinality as w (reference, biller, account, phone, amount, number)
       cross join lateral (
         select t.payment_id, t.created_at, t.fee_cents, t.biller_code = w.biller and t.account = w.account
             and t.amount_cents = w.amount and t.phone is not distinct from w.phone as is_same
         from payments t
         where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.merchant_reference = w.reference
         union all
         -- Of an archived phone there is a hash: acceptedRest in src/payments/ledger/entries.ts.
         select a.payment_id, a.created_at, a.fee_cents, a.biller_code = w.biller and a.account = w.account
             and a.amount_cents = w.amount
             and a.accepted_rest is not distinct from case when w.phone is not null then
               sha256(convert_to(row(encode(uuid_send(a.payment_id), 'hex'), w.phone)::text, 'UTF8')) end
         from archived_payments a
         where a.bucket = bucket_of($1) and a.vendor_id = $1 and a.merchant_reference = w.reference
         union all
         select u.payment_id, u.created_at, u.fee_cents,
             coalesce(u.biller_code = w.biller and u.account = w.account and u.amount_cents = w.amount, false)
             and u.phone is not distinct from w.phone
         from used_references u
         where u.bucket = bucket_of($1) and u.vendor_id = $1 and u.merchant_reference = w.reference
         limit 1
       ) e
     order by w.number`,
    values: [
      vendorId,
      requests.map((request) => request.merchantReference),
      requests.map((request) => request.billerCode),
      requests.map((request) => request.account),
      requests.map((request) => request.phone),
      requests.map((request) => request.amountCents),
    ],
  });
  return found.rows;
}
