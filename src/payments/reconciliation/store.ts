import type { Queryable } from '../../platform/db/pool.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import { lockOperator } from '../billers/store.ts';
import type { Outcome, PaymentKey } from '../create/payment.ts';
import type { OurPayment } from './match.ts';
import type { MovementKind, StatementMovement } from './statement.ts';

/**
 * Whether complete statements of the operator, one after the other, cover from <= time < to: then
 * every movement of that time has been matched with our books. An incomplete statement covers nothing.
 */
export async function statementCovers(
  db: Queryable,
  period: { readonly operator: string; readonly from: Date; readonly to: Date },
): Promise<boolean> {
  const covered = await db.query<{ covered: boolean }>(
    `select coalesce(range_agg(tstzrange(period_start, period_end))
         @> tstzrange($2::timestamptz, $3::timestamptz), false) as covered
     from operator_statements where operator = $1 and complete and period_end > $2 and period_start < $3`,
    [period.operator, period.from, period.to],
  );
  return covered.rows[0]?.covered ?? false;
}

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** The periods that complete statements of the operator cover, merged, the earliest first. */
export async function listCovered(db: Queryable, operator: string): Promise<Period[]> {
  const listed = await db.query<Period>(
    `select lower(p) as from, upper(p) as to from (
       select unnest(range_agg(tstzrange(period_start, period_end))) as p
       from operator_statements where operator = $1 and complete
     ) merged order by 1`,
    [operator],
  );
  return listed.rows;
}

/** Lets the caller's transaction take its time, and one import of an operator at once. */
export async function beginImport(db: Queryable, operator: string): Promise<void> {
  await db.query('set local statement_timeout = 0');
  await db.query(`set local idle_in_transaction_session_timeout = '10min'`);
  await lockOperator(db, operator);
}

export interface StatementRow {
  statement_id: string;
  operator: string;
  period_start: Date;
  period_end: Date;
  file_sha256: Buffer;
  imported_at: Date;
  complete: boolean;
  opening_cents: bigint | null;
  closing_cents: bigint | null;
}

export async function findStatement(
  db: Queryable,
  operator: string,
  sha256: Buffer,
): Promise<StatementRow | undefined> {
  const found = await db.query<StatementRow>(
    'select * from operator_statements where operator = $1 and file_sha256 = $2',
    [operator, sha256],
  );
  return found.rows[0];
}

/** Statements whose period touches this one's, or is part of it, the earliest first. */
export async function listStatements(
  db: Queryable,
  period: { readonly operator?: string; readonly from: Date; readonly to: Date },
): Promise<StatementRow[]> {
  const listed = await db.query<StatementRow>(
    `select * from operator_statements
     where ($1::text is null or operator = $1) and period_end >= $2 and period_start <= $3
     order by operator, period_start, imported_at`,
    [period.operator ?? null, period.from, period.to],
  );
  return listed.rows;
}

export async function insertStatement(
  db: Queryable,
  row: Omit<StatementRow, 'imported_at'>,
): Promise<void> {
  await db.query(
    `insert into operator_statements (statement_id, operator, period_start, period_end, file_sha256,
       imported_at, complete, opening_cents, closing_cents)
     values ($1, $2, $3, $4, $5, now(), $6, $7, $8)`,
    [
      row.statement_id,
      row.operator,
      row.period_start,
      row.period_end,
      row.file_sha256,
      row.complete,
      row.opening_cents,
      row.closing_cents,
    ],
  );
}

/** The database's clock. */
export async function readDatabaseTime(db: Queryable): Promise<Date> {
  const read = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return read.rows[0]?.now ?? new Date();
}

/** Rows of one statement call of the database. */
const BATCH_ROWS = 5_000;

export function* batches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH_ROWS) {
    yield items.slice(start, start + BATCH_ROWS);
  }
}

/** A movement as an earlier statement has it. */
export interface KnownMovement {
  readonly kind: MovementKind;
  readonly operatorReference: string;
  readonly reference: string | null;
  readonly amountCents: bigint;
  readonly paymentId: string | null;
  readonly vendorId: number | null;
}

