import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listStatementChanges } from '../cases/statement-cases-store.ts';
import type { StatementChange } from '../cases/statement-cases-store.ts';
import { FLOWS, flowsOf } from '../ledger/flows.ts';
import { readPairs } from '../ledger/sums.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { Period } from './store.ts';

/** All in cents. */
export interface DayTotal {
  readonly vendorId: number;
  /** '' for the vendor's own money; otherwise the operator that was paid for it. */
  readonly operatorCode: string;
  readonly openingCents: bigint;
  readonly inCents: bigint;
  readonly paymentsCents: bigint;
  /** Without VAT. */
  readonly feesCents: bigint;
  readonly vatCents: bigint;
  /** To the vendor’s own bank. */
  readonly payoutsCents: bigint;
  /** The operator's charges to us, and the commission that it kept for us. */
  readonly costsCents: bigint;
  readonly commissionsCents: bigint;
  readonly refundsCents: bigint;
  readonly correctionsCents: bigint;
  readonly closingCents: bigint;
}

export interface ClosedDay {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly closedAt: Date;
  readonly closedBy: string;
  readonly exceptions: Readonly<Record<string, unknown>>;
}

const DAYS = `select day::text, started_at as "startedAt", ended_at as "endedAt", closed_at as "closedAt",
    closed_by as "closedBy", exceptions from closed_days`;

export async function findClosedDay(db: Queryable, day: string): Promise<ClosedDay | undefined> {
  return (await db.query<ClosedDay>(`${DAYS} where day = $1`, [day])).rows[0];
}

/** The last closed day. */
export async function findLastClosedDay(db: Queryable): Promise<ClosedDay | undefined> {
  return (await db.query<ClosedDay>(`${DAYS} order by started_at desc limit 1`)).rows[0];
}

const CLOSE_LOCK = 7_305_002;

/**
 * One close at a time. Locking the table would need privileges that the runtime role does not have.
 */
export async function beginClose(db: Queryable): Promise<void> {
  await takeYourTime(db);
  await db.query('select pg_advisory_xact_lock($1)', [CLOSE_LOCK]);
}

/**
 * The totals of a period, computed from the transfers.
 * @param closedBefore the closed day that ends where the period begins: its closing balance is the
 * opening balance.
 */
export async function computeTotals(
  db: Queryable,
  period: Period,
  closedBefore: string | null,
): Promise<DayTotal[]> {
  const computed = await db.query<DayTotal>(
    `select s.vendor_id as "vendorId", s.operator_code as "operatorCode",
      sum(s.opening)::bigint as "openingCents",
       sum(s.came)::bigint as "inCents", sum(s.payments)::bigint as "paymentsCents",
       sum(s.fees)::bigint as "feesCents", sum(s.vat)::bigint as "vatCents",
       sum(s.payouts)::bigint as "payoutsCents",
       sum(s.costs)::bigint as "costsCents", sum(s.commissions)::bigint as "commissionsCents",
       sum(s.refunds)::bigint as "refundsCents",
       sum(s.corrections)::bigint as "correctionsCents",
         sum(s.opening + s.net)::bigint as "closingCents"
     from (
       select vendor_id, operator_code, 0 as opening, net_cents as net, in_cents as came,
         payments_cents as payments, fees_cents as fees, vat_cents as vat, payouts_cents as payouts, costs_cents as costs,
         commissions_cents as commissions, refunds_cents as refunds, corrections_cents as corrections
       from ${FLOWS} f where f.created_at >= $1 and f.created_at < $2
       union all
       select vendor_id, operator_code, net_cents, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from ${FLOWS} f where $3::date is null and f.created_at < $1
       union all
       select vendor_id, operator_code, closing_cents, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from day_totals where day = $3
     ) s group by s.vendor_id, s.operator_code order by s.vendor_id, s.operator_code`,
    [period.from, period.to, closedBefore],
  );
  return computed.rows;
}

/** Movements of our float with an operator according to our ledger, in cents. */
export type OperatorTotal = Pick<
  DayTotal,
  'operatorCode' | 'paymentsCents' | 'costsCents' | 'commissionsCents' | 'correctionsCents'
>;

const PAIRS = `(
    select null::timestamptz as created_at, 0 as vendor_id, debit_account, credit_account, amount_cents
    from unnest($1::text[], $2::text[], $3::bigint[]) u (debit_account, credit_account, amount_cents)
  )`;

