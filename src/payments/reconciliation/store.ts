import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { encodeReference } from '../../parties/reference.ts';
import { lockOperator } from '../billers/store.ts';
import { isOwnTermsTransfer } from '../ledger/account.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { OurPayment } from './match.ts';
import type { MovementKind, StatementMovement } from '../../connectors/operator-statements.ts';

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Removes the time limits of the caller's database transaction, and allows one import per operator
 * at once.
 */
export async function beginImport(db: Queryable, operator: string): Promise<void> {
  await db.query('set local statement_timeout = 0');
  await db.query(`set local idle_in_transaction_session_timeout = '10min'`);
  await lockOperator(db, operator);
}

export interface StatementRow {
  statementId: string;
  operator: string;
  periodStart: Date;
  periodEnd: Date;
  fileSha256: Buffer;
  importedAt: Date;
  complete: boolean;
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** Asked from the operator, instead of imported from a file. */
  pulled: boolean;
  /**
   * Number of imports of this content, with this one. It is imported again only after a later statement
   * changed it.
   */
  issue: number;
}

const STATEMENT_COLUMNS = `statement_id as "statementId", operator, period_start as "periodStart",
  period_end as "periodEnd", file_sha256 as "fileSha256", imported_at as "importedAt", complete,
  opening_cents as "openingCents", closing_cents as "closingCents", pulled, issue`;

/** The last issue of this content. */
export async function findStatement(
  db: Queryable,
  operator: string,
  sha256: Buffer,
): Promise<StatementRow | undefined> {
  const found = await db.query<StatementRow>(
    `select ${STATEMENT_COLUMNS} from operator_statements where operator = $1 and file_sha256 = $2
     order by issue desc limit 1`,
    [operator, sha256],
  );
  return found.rows[0];
}

export async function findStatementById(
  db: Queryable,
  statementId: string,
): Promise<StatementRow | undefined> {
  const found = await db.query<StatementRow>(
    `select ${STATEMENT_COLUMNS} from operator_statements where statement_id = $1`,
    [statementId],
  );
  return found.rows[0];
}

/** Payments with this verdict of the statement. */
export async function listPaymentsOf(
  db: Queryable,
  statementId: string,
  verdict: 'theirs_only' | 'settled',
): Promise<string[]> {
  const listed = await db.query<{ paymentId: string }>(
    `select distinct payment_id as "paymentId" from statement_rows
     where statement_id = $1 and verdict = $2 and payment_id is not null`,
    [statementId, verdict],
  );
  return listed.rows.map(({ paymentId }) => paymentId);
}

/** Statements whose period touches or overlaps this one's, earliest first. */
export async function listStatements(
  db: Queryable,
  period: { readonly operator?: string; readonly from: Date; readonly to: Date },
): Promise<StatementRow[]> {
  const listed = await db.query<StatementRow>(
    `select ${STATEMENT_COLUMNS} from operator_statements
     where ($1::text is null or operator = $1) and period_end >= $2 and period_start <= $3
     order by operator, period_start, imported_at`,
    [period.operator ?? null, period.from, period.to],
  );
  return listed.rows;
}

export async function insertStatement(
  db: Queryable,
  row: Omit<StatementRow, 'importedAt'>,
): Promise<void> {
  await db.query(
    `insert into operator_statements (statement_id, operator, period_start, period_end, file_sha256,
       imported_at, complete, opening_cents, closing_cents, pulled, issue)
     values ($1, $2, $3, $4, $5, now(), $6, $7, $8, $9, $10)`,
    [
      row.statementId,
      row.operator,
      row.periodStart,
      row.periodEnd,
      row.fileSha256,
      row.complete,
      row.openingCents,
      row.closingCents,
      row.pulled,
      row.issue,
    ],
  );
}

/** The database's clock. */
export async function readDatabaseTime(db: Queryable): Promise<Date> {
  const read = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return read.rows[0]?.now ?? new Date();
}

/** Rows written by one statement of the database. */
const BATCH_ROWS = 5_000;

export function* batches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH_ROWS) {
    yield items.slice(start, start + BATCH_ROWS);
  }
}

/** A movement as recorded in an earlier statement. */
export interface KnownMovement {
  readonly kind: MovementKind;
  readonly operatorReference: string;
  readonly reference: string | null;
  readonly amountCents: bigint;
  readonly paymentId: string | null;
  readonly vendorId: number | null;
}

