import { bigintArray, integerArray, textArray, uuidArray } from '../src/platform/db/arrays.ts';
import type { Pool, Queryable } from '../src/platform/db/pool.ts';
import { databaseTransaction as inTransaction } from '../src/platform/db/pool.ts';
import type { NewPayment } from '../src/payments/create/payment.ts';

/**
 * The contestants of create: the same tables, indexes and rows, written in other ways. Unlike create,
 * none of them checks likely duplicates, repeats or the float of whole batches.
 */

const INSERT_PAYMENT = `insert into payments (bucket, vendor_id, payment_id, merchant_reference,
    biller_code, account, phone, amount_cents, fee_cents, duplicate_key, created_at)
  values (bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8,
    floor(extract(epoch from $9::timestamptz) / 32)::bigint << 32
      | (hashtextextended($4 || ' ' || $5, $7) & 4294967295), $9)`;
const INSERT_TRANSFER = `insert into transfers (bucket, vendor_id, source_id, leg, debit_account,
    credit_account, amount_cents, created_at)
  values (bucket_of($1), $1, $2, 1, 'float', 'reserved', $3, $4)`;
const INSERT_QUEUED = `insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
  values (bucket_of($1), $1, $2, $3, $4)`;
const MOVE = `update accounts set balance_cents = balance_cents
    + case when account = 'float' then -$2::bigint else $2::bigint end
  where bucket = bucket_of($1) and vendor_id = $1 and account in ('float', 'reserved')`;

/**
 * One database transaction per request in six round trips. The row that all requests of a vendor
 * need is locked last, to hold it as briefly as possible. The CHECK on the balance refuses overdrafts.
 */
export async function createPerRequest(pool: Pool, row: NewPayment): Promise<Date> {
  const total = row.amountCents + row.feeCents;
  const now = new Date();
  await inTransaction(pool, async (client) => {
    await client.query({
      name: 'per_request_transaction',
      text: INSERT_PAYMENT,
      values: [...contentOf(row), now],
    });
    await client.query({
      name: 'per_request_transfer',
      text: INSERT_TRANSFER,
      values: [row.vendorId, row.paymentId, total, now],
    });
    await client.query({
      name: 'per_request_queue',
      text: INSERT_QUEUED,
      values: [row.vendorId, row.billerCode, row.paymentId, now],
    });
    await client.query({ name: 'per_request_move', text: MOVE, values: [row.vendorId, total] });
  });
  return now;
}

function contentOf(row: NewPayment): unknown[] {
  return [
    row.vendorId,
    row.paymentId,
    row.merchantReference,
    row.billerCode,
    row.account,
    row.phone,
    row.amountCents,
    row.feeCents,
  ];
}

const ONE_CALL = `create function bench_create_one(
    p_vendor integer, p_id uuid, p_reference text, p_biller text, p_account text, p_phone text,
    p_amount bigint, p_fee bigint, p_now timestamptz) returns void language plpgsql as $$
  begin
    insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account,
      phone, amount_cents, fee_cents, duplicate_key, created_at)
    values (bucket_of(p_vendor), p_vendor, p_id, p_reference, p_biller, p_account, p_phone, p_amount, p_fee,
      floor(extract(epoch from p_now) / 32)::bigint << 32
        | (hashtextextended(p_biller || ' ' || p_account, p_amount) & 4294967295), p_now);
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    values (bucket_of(p_vendor), p_vendor, p_id, 1, 'float', 'reserved', p_amount + p_fee, p_now);
    insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
    values (bucket_of(p_vendor), p_vendor, p_biller, p_id, p_now);
    update accounts set balance_cents = balance_cents
      + case when account = 'float' then -(p_amount + p_fee) else p_amount + p_fee end
    where bucket = bucket_of(p_vendor) and vendor_id = p_vendor and account in ('float', 'reserved');
  end $$`;

const CEILING = `with wanted as materialized (
    select * from unnest($1::integer[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
      $7::bigint[], $8::bigint[]) as u (vendor_id, id, reference, biller, account, phone, amount, fee)
  ), created as (
    insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account,
      phone, amount_cents, fee_cents, duplicate_key, created_at)
    select bucket_of(vendor_id), vendor_id, id, reference, biller, account, phone, amount, fee,
      floor(extract(epoch from $9::timestamptz) / 32)::bigint << 32
        | (hashtextextended(biller || ' ' || account, amount) & 4294967295), $9
    from wanted
  ), reserved as (
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select bucket_of(vendor_id), vendor_id, id, 1, 'float', 'reserved', amount + fee, $9 from wanted
  ), queued as (
    insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
    select bucket_of(vendor_id), vendor_id, biller, id, $9 from wanted
  )
  update accounts a set balance_cents = a.balance_cents + m.change
  from (
    select s.vendor_id, x.account, x.sign * s.total as change
    from (select vendor_id, sum(amount + fee)::bigint as total from wanted group by vendor_id) s
      cross join (values ('float', -1), ('reserved', 1)) x (account, sign)
  ) m
  where a.bucket = bucket_of(m.vendor_id) and a.vendor_id = m.vendor_id and a.account = m.account`;

/** Creates the function that `createOne` calls. */
export async function addContestants(db: Queryable): Promise<void> {
  await db.query(ONE_CALL);
}

/** One call, one commit per request. */
export async function createOne(db: Queryable, row: NewPayment): Promise<void> {
  await db.query({
    name: 'bench_create_one',
    text: 'select bench_create_one($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [...contentOf(row), new Date()],
  });
}

/** The upper limit for any batch: the same rows in one statement, without checks and answers. */
export async function createUnchecked(db: Queryable, batch: readonly NewPayment[]): Promise<void> {
  await db.query({
    name: 'bench_unchecked',
    text: CEILING,
    values: [
      integerArray(batch.map((row) => row.vendorId)),
      uuidArray(batch.map((row) => row.paymentId)),
      textArray(batch.map((row) => row.merchantReference)),
      textArray(batch.map((row) => row.billerCode)),
      textArray(batch.map((row) => row.account)),
      textArray(batch.map((row) => row.phone)),
      bigintArray(batch.map((row) => row.amountCents)),
      bigintArray(batch.map((row) => row.feeCents)),
      new Date(),
    ],
  });
}