/** The operators' part of `computeTotals`, of all vendors together. */
export async function computeOperatorTotals(
  db: Queryable,
  period: Period,
): Promise<OperatorTotal[]> {
  const pairs = await readPairs(db, period, { vendorId: null, accounts: null });
  const computed = await db.query<OperatorTotal>(
    `select operator_code as "operatorCode", sum(payments_cents)::bigint as "paymentsCents",
       sum(costs_cents)::bigint as "costsCents", sum(commissions_cents)::bigint as "commissionsCents",
       sum(corrections_cents)::bigint as "correctionsCents"
     from ${flowsOf(PAIRS)} f where operator_code <> '' group by operator_code order by operator_code`,
    [
      pairs.map(({ debitAccount }) => debitAccount),
      pairs.map(({ creditAccount }) => creditAccount),
      pairs.map(({ amountCents }) => amountCents),
    ],
  );
  return computed.rows;
}

export async function readTotals(db: Queryable, day: string): Promise<DayTotal[]> {
  const read = await db.query<DayTotal>(
    `select vendor_id as "vendorId", operator_code as "operatorCode",
      opening_cents as "openingCents", in_cents as "inCents", payments_cents as "paymentsCents",
      fees_cents as "feesCents", vat_cents as "vatCents",
      payouts_cents as "payoutsCents", costs_cents as "costsCents",
      commissions_cents as "commissionsCents",
       refunds_cents as "refundsCents", corrections_cents as "correctionsCents",
         closing_cents as "closingCents"
     from day_totals where day = $1 order by vendor_id, operator_code`,
    [day],
  );
  return read.rows;
}

export async function insertClosedDay(
  db: Queryable,
  closed: Omit<ClosedDay, 'closedAt'>,
  totals: readonly DayTotal[],
): Promise<void> {
  await db.query(
    `insert into closed_days (day, started_at, ended_at, closed_at, closed_by, exceptions)
     values ($1, $2, $3, now(), $4, $5)`,
    [
      closed.day,
      closed.startedAt,
      closed.endedAt,
      closed.closedBy,
      JSON.stringify(closed.exceptions),
    ],
  );
  await db.query(
    `insert into day_totals (bucket, day, vendor_id, operator_code, opening_cents, in_cents, payments_cents,
       fees_cents, vat_cents, payouts_cents, costs_cents, commissions_cents, refunds_cents, corrections_cents, closing_cents)
     select bucket_of(u.vendor_id), $1, u.* from unnest($2::integer[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[])
       as u (vendor_id, operator_code, opening, came, payments, fees, vat, payouts, costs, commissions, refunds,
         corrections, closing)`,
    [
      closed.day,
      totals.map((row) => row.vendorId),
      totals.map((row) => row.operatorCode),
      totals.map((row) => row.openingCents),
      totals.map((row) => row.inCents),
      totals.map((row) => row.paymentsCents),
      totals.map((row) => row.feesCents),
      totals.map((row) => row.vatCents),
      totals.map((row) => row.payoutsCents),
      totals.map((row) => row.costsCents),
      totals.map((row) => row.commissionsCents),
      totals.map((row) => row.refundsCents),
      totals.map((row) => row.correctionsCents),
      totals.map((row) => row.closingCents),
    ],
  );
}

/** Operators that payments of the period were, or may have been, sent to. */
export async function listOperatorsPaid(db: Queryable, period: Period): Promise<string[]> {
  const pairs = await readPairs(db, period, { vendorId: null, accounts: null });
  const paid = pairs.flatMap(({ debitAccount, creditAccount }) => {
    const [kind, code] = creditAccount.split(':');
    return debitAccount === 'reserved' && kind === 'operator' ? (code ?? []) : [];
  });
  const open = await db.query<{ operatorCode: string }>(
    `select coalesce(q.operator_code, b.operator_code) as "operatorCode"
     from dispatch_queue q join billers b on b.biller_code = q.biller_code
     where q.stage = 'verify' and q.sent_at >= $1 and q.sent_at < $2
     union
     select coalesce(a.operator_code, b.operator_code)
     from dispatch_queue q join billers b on b.biller_code = q.biller_code
       cross join lateral (
         select * from unexecuted_attempts x
         where x.bucket = q.bucket and x.vendor_id = q.vendor_id and x.payment_id = q.payment_id offset 0
       ) a
     where a.sent_at >= $1 and a.sent_at < $2`,
    [period.from, period.to],
  );
  return [...new Set([...paid, ...open.rows.map((row) => row.operatorCode)])].toSorted();
}

/**
 * The movements that an operator's statements report for a period, in cents; balances if they begin and
 * end it.
 */
export interface OperatorDay {
  readonly operator: string;
  readonly openingCents: bigint | null;
  readonly paymentsCents: bigint;
  readonly reversalsCents: bigint;
  readonly topUpsCents: bigint;
  readonly chargesCents: bigint;
  readonly closingCents: bigint | null;
}

