import type { Queryable } from '../../platform/db/pool.ts';
import type { EventRow, EventState } from '../events/event.ts';
import type { FailureCode } from '../create/failure-code.ts';
import type { Outcome } from '../create/payment.ts';
import type { SearchTerm } from './term.ts';

/** A payment that fits a search, archived or not. */
export interface PaymentRow {
  vendor_id: number;
  vid: string;
  payment_id: string;
  created_at: Date;
  settled_at: Date | null;
  biller_response_time: Date | null;
  outcome: Outcome | null;
  under_way: boolean;
  biller_code: string;
  operator_code: string | null;
  account: string;
  /** Null for archived payments: only their files have it. */
  phone: string | null;
  amount_cents: bigint;
  fee_cents: bigint;
  merchant_reference: string | null;
  biller_reference: string | null;
  message: string | null;
  failure_code: FailureCode | null;
  details: Record<string, string> | null;
  /** Where the report that ended it came from. */
  settled_by: string | null;
  /** Status queries about the instruction under way; null when none is. */
  verify_count: number | null;
  /** When the dispatcher goes on with it. */
  due_at: Date | null;
  /** Why it is still open. */
  note: string | null;
  archived: boolean;
}

// The keys of the indexes `payments_by_account` and `payments_by_phone`, for each week in
// which there are payments.
const KEYS_OF_ACCOUNTS = `array(
    select w.week << 32 | (hashtextextended(a.account, 0) & 4294967295)
    from (select min(duplicate_key) >> 46 as first, max(duplicate_key) >> 46 as last from payments) s
      cross join generate_series(s.first, s.last) as w (week)
      cross join unnest($4::text[]) as a (account))`;
const weekKeyOf = (column: 'account' | 'phone'): string =>
  `((t.duplicate_key >> 46) << 32 | (hashtextextended(t.${column}, 0) & 4294967295))`;

const OF_EVERY_VENDOR = 'vendor_id = any (array(select vendor_id from vendors))';

const SEARCH = `
  with found as (
    select vendor_id, payment_id from (
      select vendor_id, payment_id, created_at from payments
      where vendor_id = $1 and payment_id = $2
      union
      select vendor_id, payment_id, created_at from archived_payments
      where vendor_id = $1 and payment_id = $2
      union
      select vendor_id, payment_id, created_at from payments
      where ${OF_EVERY_VENDOR} and merchant_reference = $3
      union
      select vendor_id, payment_id, created_at from archived_payments
      where ${OF_EVERY_VENDOR} and merchant_reference = $3
      union
      select vendor_id, payment_id, created_at from payments t
      where ${weekKeyOf('account')} = any (${KEYS_OF_ACCOUNTS}) and t.account = any ($4)
      union
      select vendor_id, payment_id, created_at from payments t
      where ${weekKeyOf('phone')} = any (${KEYS_OF_ACCOUNTS}) and t.phone = any ($4)
      union
      select vendor_id, payment_id, created_at from archived_payments where account = any ($4)
    ) f
    where created_at >= coalesce($6, '-infinity'::timestamptz)
      and created_at < coalesce($7, 'infinity'::timestamptz)
    order by payment_id desc limit $5
  )
  select p.*, v.vid, b.operator_code
  from (
    select t.vendor_id, t.payment_id, t.created_at, t.settled_at, t.biller_response_time,
      t.outcome, q.stage is not distinct from 'verify' as under_way, t.biller_code, t.account,
      t.phone, t.amount_cents, t.fee_cents, t.merchant_reference, t.biller_reference, t.message,
      t.failure_code, t.details, t.settled_by,
      case q.stage when 'verify' then q.verify_count end as verify_count, q.due_at, q.note,
      false as archived
    from found join payments t using (vendor_id, payment_id)
      left join dispatch_queue q on q.vendor_id = t.vendor_id and q.biller_code = t.biller_code
        and q.stage in ('send', 'verify') and q.payment_id = t.payment_id
    union all
    select a.vendor_id, a.payment_id, a.created_at, a.settled_at, a.biller_response_time,
      a.outcome, false, a.biller_code, a.account, null, a.amount_cents, a.fee_cents,
      a.merchant_reference, a.biller_reference, null, a.failure_code, null, null, null, null, null,
      true
    from found join archived_payments a using (vendor_id, payment_id)
  ) p
    join vendors v on v.vendor_id = p.vendor_id
    left join billers b on b.biller_code = p.biller_code
  order by p.payment_id desc`;

export interface SearchFilter {
  readonly limit: number;
  /** Created at this time or later. */
  readonly from?: Date | undefined;
  /** Created before this time. */
  readonly to?: Date | undefined;
}

/** Payments of any vendor that the term may mean, newest first. */
export async function searchPayments(
  db: Queryable,
  term: SearchTerm,
  { limit, from, to }: SearchFilter,
): Promise<PaymentRow[]> {
  const found = await db.query<PaymentRow>(SEARCH, [
    term.location?.vendorId ?? null,
    term.location?.paymentId ?? null,
    term.merchantReference,
    term.accounts,
    limit,
    from ?? null,
    to ?? null,
  ]);
  return found.rows;
}

export interface AttemptRow {
  payment_id: string;
  attempt_number: number;
  sent_at: Date;
  ended_at: Date | null;
  outcome: 'paid' | 'declined' | 'not_sent' | null;
  operator_handle: string | null;
  /** Why it counts as not sent, or where its end was reported. */
  note: string | null;
}

