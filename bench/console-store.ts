import { closeDay } from '../src/payments/reconciliation/days.ts';
import type { Day } from '../src/payments/reconciliation/days.ts';
import { insertFeePrice } from '../src/payments/prices/store.ts';
import type { Pool, Queryable } from '../src/platform/db/pool.ts';
import { DAY_MS } from '../src/platform/base/days.ts';

/** SQL of the console's suite: what is behind a console that has been in use for three months. */

const CHUNK = 100_000;
/** The vendor of every fifth payment. */
export const BUSY_VENDOR = 'bench-00001';

/** Payments to this biller cost the vendor a fee, VAT included. */
const PRICED_BILLER = 'kplc_prepaid';
const FEE = { feeCents: 1000, vatCents: 138 };

/**
 * Settled payments of the last 90 days with transfers, of four billers, one of which has a fee; one in
 * 25 failed. `ledger check` finds nothing wrong with them. They are inserted open and settled later, as the
 * service does it: pages of rows that were never updated have room for new payments, which would then lie
 * between old ones, so that the index by time would find old and new ones together.
 */
export async function insertUsedMonths(db: Queryable, payments: number): Promise<void> {
  await beginEarlier(db);
  const price = await insertFeePrice(
    db,
    { billerCode: PRICED_BILLER, vendorId: null },
    {
      tiers: [{ fromCents: 0n, flatCents: BigInt(FEE.feeCents), bps: 0 }],
      ...{ minimumCents: null, maximumCents: null, vatBps: 1600, vatIncluded: true },
    },
    { validFrom: new Date(), setBy: 'bench' },
  );
  await db.query('update fee_prices set set_at = $2, valid_from = $2 where version = $1', [
    price,
    new Date(Date.now() - BEGINNING_DAYS * DAY_MS),
  ]);
  for (let from = 1; from <= payments; from += CHUNK) {
    const to = Math.min(payments, from + CHUNK - 1);
    await db.query(PAYMENTS, [
      from,
      to,
      payments,
      PRICED_BILLER,
      FEE.feeCents,
      FEE.vatCents,
      price,
    ]);
  }
  await db.query(SETTLED);
}

/**
 * The hash chain begins after what was inserted, as it would if the service had run all the time. Otherwise the
 * service would chain three months minute by minute, which keeps one core busy during every run.
 */
export async function beginChainNow(db: Queryable): Promise<void> {
  await db.query(
    `with covered as (select count(*) as entries, min(created_at) as first from transfers)
     insert into ledger_heads (block_number, started_at, ended_at, built_at, entry_count, hash, mac)
     select 1, first, now(), now(), entries, '', '' from covered`,
  );
  await db.query('update ledger_chain set ended_at = (select ended_at from ledger_heads)');
}

/** Before the first payment. */
const BEGINNING_DAYS = 91;
const BEGINNING = `interval '${BEGINNING_DAYS} days'`;

/** Vendors, and what filled their floats, are older than their payments. */
async function beginEarlier(db: Queryable): Promise<void> {
  for (const table of ['vendors', 'collections', 'fund_movements', 'transfers']) {
    await db.query(`update ${table} set created_at = created_at - ${BEGINNING}`);
  }
}

/** Rows of each rare kind in a vendor's lists. */
const RARE_ROWS = 30;