/** Counts each movement once: if statements list it several times, the last one counts. */
export async function readOperatorDays(db: Queryable, period: Period): Promise<OperatorDay[]> {
  const changes = await listLastChanges(db, period);
  const read = await db.query<OperatorDay>(
    `select o.operator,
       (select opening_cents from operator_statements s where s.operator = o.operator
          and s.period_start = $1 and opening_cents is not null order by imported_at desc limit 1) as "openingCents",
       (select closing_cents from operator_statements s where s.operator = o.operator
          and s.period_end = $2 and closing_cents is not null order by imported_at desc limit 1) as "closingCents",
       coalesce(sum(r.cents) filter (where r.kind = 'payment'), 0)::bigint as "paymentsCents",
       coalesce(sum(r.cents) filter (where r.kind = 'reversal'), 0)::bigint as "reversalsCents",
       coalesce(sum(r.cents) filter (where r.kind = 'top_up'), 0)::bigint as "topUpsCents",
       coalesce(sum(r.cents) filter (where r.kind = 'charge'), 0)::bigint as "chargesCents"
     from (select distinct operator from operator_statements
         where period_start < $2 and period_end > $1) o
       left join (
         select s.operator, s.kind, coalesce(c.cents, s.amount_cents) as cents
         from statement_rows s
           left join unnest($3::text[], $4::text[], $5::text[], $6::bigint[])
             as c (operator, kind, operator_reference, cents) using (operator, kind, operator_reference)
         where s.at >= $1 and s.at < $2 and s.verdict not in ('repeated', 'changed')
       ) r on r.operator = o.operator
     group by o.operator order by o.operator`,
    [
      period.from,
      period.to,
      changes.map(({ operator }) => operator),
      changes.map(({ kind }) => kind),
      changes.map(({ operatorReference }) => operatorReference),
      changes.map(({ amountCents }) => amountCents),
    ],
  );
  return read.rows;
}

/** The movements that further statements list with other content, as the last one has them. */
async function listLastChanges(
  db: Queryable,
  period: Period,
): Promise<(StatementChange & { readonly operator: string })[]> {
  const operators = await db.query<{ operator: string }>(
    `select distinct operator from operator_statements where period_start < $2 and period_end > $1`,
    [period.from, period.to],
  );
  const last = new Map<string, StatementChange & { readonly operator: string }>();
  for (const { operator } of operators.rows) {
    for (const change of await listStatementChanges(db, operator)) {
      last.set(`${operator} ${change.kind} ${change.operatorReference}`, { ...change, operator });
    }
  }
  return [...last.values()];
}

/** A payment with the amount that a statement lists for it. */
export interface ListedPayment {
  readonly listedCents: bigint;
  readonly amountCents: bigint;
  /** The version of the recorded price; null: none. */
  readonly operatorPrice: number | null;
}

interface ListedRow {
  vendorId: number | null;
  paymentId: string | null;
  listedCents: bigint;
}

const SAMPLE_ROWS = 200;

/** Some payments that an operator's statements list in a period as the ledger has them, archived or not. */
export async function listMatched(
  db: Queryable,
  operator: string,
  { from, to }: Period,
): Promise<ListedPayment[]> {
  const read = await db.query<ListedRow>(
    `select vendor_id as "vendorId", payment_id as "paymentId", amount_cents as "listedCents"
     from statement_rows
     where operator = $1 and kind = 'payment' and verdict in ('matched', 'settled')
       and at >= $2 and at < $3
     limit $4`,
    [operator, from, to, SAMPLE_ROWS],
  );
  const listed = new Map(read.rows.map((row) => [row.paymentId, row.listedCents]));
  const keys = read.rows.flatMap(({ vendorId, paymentId }) =>
    vendorId === null ? [] : { vendorId, paymentId },
  );
  const found: ListedPayment[] = [];
  for (const { bucket, items } of await groupByBucket(db, keys)) {
    const payments = await db.query<Omit<ListedPayment, 'listedCents'> & { paymentId: string }>(
      `select payment_id as "paymentId", amount_cents as "amountCents", operator_price as "operatorPrice"
       from payments where bucket = $1 and vendor_id = any ($2) and payment_id = any ($3)
       union all
       select payment_id, amount_cents, operator_price
       from archived_payments where bucket = $1 and vendor_id = any ($2) and payment_id = any ($3)`,
      [bucket, items.map(({ vendorId }) => vendorId), items.map(({ paymentId }) => paymentId)],
    );
    for (const { paymentId, ...row } of payments.rows) {
      found.push({ ...row, listedCents: listed.get(paymentId) ?? 0n });
    }
  }
  return found;
}
