import type { Queryable } from '../src/platform/db/pool.ts';
import { FIRST_ACCOUNTS } from '../src/payments/ledger/account.ts';

/** SQL of the bench. Everything that the service can do uses the service's own stores. */

export async function insertVendors(db: Queryable, count: number): Promise<void> {
  await db.query(
    `with vendor as (
       insert into vendors (vendor_id, vid, name, sector, created_at)
       select (select max(vendor_id) from vendors) + n, 'bench-' || lpad(n::text, 5, '0'), 'Bench',
         'retail', now()
       from generate_series(1, $1) n
       returning vendor_id
     )
     insert into accounts (bucket, vendor_id, account)
     select bucket_of(vendor_id), vendor_id, account from vendor cross join unnest($2::text[]) as account`,
    [count, FIRST_ACCOUNTS],
  );
}

export async function listVids(
  db: Queryable,
  pattern: string,
): Promise<{ vendor_id: number; vid: string }[]> {
  const listed = await db.query<{ vendor_id: number; vid: string }>(
    'select vendor_id, vid from vendors where vid like $1 order by vendor_id',
    [pattern],
  );
  return listed.rows;
}

/** Collects and funds this amount for every bench vendor, in the ledger. */
export async function fillFloats(db: Queryable, cents: bigint): Promise<void> {
  await db.query(
    `with funded as materialized (
       select vendor_id, gen_random_uuid() as collection_id, gen_random_uuid() as movement_id
       from vendors where vid like 'bench-%'
     ), collection as (
       insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at, created_at, account)
       select 'demo-collector', 'bench-' || vendor_id, vendor_id, collection_id, $1, now(), now(), 'collector:demo-collector' from funded
     ), movement as (
       insert into fund_movements (bucket, vendor_id, requested_at, movement_id, amount_cents, created_at)
       select bucket_of(vendor_id), vendor_id, '2026-01-01', movement_id, $1, now() from funded
     ), transfer as (
       insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
       select bucket_of(vendor_id), vendor_id, collection_id, 1, 'collector:demo-collector', 'collected', $1::bigint, now() from funded
       union all
       select bucket_of(vendor_id), vendor_id, movement_id, 1, 'collected', 'float', $1, now() from funded
     )
     insert into accounts (bucket, vendor_id, account, balance_cents)
     select bucket_of(vendor_id), vendor_id, account, cents
     from funded cross join (values ('float', $1::bigint), ('collector:demo-collector', -$1::bigint)) as a (account, cents)
     on conflict (bucket, vendor_id, account) do update set balance_cents = excluded.balance_cents`,
    [cents],
  );
}

/** Operators with high limits, so that they do not affect the measurement. */
export async function quickenOperators(db: Queryable): Promise<void> {
  await db.query('update operators set max_concurrency = 256');
}

/** Makes the operators' addresses those of the simulated operators. */
export async function moveOperators(db: Queryable, origin: string): Promise<void> {
  await db.query(`update operators set base_url = $1 || '/operators/' || operator_code`, [origin]);
}

export async function countPayments(db: Queryable): Promise<number> {
  const counted = await db.query<{ count: bigint }>('select count(*) as count from payments');
  return Number(counted.rows[0]?.count ?? 0);
}

export async function countQueued(db: Queryable): Promise<number> {
  const counted = await db.query<{ count: bigint }>('select count(*) as count from dispatch_queue');
  return Number(counted.rows[0]?.count ?? 0);
}

export async function countSettled(db: Queryable): Promise<number> {
  const counted = await db.query<{ count: bigint }>(
    'select count(*) as count from payments where outcome is not null',
  );
  return Number(counted.rows[0]?.count ?? 0);
}

/** Counts operators that have paid, and payments that had a cost. */
export async function readRouting(
  db: Queryable,
): Promise<{ readonly operators: number; readonly costs: number }> {
  const read = await db.query<{ operators: bigint; costs: bigint }>(
    `select (select count(distinct operator_code) from payments) as operators,
       (select count(*) from transfers where leg = 8) as costs`,
  );
  const { operators = 0n, costs = 0n } = read.rows[0] ?? {};
  return { operators: Number(operators), costs: Number(costs) };
}

export async function databaseTime(db: Queryable): Promise<Date> {
  const read = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return read.rows[0]?.now ?? new Date(0);
}

/** Seconds from the first create after an instant to the last settlement. */
export async function settlingSeconds(db: Queryable, since: Date): Promise<number> {
  const read = await db.query<{ seconds: number }>(
    `select extract(epoch from max(settled_at) - min(created_at))::float8 as seconds
     from payments where created_at >= $1`,
    [since],
  );
  return read.rows[0]?.seconds ?? 0;
}

/** Vacuums and analyzes the database, like an older one. */
export async function settleDown(db: Queryable): Promise<void> {
  await db.query('vacuum (analyze) payments, transfers, accounts, dispatch_queue');
}

