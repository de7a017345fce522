import { REVERSED_CENTS } from '../cases/kept-receipts-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { DebtMovement } from './debts.ts';

/** An account of what somebody owes us. */
export interface DebtAccount {
  vendorId: number;
  /** `exposure` of a vendor, `receivable:<code>` of an operator. */
  account: string;
  /** Above zero: owed to us. */
  amountCents: bigint;
}

export async function listDebtAccounts(db: Queryable): Promise<DebtAccount[]> {
  const listed = await db.query<DebtAccount>(
    `select vendor_id as "vendorId", account,
       case account when 'exposure' then -balance_cents else balance_cents end as "amountCents"
     from accounts
     where (account = 'exposure' or account like 'receivable:%') and balance_cents <> 0
     order by vendor_id, account`,
  );
  return listed.rows;
}

export interface DebtRow extends DebtMovement {
  readonly vendorId: number;
  readonly account: string;
  /** That decided it. */
  readonly caseId: string;
  /** The open case about collecting it. */
  readonly openCaseId: string | null;
}

/** Lists corrections' transfers on such accounts of these vendors, oldest first. */
export async function listDebtMovements(
  db: Queryable,
  vendorIds: readonly number[],
): Promise<DebtRow[]> {
  const listed = await db.query<DebtRow>(
    `select f.vendor_id as "vendorId", f.source_id as "correctionId", f.created_at as at,
       case when f.debit_account = 'exposure' or f.debit_account like 'receivable:%'
         then f.debit_account else f.credit_account end as account,
       sum(case when f.debit_account = 'exposure' or f.credit_account like 'receivable:%'
         then f.amount_cents else -f.amount_cents end)::bigint as "amountCents",
       c.case_id as "caseId", c.payment_id as "paymentId", k.evidence_id as repays,
       o.case_id as "openCaseId"
     from corrections c
       join transfers f on f.bucket = c.bucket and f.vendor_id = c.vendor_id
         and f.source_id = c.correction_id
       left join cases k on k.bucket = c.bucket and k.vendor_id = c.vendor_id
         and k.case_id = c.case_id and k.kind = 'exposure'
       left join cases o on o.bucket = c.bucket and o.vendor_id = c.vendor_id
         and o.kind = 'exposure' and o.evidence_id = c.correction_id and o.resolved_at is null
     where c.vendor_id = any ($1)
       and ('exposure' in (f.debit_account, f.credit_account)
         or f.debit_account like 'receivable:%' or f.credit_account like 'receivable:%')
     group by f.bucket, f.vendor_id, f.source_id, f.created_at, 4, c.case_id, c.payment_id,
       k.evidence_id, o.case_id
     order by f.created_at, f.source_id`,
    [vendorIds],
  );
  return listed.rows;
}

/** Whose each of these cases is. A case about our own accounts may be a vendor's. */
export async function readVendorsOfCases(
  db: Queryable,
  caseIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const read = await db.query<{ caseId: string; vendorId: number }>(
    'select case_id as "caseId", vendor_id as "vendorId" from cases where case_id = any ($1)',
    [caseIds],
  );
  return new Map(read.rows.map(({ caseId, vendorId }) => [caseId, vendorId]));
}

/** Payments with an operator whose outcome is unknown, of one age. */
export interface UnknownRow {
  operatorCode: string;
  /** Place in `AGES`. */
  age: number;
  count: number;
  amountCents: bigint;
}

/** By when they were created, as the list of payments has them. */
export async function sumUnknown(
  db: Queryable,
  [first, second, third]: readonly [Date, Date, Date],
): Promise<UnknownRow[]> {
  const read = await db.query<UnknownRow>(
    `select coalesce(q.operator_code, b.operator_code) as "operatorCode",
       case when p.created_at >= $1 then 0 when p.created_at >= $2 then 1
         when p.created_at >= $3 then 2 else 3 end as age,
       count(*)::integer as count, sum(p.amount_cents)::bigint as "amountCents"
     from dispatch_queue q
       join payments p on p.bucket = q.bucket and p.vendor_id = q.vendor_id
         and p.payment_id = q.payment_id
       join billers b on b.biller_code = q.biller_code
     where q.stage = 'verify' and p.outcome is null
     group by 1, 2 order by 1, 2`,
    [first, second, third],
  );
  return read.rows;
}

/** Credited income that its provider took back, of a case that nobody has decided. */
export interface ReversedRow {
  vendorId: number;
  caseId: string;
  receiptId: string | null;
  at: Date;
  issuer: string | null;
  receipt: string | null;
  amountCents: bigint;
}

export async function listReversed(db: Queryable): Promise<ReversedRow[]> {
  const listed = await db.query<ReversedRow>(
    `select vendor_id as "vendorId", case_id as "caseId", evidence_id as "receiptId", opened_at as at,
       facts ->> 'issuer' as issuer, facts ->> 'receipt' as receipt,
       ${REVERSED_CENTS} as "amountCents"
     from cases
     where kind = 'receipt_reversed' and resolved_at is null
       and facts ->> 'receipt_state' = 'credited'
     order by opened_at, case_id`,
  );
  return listed.rows;
}