/** Finds the movements that the operator reported before. */
export async function listKnownMovements(
  db: Queryable,
  operator: string,
  movements: readonly Pick<StatementMovement, 'kind' | 'operatorReference'>[],
): Promise<KnownMovement[]> {
  const listed = await db.query<KnownMovement>(
    `select r.kind, r.operator_reference as "operatorReference", r.reference,
      r.amount_cents as "amountCents", r.payment_id as "paymentId", r.vendor_id as "vendorId"
     from (
         select * from unnest($2::text[], $3::text[]) as u (kind, operator_reference)
         limit cardinality($2)
       ) m
       join statement_rows r on r.operator = $1 and r.kind = m.kind
         and r.operator_reference = m.operator_reference
     where r.verdict not in ('repeated', 'changed')`,
    [operator, movements.map((row) => row.kind), movements.map((row) => row.operatorReference)],
  );
  return listed.rows;
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

/** A row of a statement as it was imported. */
export type ImportedRow = Pick<
  StatementMovement,
  'line' | 'kind' | 'at' | 'operatorReference' | 'reference' | 'account' | 'amountCents'
> & {
  readonly verdict: string;
  readonly vendorId: number | null;
  readonly paymentId: string | null;
};

export async function listRows(db: Queryable, statementId: string): Promise<ImportedRow[]> {
  const listed = await db.query<ImportedRow>(
    `select line, kind, at, operator_reference as "operatorReference", reference, account,
       amount_cents as "amountCents", verdict, vendor_id as "vendorId", payment_id as "paymentId"
     from statement_rows where statement_id = $1 order by line`,
    [statementId],
  );
  return listed.rows;
}

export async function setVerdict(db: Queryable, rowId: string, verdict: string): Promise<void> {
  await db.query('update statement_rows set verdict = $2 where row_id = $1', [rowId, verdict]);
}

/** Counts the rows of a statement by verdict. */
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
 * Payments that the operator was instructed to pay before `to`, and that were settled since `from` or
 * are open.
 */
export async function listPaymentKeys(
  db: Queryable,
  operator: string,
  period: Period,
): Promise<PaymentKey[]> {
  const listed = await db.query<PaymentKey>(
    `select k.vendor_id as "vendorId", k.payment_id as "paymentId" from (
       -- By the time of the transfer, which is indexed; a settlement has the same time.
       select f.bucket, f.vendor_id, f.source_id as payment_id from transfers f
       where f.created_at >= $2 and f.leg = 2 and f.debit_account = 'reserved'
         and (f.credit_account = 'float' or f.credit_account like 'operator:%')
       union all
       select q.bucket, q.vendor_id, q.payment_id from dispatch_queue q
     ) k join payments t using (bucket, vendor_id, payment_id)
     where exists (select 1 from attempts a
       where coalesce(a.operator_code, $1) = $1 and a.bucket = k.bucket and a.vendor_id = k.vendor_id and a.biller_code = t.biller_code
         and a.payment_id = k.payment_id and a.sent_at < $3)`,
    [operator, period.from, period.to],
  );
  return listed.rows;
}

type PaymentRow = Omit<
  OurPayment,
  'reference' | 'houseCents' | 'listedCents' | 'listedPayments' | 'isListed' | 'isRevised'
>;

const PAYMENTS = `
  select t.vendor_id as "vendorId", t.payment_id as "paymentId", t.biller_code as "billerCode",
    t.account, t.amount_cents as "amountCents", t.outcome,
    t.outcome is not distinct from 'success' and t.operator_code <> $1 as "paidElsewhere",
    t.biller_reference as "billerReference", t.settled_at as "settledAt",
      a.first_sent_at as "firstSentAt", a.last_sent_at as "lastSentAt",
    a.open_version as "openVersion", coalesce(a.under_way, false) as "underWay", p.posted_cents as "postedCents",
    p.net_posted_cents as "netPostedCents", exists (select from corrections c
      where c.bucket = $4 and c.vendor_id = t.vendor_id and c.payment_id = t.payment_id
        and c.resolution = 'terms_differ') as "hasOtherTerms", t.amount_cents + coalesce((
      select share_of(t.amount_cents, o.cost_cents, o.cost_bps) - case when o.commission_netted
        then least(share_of(t.amount_cents, o.commission_cents, o.commission_bps), t.amount_cents) else 0 end
      from operator_prices o where o.operator_code = $1 and o.version = coalesce(t.operator_price, (
        select q.operator_price from dispatch_queue q
        where q.bucket = $4 and q.vendor_id = t.vendor_id and q.biller_code = t.biller_code
          and q.stage = 'verify' and q.payment_id = t.payment_id))), 0) as "netCents"
  from unnest($2::integer[], $3::uuid[]) as k (vendor_id, payment_id)
    join payments t on t.bucket = $4 and t.vendor_id = k.vendor_id and t.payment_id = k.payment_id
    cross join lateral (
      select min(sent_at) as first_sent_at, max(sent_at) as last_sent_at,
        min(coalesce(operator_version, 1)) filter (where outcome is null and operator_code = $1) as open_version,
        -- Without the operator, or from another merchant account, it proves nothing that it is not listed.
        bool_or(outcome is null and operator_code = $1 and coalesce(operator_version, 1) > coalesce((
          select max(v.version) from operator_versions v
          where v.operator_code = $1 and not v.same_account), 0)) as under_way
      from attempts where coalesce(operator_code, $1) = $1 and bucket = $4 and vendor_id = t.vendor_id and biller_code = t.biller_code
        and payment_id = t.payment_id
    ) a
    cross join lateral (
      select coalesce(sum(s.change) filter (where not s.is_own_terms), 0)::bigint as posted_cents,
        coalesce(sum(s.change), 0)::bigint as net_posted_cents
      from (
        select case when f.credit_account = 'operator:' || $1 then f.amount_cents
            when f.debit_account = 'operator:' || $1 then -f.amount_cents else 0 end as change,
          ${isOwnTermsTransfer('f')} as is_own_terms
        from transfers f where f.bucket = $4 and f.vendor_id = t.vendor_id and f.source_id in (
          select t.payment_id union all select c.correction_id from corrections c
          where c.bucket = $4 and c.vendor_id = t.vendor_id and c.payment_id = t.payment_id)
      ) s
    ) p
  -- A restore may have lost the instruction to this operator. Then nobody was instructed to pay it, or it is
  -- open, and the operator before has not executed it.
  where $5 or a.first_sent_at is not null or p.posted_cents <> 0 or t.outcome is null or not exists (
    select from attempts x where x.bucket = $4 and x.vendor_id = t.vendor_id
      and x.biller_code = t.biller_code and x.payment_id = t.payment_id)`;

/**
 * Reads those of the payments that the operator may have been instructed to pay.
 * @param isCertain the operator says that it paid them: all that exist.
 */
export async function readPayments(
  db: Queryable,
  operator: string,
  keys: readonly PaymentKey[],
  isCertain = false,
): Promise<OurPayment[]> {
  const rows: PaymentRow[] = [];
  for (const { bucket, items } of await groupByBucket(db, keys)) {
    const read = await db.query<PaymentRow>(PAYMENTS, [
      operator,
      items.map((key) => key.vendorId),
      items.map((key) => key.paymentId),
      bucket,
      isCertain,
    ]);
    rows.push(...read.rows);
  }
  const listed = await readListed(db, operator, keys);
  const houseCents = await readHouseCents(db, keys);
  return rows.map((row) => ({
    ...row,
    reference: encodeReference(row.vendorId, row.paymentId),
    houseCents: houseCents.get(row.paymentId) ?? 0n,
    listedCents: listed.get(row.paymentId)?.listedCents ?? 0n,
    listedPayments: listed.get(row.paymentId)?.listedPayments ?? 0,
    isListed: listed.has(row.paymentId),
    isRevised: listed.get(row.paymentId)?.isRevised ?? false,
  }));
}

interface ListedRow {
  paymentId: string;
  listedCents: bigint;
  listedPayments: number;
  isRevised: boolean;
}

/** Sums the operator's statements for these payments, by payment id. */
async function readListed(
  db: Queryable,
  operator: string,
  keys: readonly PaymentKey[],
): Promise<Map<string, ListedRow>> {
  const read = await db.query<ListedRow>(
    `select m.payment_id as "paymentId",
       sum(case m.kind when 'payment' then m.amount_cents else -m.amount_cents end)::bigint
         as "listedCents",
       sum(case m.kind when 'payment' then 1 else -1 end)::integer as "listedPayments",
       bool_or(m.kind = 'reversal' or m.is_changed) as "isRevised"
     from (
         -- A movement that is listed again has the content of the last statement.
         select k.payment_id, r.kind,
           (array_agg(r.amount_cents order by r.row_id desc))[1] as amount_cents,
           bool_or(r.verdict = 'changed') as is_changed
         from (
             select * from unnest($1::integer[], $2::uuid[]) as u (vendor_id, payment_id)
             limit cardinality($1)
           ) k
           join statement_rows r on r.payment_id = k.payment_id and r.vendor_id = k.vendor_id
         where r.operator = $3
         group by k.payment_id, r.kind, r.operator_reference
       ) m
     group by m.payment_id`,
    [keys.map((key) => key.vendorId), keys.map((key) => key.paymentId), operator],
  );
  return new Map(read.rows.map((row) => [row.paymentId, row]));
}

/** The amounts in our own accounts for these payments, by payment id. */
export async function readHouseCents(
  db: Queryable,
  keys: readonly PaymentKey[],
): Promise<Map<string, bigint>> {
  const read = await db.query<{ paymentId: string; cents: bigint }>(
    `select payment_id as "paymentId",
      sum(case when resolution in ('receivable_returned', 'house_recovers') then -amount_cents
       else amount_cents end)::bigint as cents
     from corrections where bucket = bucket_of(0) and vendor_id = 0 and payment_id = any ($1)
     group by payment_id`,
    [keys.map((key) => key.paymentId)],
  );
  return new Map(read.rows.map((row) => [row.paymentId, row.cents]));
}