export interface TransferRow {
  /** The transaction, or one of its corrections. */
  source_id: string;
  /** Vendor 0: the house's books. */
  vendor_id: number;
  created_at: Date;
  debit_account: string;
  credit_account: string;
  amount_cents: bigint;
}

export interface CorrectionRow {
  payment_id: string;
  vendor_id: number;
  correction_id: string;
  case_id: string;
  posted_at: Date;
  amount_cents: bigint;
  resolution: string;
  outcome_after: Outcome | null;
}

export interface UnmatchedCallbackRow {
  reference: string;
  received_at: Date;
  operator_code: string;
  report: Record<string, unknown>;
}

export interface StatementEntryRow {
  payment_id: string;
  at: Date;
  operator: string;
  kind: string;
  verdict: string;
  operator_reference: string;
  amount_cents: bigint;
}

export interface NotificationRow extends Pick<EventRow, 'event_id' | 'type' | 'occurred_at'> {
  payment_id: string;
  state: EventState;
  attempt_count: number;
  first_attempt_at: Date | null;
  due_at: Date | null;
  ended_at: Date | null;
  last_result: string | null;
}

export interface CaseRow {
  payment_id: string;
  case_id: string;
  kind: string;
  at: Date;
  action: 'opened' | 'proposed' | 'rejected' | 'approved';
  /** Null: the service opened it. */
  actor: string | null;
  resolution: string | null;
}

/** What the books and the other tables say about some payments. */
export interface History {
  readonly attempts: readonly AttemptRow[];
  readonly transfers: readonly TransferRow[];
  readonly corrections: readonly CorrectionRow[];
  readonly callbacks: readonly UnmatchedCallbackRow[];
  readonly statementEntries: readonly StatementEntryRow[];
  readonly notifications: readonly NotificationRow[];
  readonly cases: readonly CaseRow[];
}

/** @param references of the payments, in the same order. */
export async function readHistory(
  db: Queryable,
  payments: readonly PaymentRow[],
  references: readonly string[],
): Promise<History> {
  const vendorIds = payments.map((payment) => payment.vendor_id);
  const ids = payments.map((payment) => payment.payment_id);
  const corrections = await read<CorrectionRow>(db, CORRECTIONS, [ids]);
  // Of the house, too: what it bears of a vendor's payment is booked there.
  const sourceVendors = [...vendorIds, ...corrections.map((row) => row.vendor_id)];
  const sources = [...ids, ...corrections.map((row) => row.correction_id)];
  return {
    corrections,
    attempts: await read<AttemptRow>(db, ATTEMPTS, [
      vendorIds,
      ids,
      payments.map((payment) => payment.biller_code),
    ]),
    transfers: await read<TransferRow>(db, TRANSFERS, [sourceVendors, sources]),
    callbacks: await read<UnmatchedCallbackRow>(db, CALLBACKS, [references]),
    statementEntries: await read<StatementEntryRow>(db, STATEMENT_ENTRIES, [ids]),
    notifications: await read<NotificationRow>(db, NOTIFICATIONS, [sourceVendors, sources]),
    cases: await read<CaseRow>(db, CASES, [vendorIds, ids]),
  };
}

async function read<Row extends object>(
  db: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await db.query<Row>(text, [...values])).rows;
}

const KEYS = 'unnest($1::integer[], $2::uuid[]) as k';

const CORRECTIONS = `select payment_id, vendor_id, correction_id, case_id, posted_at,
    amount_cents, resolution, outcome_after
  from corrections where payment_id = any ($1)`;
const ATTEMPTS = `select a.payment_id, a.attempt_number, a.sent_at, a.ended_at, a.outcome,
    a.operator_handle, a.note
  from unnest($1::integer[], $2::uuid[], $3::text[]) as k (vendor_id, payment_id, biller_code)
    cross join lateral (
      select * from attempts v
      where v.vendor_id = k.vendor_id and v.biller_code = k.biller_code
        and v.payment_id = k.payment_id
      -- The limit makes the planner look each payment up instead of reading all of them.
      limit 1000
    ) a`;
const TRANSFERS = `select f.source_id, f.vendor_id, f.created_at, f.debit_account, f.credit_account,
    f.amount_cents
  from ${KEYS} (vendor_id, source_id) join transfers f using (vendor_id, source_id)
  order by f.created_at, f.source_id, f.leg`;
const CALLBACKS = `select reference, received_at, operator_code, report
  from unmatched_callbacks where reference = any ($1)`;
const STATEMENT_ENTRIES = `select payment_id, at, operator, kind, verdict, operator_reference,
    amount_cents
  from statement_rows where payment_id = any ($1)`;
const NOTIFICATIONS = `select e.payment_id, e.event_id, e.type, e.occurred_at, e.state,
    e.attempt_count, e.first_attempt_at, e.due_at, e.ended_at, e.last_result
  from ${KEYS} (vendor_id, event_id) join events e using (vendor_id, event_id)`;
const CASES = `select c.payment_id, c.case_id, c.kind, s.at, s.action, s.actor, c.resolution
  from ${KEYS} (vendor_id, payment_id) join cases c using (vendor_id, payment_id)
    cross join lateral (
      select c.opened_at as at, 'opened' as action, null as actor
      union all
      select e.at, e.action, e.actor from case_events e
      where e.vendor_id = c.vendor_id and e.case_id = c.case_id and e.action <> 'opened'
    ) s`;
