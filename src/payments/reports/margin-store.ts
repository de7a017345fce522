import type { Queryable } from '../../platform/db/pool.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';
import type { Dimension } from './dimensions.ts';
import { OF_A_PAYMENT, WITH_PAYMENTS } from '../ledger/sums-store.ts';
import type { PairSum, Span } from '../ledger/sums-store.ts';

/** The group that a row belongs to. */
export interface MarginKey {
  /** Null: not listed by it. */
  readonly day: string | null;
  readonly vendorId: number | null;
  readonly billerCode: string | null;
  /** The operator that executed the payment. */
  readonly operatorCode: string | null;
}

/** Transfers of payments, summed. */
export type MarginPair = MarginKey & Omit<PairSum, 'count'>;

/** Payments that corrections made succeed, less those that they made fail. */
export type CorrectedPayments = MarginKey & Pick<PairSum, 'payments'>;

/** Days are those of the zone. */
export interface MarginPeriod extends Span {
  readonly timeZone: string;
}

const DAY = (time: string): string =>
  `case when $3::boolean then to_char(${time} at time zone $7, 'YYYY-MM-DD') end as day`;

/** Columns of vendors' payments, live (`p`) or archived (`a`). */
const OF_PAYMENTS = `case when $5::boolean then coalesce(p.biller_code, a.biller_code) end as "billerCode",
    case when $6::boolean then coalesce(p.operator_code, a.operator_code) end as "operatorCode"`;

const PAIRS = `
  select ${DAY('f.created_at')}, case when $4::boolean then f.vendor_id end as "vendorId", ${OF_PAYMENTS},
    f.debit_account as "debitAccount", f.credit_account as "creditAccount",
    (count(*) filter (where f.leg = 2 and f.debit_account = 'reserved'
      and f.credit_account like 'operator:%'))::integer as payments,
    sum(f.amount_cents)::bigint as "amountCents"
  from ${WITH_PAYMENTS}
  where f.created_at >= coalesce($1::timestamptz, '-infinity')
    and f.created_at < coalesce($2::timestamptz, 'infinity') and f.vendor_id <> 0 and ${OF_A_PAYMENT}
  group by 1, 2, 3, 4, 5, 6`;

const SUMMED_PAIRS = `
  select ${DAY('s.hour')}, null::integer as "vendorId",
    case when $5::boolean then nullif(s.biller_code, '') end as "billerCode",
    case when $6::boolean then nullif(s.operator_code, '') end as "operatorCode",
    s.debit_account as "debitAccount", s.credit_account as "creditAccount",
    sum(s.payments)::integer as payments, sum(s.amount_cents)::bigint as "amountCents"
  from transfer_hours s
  where s.hour >= coalesce($1::timestamptz, '-infinity') and s.hour < coalesce($2::timestamptz, 'infinity')
    and not s.is_own and not $4::boolean
  group by 1, 2, 3, 4, 5, 6`;

const CORRECTED = `
  select ${DAY('c.posted_at')}, case when $4::boolean then c.vendor_id end as "vendorId", ${OF_PAYMENTS},
    sum(case c.outcome_after when 'success' then 1 else -1 end)::integer as payments
  from corrections c
    left join payments p
      on p.bucket = c.bucket and p.vendor_id = c.vendor_id and p.payment_id = c.payment_id
    left join archived_payments a
      on a.bucket = c.bucket and a.vendor_id = c.vendor_id and a.payment_id = c.payment_id
  where c.posted_at >= coalesce($1::timestamptz, '-infinity')
    and c.posted_at < coalesce($2::timestamptz, 'infinity')
    and c.vendor_id <> 0 and c.outcome_after is not null
  group by 1, 2, 3, 4`;

function valuesOf({ from, to, timeZone }: MarginPeriod, by: ReadonlySet<Dimension>): unknown[] {
  const flags = [by.has('day'), by.has('vendor'), by.has('biller'), by.has('operator')];
  return [from, to, ...flags, timeZone];
}

/** From the transfers themselves. */
export async function readMarginPairs(
  db: Queryable,
  period: MarginPeriod,
  by: ReadonlySet<Dimension>,
): Promise<MarginPair[]> {
  return await queryByBucket<MarginPair>(db, PAIRS, valuesOf(period, by));
}

/** Reads sums by hour for a period that has ended, by any dimension but the vendor. */
export async function readSummedMarginPairs(
  db: Queryable,
  period: MarginPeriod,
  by: ReadonlySet<Dimension>,
): Promise<MarginPair[]> {
  return (await db.query<MarginPair>(SUMMED_PAIRS, valuesOf(period, by))).rows;
}

/** Each correction counts on its own day. */
export async function readCorrectedPayments(
  db: Queryable,
  period: MarginPeriod,
  by: ReadonlySet<Dimension>,
): Promise<CorrectedPayments[]> {
  return await queryByBucket<CorrectedPayments>(db, CORRECTED, valuesOf(period, by));
}