const PAYMENTS = `with billers (place, biller, operator) as (
    values (0, 'kplc_prepaid', 'kplc'), (1, 'safaricom', 'safaricom'), (2, 'dstv', 'multichoice'),
      (3, 'nairobi_water', 'nairobi_water')
  ), past as materialized (
    select v.vendor_id, b.biller, b.operator, (1 + n % 900) * 1000::bigint as amount,
      case when b.biller = $4 then $5::bigint else 0 end as fee,
      case when b.biller = $4 then $6::bigint else 0 end as vat,
      case when b.biller = $4 then $7::integer end as price, n % 25 = 0 as is_failed, at.at, n,
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
      amount_cents, fee_cents, vat_cents, fee_price, duplicate_key, created_at)
    select bucket_of(vendor_id), vendor_id, id, 'order-' || n, biller, '14' || (10000000 + n),
      '2547' || lpad((n % 500000)::text, 8, '0'), amount, fee, vat, price,
      floor(extract(epoch from at) / 32)::bigint << 32 | (hashint4(n)::bigint & 4294967295),
      at
    from past
  ), legs as materialized (
    select p.vendor_id, p.id, p.at + l.after * interval '1 second' as at, l.leg, l.debit, l.credit, l.amount
    from past p cross join lateral (
      values (1, 0, 'float', 'reserved', amount + fee),
        (2, 2, 'reserved', case when is_failed then 'float' else 'operator:' || operator end,
          amount + case when is_failed then fee else 0 end),
        (3, 2, 'reserved', 'fees', case when is_failed then 0 else fee - vat end),
        (5, 2, 'reserved', 'vat', case when is_failed then 0 else vat end)
    ) l (leg, after, debit, credit, amount)
    where l.amount > 0
  ), moved as (
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select bucket_of(vendor_id), vendor_id, id, leg, debit, credit, amount, at from legs
  ), changes as (
    select vendor_id, account, sum(change)::bigint as change
    from legs cross join lateral (values (debit, -amount), (credit, amount)) s (account, change)
    group by vendor_id, account
  )
  -- The floats are large enough: no balance is below zero.
  insert into accounts as a (bucket, vendor_id, account, balance_cents)
  select bucket_of(c.vendor_id), c.vendor_id, c.account, c.change + coalesce(k.balance_cents, 0)
  from changes c left join accounts k on k.vendor_id = c.vendor_id and k.account = c.account
  on conflict (bucket, vendor_id, account) do update set balance_cents = excluded.balance_cents`;

/** Settles them. Their numbers are in their references. */
const SETTLED = `update payments p set settled_at = created_at + interval '2 seconds',
    biller_response_time = created_at + interval '1 second', sent_at = created_at + interval '100 ms',
    outcome = case when s.is_failed then 'failed' else 'success' end,
    failure_code = case when s.is_failed then 'declined' end, biller_reference = 'OP' || s.n,
    message = case when s.is_failed then 'Declined' else 'Paid' end, attempt_number = 1,
    attempt_outcome = case when s.is_failed then 'declined' else 'paid' end, settled_by = 'answer',
    operator_code = s.operator
  from (
    select bucket, vendor_id, payment_id, substr(merchant_reference, 7)::integer as n,
      substr(merchant_reference, 7)::integer % 25 = 0 as is_failed,
      case biller_code when 'kplc_prepaid' then 'kplc' when 'dstv' then 'multichoice' else biller_code end as operator
    from payments where settled_at is null
  ) s
  where p.bucket = s.bucket and p.vendor_id = s.vendor_id and p.payment_id = s.payment_id`;

/** Inserts the rows of other pages: cases, a busy vendor's lists, and this many entries of the audit log. */
export async function insertUsedPages(db: Queryable, rows: number): Promise<void> {
  await db.query(
    `with noted as (
       insert into audit_log (channel, at, audit_id, person_id, login, role, action, target, reason, address, request_id)
       select 'console', now() - n * interval '30 seconds', gen_random_uuid(), p.person_id, p.login, p.role,
         (array['payment.verify', 'biller.offline', 'case.propose', 'session.start'])[1 + n % 4],
         'target-' || n % 5000, 'the customer called', '10.0.0.1', 'request-' || n
       from generate_series(1, $1::integer) n
         join lateral (select * from people where vendor_id is null
           order by person_id offset n % 5 limit 1) p on true
       returning audit_id, at
     )
     insert into audit_results (audit_id, ended_at, result) select audit_id, at, 'done' from noted`,
    [rows],
  );
  await db.query(
    `insert into cases (bucket, vendor_id, case_id, kind, payment_id, operator_code, facts, opened_at)
     select bucket, vendor_id, gen_random_uuid(), 'contradiction', payment_id, operator_code,
       jsonb_build_object('books_say', outcome, 'operator_says', 'failed', 'source', 'callback',
         'amount_cents', amount_cents), settled_at
     from payments where created_at > now() - interval '30 days' and duplicate_key % 7 = 0
     limit 3000`,
  );
  await insertUsedLists(db, rows);
  await db.query('vacuum (analyze)');
}

/**
 * What a busy vendor's own lists show besides payments: its events of 30 days, and this many requests.
 * Few of them are rare: not delivered, of a rare type, refused. Those are spread over the whole list.
 */