/** Those of the movements that the operator told before. */
export async function listKnownMovements(
  db: Queryable,
  operator: string,
  movements: readonly Pick<StatementMovement, 'kind' | 'operatorReference'>[],
): Promise<KnownMovement[]> {
  const listed = await db.query<{
    kind: MovementKind;
    operator_reference: string;
    reference: string | null;
    amount_cents: bigint;
    payment_id: string | null;
    vendor_id: number | null;
  }>(
    `select r.kind, r.operator_reference, r.reference, r.amount_cents, r.payment_id, r.vendor_id
     from unnest($2::text[], $3::text[]) as m (kind, operator_reference)
       join statement_rows r on r.operator = $1 and r.kind = m.kind
         and r.operator_reference = m.operator_reference
     where r.verdict not in ('repeated', 'changed')`,
    [operator, movements.map((row) => row.kind), movements.map((row) => row.operatorReference)],
  );
  return listed.rows.map((row) => ({
    kind: row.kind,
    operatorReference: row.operator_reference,
    reference: row.reference,
    amountCents: row.amount_cents,
    paymentId: row.payment_id,
    vendorId: row.vendor_id,
  }));
}

export interface NewRow {
  readonly rowId: string;
  readonly movement: StatementMovement;
  readonly verdict: string;
  readonly payment: PaymentKey | null;
}

export async function insertRows(
  db: Queryable,
  statement: { readonly statementId: string; readonly operator: string },
  rows: readonly NewRow[],
): Promise<void> {
  await db.query(
    `insert into statement_rows (row_id, statement_id, operator, line, kind, at, operator_reference,
       reference, biller_code, account, amount_cents, verdict, vendor_id, payment_id)
     select u.row_id, $1, $2, u.line, u.kind, u.at, u.operator_reference, u.reference, u.biller_code,
       u.account, u.amount_cents, u.verdict, u.vendor_id, u.payment_id
     from unnest($3::uuid[], $4::integer[], $5::text[], $6::timestamptz[], $7::text[], $8::text[],
         $9::text[], $10::text[], $11::bigint[], $12::text[], $13::integer[], $14::uuid[])
       as u (row_id, line, kind, at, operator_reference, reference, biller_code, account,
         amount_cents, verdict, vendor_id, payment_id)`,
    [
      statement.statementId,
      statement.operator,
      rows.map((row) => row.rowId),
      rows.map((row) => row.movement.line),
      rows.map((row) => row.movement.kind),
      rows.map((row) => row.movement.at),
      rows.map((row) => row.movement.operatorReference),
      rows.map((row) => row.movement.reference),
      rows.map((row) => row.movement.billerCode),
      rows.map((row) => row.movement.account),
      rows.map((row) => row.movement.amountCents),
      rows.map((row) => row.verdict),
      rows.map((row) => row.payment?.vendorId ?? null),
      rows.map((row) => row.payment?.paymentId ?? null),
    ],
  );
}

export async function setVerdict(db: Queryable, rowId: string, verdict: string): Promise<void> {
  await db.query('update statement_rows set verdict = $2 where row_id = $1', [rowId, verdict]);
}

/** How often each verdict was given in a statement. */
export async function countVerdicts(
  db: Queryable,
  statementId: string,
): Promise<Readonly<Record<string, number>>> {
  const counted = await db.query<{ verdict: string; count: number }>(
    `select verdict, count(*)::integer as count from statement_rows where statement_id = $1
     group by verdict order by verdict`,
    [statementId],
  );
  return Object.fromEntries(counted.rows.map((row) => [row.verdict, row.count]));
}

/**
 * Transactions of the operator's billers that were settled since `from`, or are open, and were
 * instructed before `to`.
 */
export async function listPaymentKeys(
  db: Queryable,
  operator: string,
  period: Period,
): Promise<PaymentKey[]> {
  const listed = await db.query<{ vendor_id: number; payment_id: string }>(
    `select k.vendor_id, k.payment_id from (
       -- By the time of the transfer, for which there is an index; a settlement has the same time.
       select f.vendor_id, f.source_id as payment_id from transfers f
       where f.created_at >= $2 and f.leg = 2 and f.debit_account = 'reserved'
         and f.credit_account in ('float', 'operator:' || $1)
       union all
       select q.vendor_id, q.payment_id from dispatch_queue q
     ) k join payments t using (vendor_id, payment_id)
       join billers b using (biller_code)
     where b.operator_code = $1 and exists (select 1 from attempts a where a.vendor_id = k.vendor_id
       and a.biller_code = t.biller_code and a.payment_id = k.payment_id and a.sent_at < $3)`,
    [operator, period.from, period.to],
  );
  return listed.rows.map((row) => ({
    vendorId: row.vendor_id,
    paymentId: row.payment_id,
  }));
}