/** Some payments of each vendor, for status queries. */
export async function samplePayments(
  db: Queryable,
  limit: number,
): Promise<{ vendor_id: number; payment_id: string }[]> {
  const sampled = await db.query<{ vendor_id: number; payment_id: string }>(
    'select vendor_id, payment_id from payments order by hashtext(payment_id::text) limit $1',
    [limit],
  );
  return sampled.rows;
}

/** The end of the write-ahead log, in bytes. */
export async function walPosition(db: Queryable): Promise<bigint> {
  const read = await db.query<{ position: bigint }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as position`,
  );
  return read.rows[0]?.position ?? 0n;
}

/**
 * How full the pages of settled payments are, in per cent. Rows grow when they are settled, so these pages have
 * no room for new ones.
 */
const SETTLED_FILLFACTOR = 45;

/** Inserts settled payments of the past with their transfers, for all bench vendors. */
export async function insertHistory(db: Queryable, count: number): Promise<void> {
  const fillfactor = await readFillfactor(db, 'payments');
  await db.query(`alter table payments set (fillfactor = ${SETTLED_FILLFACTOR})`);
  await insertSettled(db, count);
  await db.query(`alter table payments set (fillfactor = ${fillfactor})`);
}

async function readFillfactor(db: Queryable, table: string): Promise<number> {
  const read = await db.query<{ fillfactor: number }>(
    `select option_value::integer as fillfactor
     from pg_class c cross join pg_options_to_table(c.reloptions)
     where c.oid = $1::regclass and option_name = 'fillfactor'`,
    [table],
  );
  const [row] = read.rows;
  if (row === undefined) throw new Error(`${table} has no fill factor`);
  return row.fillfactor;
}

async function insertSettled(db: Queryable, count: number): Promise<void> {
  await db.query(
    `with past as materialized (
       select v.vendor_id, 'operator:kplc' as operator, 1 + (n % 900) * 10 as amount,
         at.at, overlay(overlay(gen_random_uuid()::text placing
           lpad(to_hex((extract(epoch from at.at) * 1000)::bigint >> 16), 8, '0') from 1 for 8)
           placing lpad(to_hex((extract(epoch from at.at) * 1000)::bigint & 65535), 4, '0') || '-7' from 10 for 6
         )::uuid as id, n
       from generate_series(1, $1::integer) n
         cross join lateral (select now() - interval '90 days' + n * interval '90 days' / $1::integer as at) at
         join lateral (select vendor_id from vendors where vid = 'bench-' || lpad((1 + n % 1001)::text, 5, '0')) v on true
     ), created as (
       insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account,
         amount_cents, fee_cents, duplicate_key, created_at, settled_at, biller_response_time, outcome,
         biller_reference, message, sent_at, attempt_number, attempt_outcome, settled_by)
       select bucket_of(vendor_id), vendor_id, id, 'past-' || n, 'kplc_prepaid', '14' || (10000000 + n), amount, 0,
         floor(extract(epoch from at) / 32)::bigint << 32 | (hashint4(n)::bigint & 4294967295),
         at, at, at, 'success', 'OP' || n, 'Paid', at, 1, 'paid', 'answer'
       from past
     ), reserved as (
       insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
       select bucket_of(vendor_id), vendor_id, id, l.leg, l.debit, l.credit, amount, at from past
         cross join (values (1, 'float', 'reserved'), (2, 'reserved', 'operator:kplc')) l (leg, debit, credit)
     ), totals as (
       select vendor_id, sum(amount)::bigint as total from past group by vendor_id
     ), opened as (
       insert into accounts (bucket, vendor_id, account, balance_cents)
       select bucket_of(vendor_id), vendor_id, 'operator:kplc', total from totals
     )
     update accounts a set balance_cents = a.balance_cents - t.total
     from totals t where a.bucket = bucket_of(t.vendor_id) and a.vendor_id = t.vendor_id and a.account = 'float'`,
    [count],
  );
}

/** Lets the server measure how long flushes of the write-ahead log take. For superusers. */
export async function startWalTiming(db: Queryable): Promise<void> {
  await db.query('alter system set track_wal_io_timing = on');
  await db.query('select pg_reload_conf()');
}

/** Reads the size of the server's write-ahead log so far. */
export async function readWalWork(
  db: Queryable,
): Promise<{ readonly bytes: number; readonly flushes: number; readonly flushSeconds: number }> {
  const read = await db.query<{ bytes: number; flushes: number; flushSeconds: number }>(
    `select (select wal_bytes from pg_stat_wal)::float8 as bytes, sum(fsyncs)::float8 as flushes,
       sum(fsync_time)::float8 / 1000 as "flushSeconds"
     from pg_stat_io where object = 'wal' and context = 'normal'`,
  );
  return read.rows[0] ?? { bytes: 0, flushes: 0, flushSeconds: 0 };
}
