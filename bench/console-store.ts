import type { Queryable } from '../src/platform/db/pool.ts';

/** SQL of the console's suite: what is behind a console that has been in use for three months. */

const CHUNK = 100_000;
/** The vendor of every fifth payment. */
export const BUSY_VENDOR = 'bench-00001';

/** Settled payments of the last 90 days with transfers, of four billers; one in 25 failed. */
export async function insertUsedMonths(db: Queryable, payments: number): Promise<void> {
  // Lists go back to the first vendor.
  await db.query("update vendors set created_at = now() - interval '91 days'");
  for (let from = 1; from <= payments; from += CHUNK) {
    const to = Math.min(payments, from + CHUNK - 1);
    await db.query(PAYMENTS, [from, to, payments]);
  }
}

const PAYMENTS = `with billers (place, biller, operator) as (
    values (0, 'kplc_prepaid', 'kplc'), (1, 'safaricom', 'safaricom'), (2, 'dstv', 'multichoice'),
      (3, 'nairobi_water', 'nairobi_water')
  ), past as materialized (
    select v.vendor_id, b.biller, b.operator, (1 + n % 900) * 1000::bigint as amount,
      n % 25 = 0 as is_failed, at.at, n,
      overlay(overlay(gen_random_uuid()::text placing
        lpad(to_hex((extract(epoch from at.at) * 1000)::bigint >> 16), 8, '0') from 1 for 8)
        placing lpad(to_hex((extract(epoch from at.at) * 1000)::bigint & 65535), 4, '0') || '-7' from 10 for 6
      )::uuid as id
    from generate_series($1::integer, $2::integer) n
      cross join lateral (
        select now() - interval '90 days' + n * interval '90 days' / $3::integer as at) at
      join billers b on b.place = n / 7 % 4
      join vendors v on v.vid = 'bench-' || lpad(case n % 5 when 0 then 1 else 1 + n % 1001 end::text, 5, '0')
  ), created as (
    insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account, phone,
      amount_cents, fee_cents, duplicate_key, created_at, settled_at, biller_response_time, outcome,
      failure_code, biller_reference, message, sent_at, attempt_number, attempt_outcome, settled_by,
      operator_code)
    select bucket_of(vendor_id), vendor_id, id, 'order-' || n, biller, '14' || (10000000 + n),
      '2547' || lpad((n % 500000)::text, 8, '0'), amount, 0,
      floor(extract(epoch from at) / 32)::bigint << 32 | (hashint4(n)::bigint & 4294967295),
      at, at + interval '2 seconds', at + interval '1 second',
      case when is_failed then 'failed' else 'success' end, case when is_failed then 'declined' end,
      'OP' || n, case when is_failed then 'Declined' else 'Paid' end, at + interval '100 ms', 1,
      case when is_failed then 'declined' else 'paid' end, 'answer', operator
    from past
  ), moved as (
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select bucket_of(vendor_id), vendor_id, id, l.leg, l.debit,
      case when l.leg = 1 then 'reserved' when is_failed then 'float' else 'operator:' || operator end,
      amount, at + l.leg * interval '1 second'
    from past cross join (values (1, 'float'), (2, 'reserved')) l (leg, debit)
  ), totals as (
    select vendor_id, 'operator:' || operator as account, sum(amount)::bigint as total
    from past where not is_failed group by vendor_id, operator
  ), opened as (
    insert into accounts (bucket, vendor_id, account, balance_cents)
    select bucket_of(vendor_id), vendor_id, account, total from totals
    on conflict (bucket, vendor_id, account)
      do update set balance_cents = accounts.balance_cents + excluded.balance_cents
  )
  update accounts a set balance_cents = a.balance_cents - t.total
  from (select vendor_id, sum(total)::bigint as total from totals group by vendor_id) t
  where a.bucket = bucket_of(t.vendor_id) and a.vendor_id = t.vendor_id and a.account = 'float'`;

/** What other pages show: the audit log, cases, and a busy vendor's events and requests. */
export async function insertUsedPages(db: Queryable): Promise<void> {
  await db.query(
    `with noted as (
       insert into audit_log (at, audit_id, person_id, login, role, action, target, reason, address, request_id)
       select now() - n * interval '30 seconds', gen_random_uuid(), p.person_id, p.login, p.role,
         (array['payment.verify', 'biller.offline', 'case.propose', 'session.start'])[1 + n % 4],
         'target-' || n % 5000, 'the customer called', '10.0.0.1', 'request-' || n
       from generate_series(1, 200000) n
         join lateral (select * from people where vendor_id is null
           order by person_id offset n % 5 limit 1) p on true
       returning audit_id, at
     )
     insert into audit_results (audit_id, ended_at, result) select audit_id, at, 'done' from noted`,
  );
  await db.query(
    `insert into cases (bucket, vendor_id, case_id, kind, payment_id, operator_code, facts, opened_at)
     select bucket, vendor_id, gen_random_uuid(), 'contradiction', payment_id, operator_code,
       jsonb_build_object('books_say', outcome, 'operator_says', 'failed', 'source', 'callback',
         'amount_cents', amount_cents), settled_at
     from payments where created_at > now() - interval '30 days' and duplicate_key % 100 = 0
     limit 3000`,
  );
  await db.query(
    `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
     select bucket_of(vendor_id), vendor_id, 'https://shop.example/', false, now()
     from vendors where vid = $1`,
    [BUSY_VENDOR],
  );
  await db.query(
    `insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at, state,
       ended_at, created_at, amount_cents, biller_code, account, attempt_count, last_result)
     select p.bucket, p.vendor_id, p.payment_id, p.payment_id, 'transaction.succeeded', 'success',
       p.settled_at, 'delivered', p.settled_at, p.created_at, p.amount_cents, p.biller_code, p.account,
       1, 'HTTP 204'
     from payments p join vendors v on v.vid = $1 and p.vendor_id = v.vendor_id
     where p.created_at > now() - interval '30 days' and p.outcome = 'success'`,
    [BUSY_VENDOR],
  );
  await db.query(
    `insert into request_log (bucket, vendor_id, at, request_id, duration_us, status, method, route)
     select bucket_of(v.vendor_id), v.vendor_id, now() - n * interval '3 seconds', gen_random_uuid(),
       1500, 200, 'POST', '/transaction/create'
     from generate_series(1, 200000) n join vendors v on v.vid = $1`,
    [BUSY_VENDOR],
  );
  // Days are closed every day: the next one begins with the balances of the last closed one.
  await db.query(
    `insert into closed_days (day, started_at, ended_at, closed_at, closed_by, exceptions)
     select day, day::timestamp at time zone 'Africa/Nairobi',
       (day + 1)::timestamp at time zone 'Africa/Nairobi', now(), 'bench', '{}'
     from (select (now() at time zone 'Africa/Nairobi')::date - 3 as day) d`,
  );
  await db.query('vacuum (analyze)');
}

/** A payment in the middle of the history, to search for. */
export async function samplePayment(db: Queryable): Promise<{
  readonly vendorId: number;
  readonly paymentId: string;
  readonly account: string;
  readonly phone: string;
  readonly merchantReference: string;
}> {
  const sampled = await db.query<{
    vendorId: number;
    paymentId: string;
    account: string;
    phone: string;
    merchantReference: string;
  }>(
    `select vendor_id as "vendorId", payment_id as "paymentId", account, coalesce(phone, '') as phone,
       coalesce(merchant_reference, '') as "merchantReference"
     from payments where created_at > now() - interval '45 days' order by created_at limit 1`,
  );
  const [found] = sampled.rows;
  if (found === undefined) throw new Error('there are no payments');
  return found;
}
