import type { Queryable } from '../../platform/db/pool.ts';
import { FLOWS } from '../ledger/flows.ts';
import type { Period } from './store.ts';

/** All in cents. */
export interface DayTotal {
  readonly vendor_id: number;
  /** '' for the vendor's own money; otherwise what went to the operator for it. */
  readonly operator_code: string;
  readonly opening_cents: bigint;
  readonly in_cents: bigint;
  readonly payments_cents: bigint;
  readonly fees_cents: bigint;
  readonly refunds_cents: bigint;
  readonly corrections_cents: bigint;
  readonly closing_cents: bigint;
}

export interface ClosedDay {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly started_at: Date;
  readonly ended_at: Date;
  readonly closed_at: Date;
  readonly closed_by: string;
  readonly exceptions: Readonly<Record<string, unknown>>;
}

const DAYS =
  'select day::text, started_at, ended_at, closed_at, closed_by, exceptions from closed_days';

export async function findClosedDay(db: Queryable, day: string): Promise<ClosedDay | undefined> {
  return (await db.query<ClosedDay>(`${DAYS} where day = $1`, [day])).rows[0];
}

/** The last day that was closed. */
export async function findLastClosedDay(db: Queryable): Promise<ClosedDay | undefined> {
  return (await db.query<ClosedDay>(`${DAYS} order by started_at desc limit 1`)).rows[0];
}

/** The caller's transaction takes as long as the transfers need. */
export async function takeYourTime(db: Queryable): Promise<void> {
  await db.query('set local statement_timeout = 0');
}

const CLOSE_LOCK = 7_305_002;

/** One close at a time. To lock the table would take rights that the runtime role does not have. */
export async function beginClose(db: Queryable): Promise<void> {
  await takeYourTime(db);
  await db.query('select pg_advisory_xact_lock($1)', [CLOSE_LOCK]);
}

/**
 * The totals of a period as the transfers make them.
 * @param closedBefore the closed day that ends where the period begins: its closing is the opening.
 */
export async function computeTotals(
  db: Queryable,
  period: Period,
  closedBefore: string | null,
): Promise<DayTotal[]> {
  const computed = await db.query<DayTotal>(
    `select s.vendor_id, s.operator_code, sum(s.opening)::bigint as opening_cents,
       sum(s.came)::bigint as in_cents, sum(s.payments)::bigint as payments_cents,
       sum(s.fees)::bigint as fees_cents, sum(s.refunds)::bigint as refunds_cents,
       sum(s.corrections)::bigint as corrections_cents, sum(s.opening + s.net)::bigint as closing_cents
     from (
       select vendor_id, operator_code, 0 as opening, net_cents as net, in_cents as came,
         payments_cents as payments, fees_cents as fees, refunds_cents as refunds,
         corrections_cents as corrections
       from ${FLOWS} f where f.created_at >= $1 and f.created_at < $2
       union all
       select vendor_id, operator_code, net_cents, 0, 0, 0, 0, 0, 0
       from ${FLOWS} f where $3::date is null and f.created_at < $1
       union all
       select vendor_id, operator_code, closing_cents, 0, 0, 0, 0, 0, 0
       from day_totals where day = $3
     ) s group by s.vendor_id, s.operator_code order by s.vendor_id, s.operator_code`,
    [period.from, period.to, closedBefore],
  );
  return computed.rows;
}

export async function readTotals(db: Queryable, day: string): Promise<DayTotal[]> {
  const read = await db.query<DayTotal>(
    `select vendor_id, operator_code, opening_cents, in_cents, payments_cents, fees_cents,
       refunds_cents, corrections_cents, closing_cents
     from day_totals where day = $1 order by vendor_id, operator_code`,
    [day],
  );
  return read.rows;
}

export async function insertClosedDay(
  db: Queryable,
  closed: Omit<ClosedDay, 'closed_at'>,
  totals: readonly DayTotal[],
): Promise<void> {
  await db.query(
    `insert into closed_days (day, started_at, ended_at, closed_at, closed_by, exceptions)
     values ($1, $2, $3, now(), $4, $5)`,
    [
      closed.day,
      closed.started_at,
      closed.ended_at,
      closed.closed_by,
      JSON.stringify(closed.exceptions),
    ],
  );
  await db.query(
    `insert into day_totals (day, vendor_id, operator_code, opening_cents, in_cents, payments_cents,
       fees_cents, refunds_cents, corrections_cents, closing_cents)
     select $1, * from unnest($2::integer[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])`,
    [
      closed.day,
      totals.map((row) => row.vendor_id),
      totals.map((row) => row.operator_code),
      totals.map((row) => row.opening_cents),
      totals.map((row) => row.in_cents),
      totals.map((row) => row.payments_cents),
      totals.map((row) => row.fees_cents),
      totals.map((row) => row.refunds_cents),
      totals.map((row) => row.corrections_cents),
      totals.map((row) => row.closing_cents),
    ],
  );
}

/** Operators that payments of the period went to, or may have gone to. */
export async function listOperatorsPaid(db: Queryable, period: Period): Promise<string[]> {
  const listed = await db.query<{ operator_code: string }>(
    `select split_part(credit_account, ':', 2) as operator_code from transfers
     where created_at >= $1 and created_at < $2 and debit_account = 'reserved'
       and credit_account like 'operator:%'
     union
     select b.operator_code from dispatch_queue q join billers b using (biller_code)
       join attempts a using (vendor_id, biller_code, payment_id)
     where a.sent_at >= $1 and a.sent_at < $2
     order by 1`,
    [period.from, period.to],
  );
  return listed.rows.map((row) => row.operator_code);
}

/** What an operator's statements say about a period, in cents; balances where they begin and end it. */
export interface OperatorDay {
  readonly operator: string;
  readonly opening_cents: bigint | null;
  readonly payments_cents: bigint;
  readonly reversals_cents: bigint;
  readonly top_ups_cents: bigint;
  readonly charges_cents: bigint;
  readonly closing_cents: bigint | null;
}

export async function readOperatorDays(db: Queryable, period: Period): Promise<OperatorDay[]> {
  const read = await db.query<OperatorDay>(
    `select o.operator,
       (select opening_cents from operator_statements s where s.operator = o.operator
          and s.period_start = $1 order by imported_at desc limit 1) as opening_cents,
       (select closing_cents from operator_statements s where s.operator = o.operator
          and s.period_end = $2 order by imported_at desc limit 1) as closing_cents,
       coalesce(sum(r.amount_cents) filter (where r.kind = 'payment'), 0)::bigint as payments_cents,
       coalesce(sum(r.amount_cents) filter (where r.kind = 'reversal'), 0)::bigint as reversals_cents,
       coalesce(sum(r.amount_cents) filter (where r.kind = 'top_up'), 0)::bigint as top_ups_cents,
       coalesce(sum(r.amount_cents) filter (where r.kind = 'charge'), 0)::bigint as charges_cents
     from (select distinct operator from operator_statements
         where period_start < $2 and period_end > $1) o
       left join statement_rows r on r.operator = o.operator and r.at >= $1 and r.at < $2
         and r.verdict not in ('repeated', 'changed')
     group by o.operator order by o.operator`,
    [period.from, period.to],
  );
  return read.rows;
}
