import { listBuckets } from '../../parties/read-buckets.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { queryByBucket } from './in-bucket.ts';

/** A period; null: without a beginning, or until now. */
export interface Span {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Each vendor is summed by all of these (UTC), all vendors together only by hour. */
export type SumUnit = 'hour' | 'day' | 'week';

/** Transfers between the same two accounts, summed. */
export interface PairSum {
  readonly debitAccount: string;
  readonly creditAccount: string;
  /** Number of transfers. */
  readonly count: number;
  /** Transfers among them that paid an operator for a payment. */
  readonly payments: number;
  readonly amountCents: bigint;
}

/** The caller's database transaction takes as long as the transfers need. */
export async function takeYourTime(db: Queryable): Promise<void> {
  await db.query('set local statement_timeout = 0');
}

/** Up to when transfers are summed; undefined: none are. */
export async function readSummedUntil(db: Queryable): Promise<Date | undefined> {
  const read = await db.query<{ until: Date | null }>(
    `select nullif(until, '-infinity') as until from transfer_sums`,
  );
  return read.rows[0]?.until ?? undefined;
}

/** Reads the end of the sums, and lets nobody else sum until the database transaction ends. */
export async function lockSummedUntil(db: Queryable): Promise<Date | undefined> {
  const read = await db.query<{ until: Date | null }>(
    `select nullif(until, '-infinity') as until from transfer_sums for update`,
  );
  return read.rows[0]?.until ?? undefined;
}

export async function setSummedUntil(db: Queryable, until: Date): Promise<void> {
  await db.query('update transfer_sums set until = $1', [until]);
}

/** The time of the first transfer of a span; undefined if the span has no transfers. */
export async function findFirstTransfer(db: Queryable, span: Span): Promise<Date | undefined> {
  const found = await db.query<{ first: Date | null }>(
    `select min(created_at) as first from transfers
     where created_at >= coalesce($1::timestamptz, '-infinity')
       and created_at < coalesce($2::timestamptz, 'infinity')`,
    [span.from, span.to],
  );
  return found.rows[0]?.first ?? undefined;
}

const IN_SPAN = (time: string): string => `${time} >= coalesce($1::timestamptz, '-infinity')
    and ${time} < coalesce($2::timestamptz, 'infinity')`;

const SUMS = `count(*) as count,
    count(*) filter (where f.leg = 2 and f.debit_account = 'reserved'
      and f.credit_account like 'operator:%') as payments,
    sum(f.amount_cents)::bigint as amount_cents`;

/** SQL on `transfers f`: it changes what a payment brought or cost. Such transfers are posted after its operator is known. */
export const OF_A_PAYMENT = `concat(f.debit_account, ' ', f.credit_account)
      ~ '\\m(fees|vat)\\M|(operator|cost|commission):'`;

/** SQL of transfers f with their payments, live (p) or archived (a). */
export const WITH_PAYMENTS = `transfers f
    left join corrections c on c.bucket = f.bucket and c.vendor_id = f.vendor_id
      and c.correction_id = f.source_id
    left join payments p on p.bucket = f.bucket and p.vendor_id = f.vendor_id
      and p.payment_id = coalesce(c.payment_id, f.source_id) and ${OF_A_PAYMENT}
    left join archived_payments a on a.bucket = f.bucket and a.vendor_id = f.vendor_id
      and a.payment_id = coalesce(c.payment_id, f.source_id) and ${OF_A_PAYMENT}`;

/** By hour. A payment's biller never changes, nor does its operator once it is known. */
const HOURS = `
  select date_trunc('hour', f.created_at, 'UTC') as hour, f.vendor_id = 0 as is_own,
    coalesce(p.biller_code, a.biller_code, '') as biller_code,
    coalesce(p.operator_code, a.operator_code, '') as operator_code, f.debit_account, f.credit_account, ${SUMS}
  from ${WITH_PAYMENTS}
  where ${IN_SPAN('f.created_at')}
  group by 1, 2, 3, 4, 5, 6`;

/** A row of transfer_hours. */
export interface HourSum {
  readonly hour: Date;
  /** True: the sum is of transfers between our own accounts. */
  readonly isOwn: boolean;
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly count: bigint;
  readonly payments: bigint;
  readonly amountCents: bigint;
}

const AS_HOUR_SUM = `hour, is_own as "isOwn", biller_code as "billerCode", operator_code as "operatorCode",
    debit_account as "debitAccount", credit_account as "creditAccount", count, payments,
    amount_cents as "amountCents"`;

/** The sums by hour that the transfers of a span make, of each bucket. */
export async function computeHours(db: Queryable, span: Span): Promise<HourSum[]> {
  const sql = `select ${AS_HOUR_SUM} from (${HOURS}) h`;
  return await queryByBucket<HourSum>(db, sql, [span.from, span.to]);
}

/** All sums by hour that are stored. */
export async function listHours(db: Queryable): Promise<HourSum[]> {
  return (await db.query<HourSum>(`select ${AS_HOUR_SUM} from transfer_hours`)).rows;
}

export async function insertHours(db: Queryable, sums: readonly HourSum[]): Promise<void> {
  await db.query(
    `insert into transfer_hours (hour, is_own, biller_code, operator_code, debit_account, credit_account, count,
       payments, amount_cents)
     select * from unnest($1::timestamptz[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::bigint[], $8::bigint[], $9::bigint[])`,
    [
      sums.map(({ hour }) => hour),
      sums.map(({ isOwn }) => isOwn),
      sums.map(({ billerCode }) => billerCode),
      sums.map(({ operatorCode }) => operatorCode),
      sums.map(({ debitAccount }) => debitAccount),
      sums.map(({ creditAccount }) => creditAccount),
      sums.map(({ count }) => count),
      sums.map(({ payments }) => payments),
      sums.map(({ amountCents }) => amountCents),
    ],
  );
}

/** Sums whole hours of each vendor, bucket by bucket, each on the node that has it. */
export async function insertVendorHours(db: Queryable, span: Span): Promise<void> {
  for (const bucket of await listBuckets(db)) {
    await db.query(
      `insert into transfer_vendor_hours (bucket, vendor_id, hour, debit_account, credit_account, count,
         payments, amount_cents)
       select f.bucket, f.vendor_id, date_trunc('hour', f.created_at, 'UTC'), f.debit_account,
         f.credit_account, ${SUMS}
       from transfers f where f.bucket = $3 and ${IN_SPAN('f.created_at')}
       group by 1, 2, 3, 4, 5`,
      [span.from, span.to, bucket],
    );
  }
}

/** Sums whole days of each vendor, from its hours. */
export async function insertDays(db: Queryable, span: Span): Promise<void> {
  for (const bucket of await listBuckets(db)) {
    await db.query(
      `insert into transfer_days (bucket, vendor_id, day, debit_account, credit_account, count, payments,
         amount_cents)
       select s.bucket, s.vendor_id, date_trunc('day', s.hour, 'UTC'), s.debit_account, s.credit_account,
         sum(s.count)::bigint, sum(s.payments)::bigint, sum(s.amount_cents)::bigint
       from transfer_vendor_hours s where s.bucket = $3 and ${IN_SPAN('s.hour')}
       group by 1, 2, 3, 4, 5`,
      [span.from, span.to, bucket],
    );
  }
}

/** Sums whole weeks of each vendor, from its days. */
export async function insertWeeks(db: Queryable, span: Span): Promise<void> {
  for (const bucket of await listBuckets(db)) {
    await db.query(
      `insert into transfer_weeks (bucket, vendor_id, week, debit_account, credit_account, count, payments,
         amount_cents)
       select s.bucket, s.vendor_id, date_trunc('week', s.day, 'UTC'), s.debit_account, s.credit_account,
         sum(s.count)::bigint, sum(s.payments)::bigint, sum(s.amount_cents)::bigint
       from transfer_days s where s.bucket = $3 and ${IN_SPAN('s.day')}
       group by 1, 2, 3, 4, 5`,
      [span.from, span.to, bucket],
    );
  }
}

/** The transfers to sum. Null: all. */
export interface SumFilter {
  readonly vendorId: number | null;
  /** To or from one of these. */
  readonly accounts: readonly string[] | null;
}

const ON_ACCOUNTS = (row: string): string =>
  `($3::text[] is null or ${row}.debit_account = any ($3) or ${row}.credit_account = any ($3))`;

const PAIR = (row: string): string => `${row}.debit_account as "debitAccount",
    ${row}.credit_account as "creditAccount"`;

/** @param key further columns to group by. */
const ofTransfers = (key: string, where = ''): string => `
  select ${key}${PAIR('f')}, count(*)::integer as count,
    (count(*) filter (where f.leg = 2 and f.debit_account = 'reserved'
      and f.credit_account like 'operator:%'))::integer as payments,
    sum(f.amount_cents)::bigint as "amountCents"
  from transfers f
  where ${where}${IN_SPAN('f.created_at')} and ${ON_ACCOUNTS('f')}
  group by ${key}f.debit_account, f.credit_account`;

const OF_TRANSFERS = ofTransfers('');
const OF_A_VENDOR = ofTransfers('', 'f.bucket = bucket_of($4) and f.vendor_id = $4 and ');
/** By the time alone: all keys of a vendor that has most transfers take longer than a day of all vendors. */
const OF_A_VENDOR_SHORTLY = ofTransfers(
  '',
  'f.bucket = bucket_of($4) and f.vendor_id + 0 = $4 and ',
);
/** A part of an hour at each end, and what is not summed yet. */
const SHORT_MS = 2 * DAY_MS;
const VENDORS_OF_TRANSFERS = `select vendor_id as "vendorId", "debitAccount", "creditAccount", count,
    payments, "amountCents" from (${ofTransfers('f.vendor_id, ')}) v`;

const ADDED = `sum(s.count)::integer as count, sum(s.payments)::integer as payments,
    sum(s.amount_cents)::bigint as "amountCents"`;

const OF_HOURS = `select ${PAIR('s')}, ${ADDED} from transfer_hours s
  where ${IN_SPAN('s.hour')} and ${ON_ACCOUNTS('s')}
  group by s.debit_account, s.credit_account`;

const ofVendor = (
  table: string,
  time: string,
): string => `select ${PAIR('s')}, ${ADDED} from ${table} s
  where s.bucket = bucket_of($4) and s.vendor_id = $4 and ${IN_SPAN(`s.${time}`)} and ${ON_ACCOUNTS('s')}
  group by s.debit_account, s.credit_account`;
const OF_VENDOR = {
  hour: ofVendor('transfer_vendor_hours', 'hour'),
  day: ofVendor('transfer_days', 'day'),
  week: ofVendor('transfer_weeks', 'week'),
} as const;

/** The pairs of a span, from the transfers themselves. */
export async function readTransferPairs(
  db: Queryable,
  { from, to }: Span,
  { vendorId, accounts }: SumFilter,
): Promise<PairSum[]> {
  const values = [from, to, accounts];
  if (vendorId === null) return await queryByBucket<PairSum>(db, OF_TRANSFERS, values);
  const spanMs = Number(to ?? Date.now()) - Number(from);
  const read =
    from !== null && spanMs <= SHORT_MS
      ? await db.query<PairSum>(OF_A_VENDOR_SHORTLY, [...values, vendorId])
      : await db.query<PairSum>(OF_A_VENDOR, [...values, vendorId]);
  return read.rows;
}

/** The pairs of whole units that are summed. Of all vendors, they are summed by hour only. */
export async function readSummedPairs(
  db: Queryable,
  unit: SumUnit,
  { from, to }: Span,
  { vendorId, accounts }: SumFilter,
): Promise<PairSum[]> {
  return vendorId === null
    ? (await db.query<PairSum>(OF_HOURS, [from, to, accounts])).rows
    : (await db.query<PairSum>(OF_VENDOR[unit], [from, to, accounts, vendorId])).rows;
}

const ofEachVendor = (table: string, time: string): string => `
  select s.vendor_id as "vendorId", ${PAIR('s')}, ${ADDED} from ${table} s
  where ${IN_SPAN(`s.${time}`)} and ${ON_ACCOUNTS('s')}
  group by s.vendor_id, s.debit_account, s.credit_account`;

const OF_EACH_VENDOR = {
  transfers: VENDORS_OF_TRANSFERS,
  hour: ofEachVendor('transfer_vendor_hours', 'hour'),
  day: ofEachVendor('transfer_days', 'day'),
  week: ofEachVendor('transfer_weeks', 'week'),
} as const;

export type VendorPairSum = PairSum & { readonly vendorId: number };

/** The pairs of each vendor in a span. @param source units: whole ones that are summed. */
export async function readVendorPairs(
  db: Queryable,
  source: SumUnit | 'transfers',
  { from, to }: Span,
  accounts: readonly string[] | null,
): Promise<VendorPairSum[]> {
  return await queryByBucket<VendorPairSum>(db, OF_EACH_VENDOR[source], [from, to, accounts]);
}

/** The first summed hour in which a vendor has transfers and that begins at a time or later. */
export async function findVendorHour(
  db: Queryable,
  vendorId: number,
  from: Date,
): Promise<Date | undefined> {
  const found = await db.query<{ hour: Date }>(
    `select hour from transfer_vendor_hours
     where bucket = bucket_of($1) and vendor_id = $1 and hour >= $2 order by hour limit 1`,
    [vendorId, from],
  );
  return found.rows[0]?.hour;
}