interface PaymentRow {
  vendor_id: number;
  payment_id: string;
  biller_code: string;
  account: string;
  amount_cents: bigint;
  outcome: Outcome | null;
  biller_reference: string | null;
  first_sent_at: Date | null;
  last_sent_at: Date | null;
  under_way: boolean;
  settled_at: Date | null;
  posted_cents: bigint;
  listed_cents: bigint;
  listed_payments: number;
}

const PAYMENTS = `
  select t.vendor_id, t.payment_id, t.biller_code, t.account, t.amount_cents, t.outcome,
    t.biller_reference, t.settled_at, a.first_sent_at, a.last_sent_at,
    coalesce(a.under_way, false) as under_way, p.posted_cents, l.listed_cents,
    l.listed_payments
  from unnest($2::integer[], $3::uuid[]) as k (vendor_id, payment_id)
    join payments t on t.vendor_id = k.vendor_id and t.payment_id = k.payment_id
    join billers b on b.biller_code = t.biller_code and b.operator_code = $1
    cross join lateral (
      select min(sent_at) as first_sent_at, max(sent_at) as last_sent_at,
        bool_or(outcome is null) as under_way
      from attempts where vendor_id = t.vendor_id and biller_code = t.biller_code
        and payment_id = t.payment_id
    ) a
    cross join lateral (
      select coalesce(sum(case when f.credit_account = 'operator:' || $1 then f.amount_cents
        when f.debit_account = 'operator:' || $1 then -f.amount_cents else 0 end), 0)::bigint as posted_cents
      from transfers f where f.vendor_id = t.vendor_id and f.source_id in (
        select t.payment_id union all select c.correction_id from corrections c
        where c.vendor_id = t.vendor_id and c.payment_id = t.payment_id)
    ) p
    cross join lateral (
      select coalesce(sum(case r.kind when 'payment' then r.amount_cents else -r.amount_cents end), 0)::bigint
          as listed_cents,
        coalesce(sum(case r.kind when 'payment' then 1 else -1 end), 0)::integer as listed_payments
      from statement_rows r where r.payment_id = t.payment_id and r.vendor_id = t.vendor_id
        and r.verdict not in ('repeated', 'changed')
    ) l`;

/** Those of the transactions that exist and are paid through the operator. */
export async function readPayments(
  db: Queryable,
  operator: string,
  keys: readonly PaymentKey[],
): Promise<OurPayment[]> {
  const read = await db.query<PaymentRow>(PAYMENTS, [
    operator,
    keys.map((key) => key.vendorId),
    keys.map((key) => key.paymentId),
  ]);
  const houseCents = await readHouseCents(db, keys);
  return read.rows.map((row) => ({
    vendorId: row.vendor_id,
    paymentId: row.payment_id,
    reference: encodeReference(row.vendor_id, row.payment_id),
    billerCode: row.biller_code,
    account: row.account,
    amountCents: row.amount_cents,
    outcome: row.outcome,
    billerReference: row.biller_reference,
    firstSentAt: row.first_sent_at,
    lastSentAt: row.last_sent_at,
    underWay: row.under_way,
    settledAt: row.settled_at,
    postedCents: row.posted_cents,
    houseCents: houseCents.get(row.payment_id) ?? 0n,
    listedCents: row.listed_cents,
    listedPayments: row.listed_payments,
  }));
}

/** What the house's books have for these transactions, by transaction id. */
async function readHouseCents(
  db: Queryable,
  keys: readonly PaymentKey[],
): Promise<Map<string, bigint>> {
  const read = await db.query<{ payment_id: string; cents: bigint }>(
    `select payment_id, sum(case resolution when 'receivable_returned' then -amount_cents
       else amount_cents end)::bigint as cents
     from corrections where vendor_id = 0 and payment_id = any($1) group by payment_id`,
    [keys.map((key) => key.paymentId)],
  );
  return new Map(read.rows.map((row) => [row.payment_id, row.cents]));
}