export async function insertUsedLists(db: Queryable, requests: number): Promise<void> {
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
    `with placed as (
       select bucket, vendor_id, event_id, n * $1 / total as place, (n - 1) * $1 / total as before
       from (select *, row_number() over (order by event_id) as n, count(*) over () as total
         from events) numbered
     ), kinds as (
       select row_number() over () - 1 as kind, k.* from (values ('given_up', null), ('off', null), ('waiting', null),
         (null, 'transaction.failed'), (null, 'transaction.corrected'), (null, 'credit.default'),
         (null, 'credit.enquiry'), (null, 'credit.score_drop'), (null, 'float.low'), (null, 'float.recovered')
       ) k (state, type)
     )
     update events e set state = coalesce(k.state, e.state), type = coalesce(k.type, e.type),
       ended_at = case when k.state = 'waiting' then null else e.ended_at end,
       due_at = case when k.state = 'waiting' then now() + interval '1 day' end
     from placed p join kinds k on k.kind = p.place % 10
     where p.place > p.before and e.bucket = p.bucket and e.vendor_id = p.vendor_id and e.event_id = p.event_id`,
    [10 * RARE_ROWS],
  );
  await db.query(
    `insert into request_log (bucket, vendor_id, at, request_id, duration_us, status, method, route, code)
     select bucket_of(v.vendor_id), v.vendor_id, now() - n * interval '3 seconds', gen_random_uuid(),
       1500, 200, 'POST', '/transaction/create',
       case when n % greatest($2 / $3, 1) = 0 then 'invalid_field' end
     from generate_series(1, $2::integer) n join vendors v on v.vid = $1`,
    [BUSY_VENDOR, requests, RARE_ROWS],
  );
  await db.query('vacuum (analyze) events, request_log, webhooks');
}

/** One complete statement of an operator for a day, which lists what it executed. */
export async function insertDayStatement(
  db: Queryable,
  operator: string,
  day: Day,
): Promise<string> {
  const inserted = await db.query<{ statementId: string }>(
    `with statement as (
       insert into operator_statements (statement_id, operator, period_start, period_end, file_sha256,
         imported_at, complete, pulled)
       values (gen_random_uuid(), $1::text, $2, $3, sha256(convert_to($1, 'UTF8')), now(), true, true) returning statement_id
     ), listed as (
       insert into statement_rows (at, amount_cents, row_id, statement_id, vendor_id, payment_id, line,
         kind, verdict, operator, operator_reference)
       select p.settled_at, p.amount_cents, gen_random_uuid(), s.statement_id, p.vendor_id, p.payment_id,
         (row_number() over (order by p.settled_at, p.payment_id))::integer, 'payment', 'matched', $1,
         p.biller_reference
       from payments p cross join statement s
       where p.created_at >= $2::timestamptz - interval '1 minute' and p.settled_at >= $2
         and p.settled_at < $3 and p.operator_code = $1 and p.outcome = 'success'
     )
     select statement_id as "statementId" from statement`,
    [operator, day.from, day.to],
  );
  return inserted.rows[0]?.statementId ?? '';
}

/** Closes a day without statements. The days before it were never closed. */
export async function closeUsedDay(pool: Pool, day: Day): Promise<void> {
  const withoutStatement = ['kplc', 'safaricom', 'multichoice', 'nairobi_water'];
  const note = 'as in the bench';
  await closeDay(pool, { ...day, by: 'bench', withoutStatement, despiteOpenCases: true, note });
}

/** The first case. */
export async function sampleCase(db: Queryable): Promise<string> {
  const found = await db.query<{ caseId: string }>(
    'select case_id as "caseId" from cases order by opened_at limit 1',
  );
  return found.rows[0]?.caseId ?? '';
}

/** A payment in the middle of the history, to search for. @param vid its vendor; default: any. */
export async function samplePayment(
  db: Queryable,
  vid: string | null = null,
): Promise<{
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
    `select p.vendor_id as "vendorId", p.payment_id as "paymentId", p.account,
       coalesce(p.phone, '') as phone, coalesce(p.merchant_reference, '') as "merchantReference"
     from payments p join vendors v on v.vendor_id = p.vendor_id
     where p.created_at > now() - interval '45 days' and ($1::text is null or v.vid = $1)
     order by p.created_at limit 1`,
    [vid],
  );
  const [found] = sampled.rows;
  if (found === undefined) throw new Error('there are no payments');
  return found;
}
