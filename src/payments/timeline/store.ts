import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listProposedEvents } from '../cases/case-proposals.ts';
import type { CaseEvent } from '../cases/read-cases.ts';
import type { EventRow } from '../events/event.ts';
import type { EventState } from '../events/event-types.ts';
import type { Outcome } from '../create/payment.ts';
import type { PaymentRow as CreatedRow } from '../create/store.ts';
import type { SearchTerm } from './term.ts';

/**
 * A payment that matches a search, archived or not. Only the file of an archived one has its phone, message and
 * details.
 */
export interface PaymentRow extends CreatedRow {
  vid: string;
  operatorCode: string | null;
  /** The source of the report that ended it. */
  settledBy: string | null;
  /** Status queries about the instruction in progress; null if none is in progress. */
  verifyCount: number | null;
  /** When the dispatcher continues with it. */
  dueAt: Date | null;
  /** Why it is still open. */
  note: string | null;
  archived: boolean;
  /** The operator has said since then that more details follow; null: it owes none. */
  detailsOwedSince: Date | null;
}

// The keys of the indexes `payments_by_account` and `payments_by_phone`, for each week that has
// payments.
const KEYS_OF_ACCOUNTS = `array(
    select w.week << 32 | (hashtextextended(a.account, 0) & 4294967295)
    from (select min(duplicate_key) >> 46 as first, max(duplicate_key) >> 46 as last from payments) s
      cross join generate_series(s.first, s.last) as w (week)
      cross join unnest($4::text[]) as a (account))`;
const weekKeyOf = (column: 'account' | 'phone'): string =>
  `((t.duplicate_key >> 46) << 32 | (hashtextextended(t.${column}, 0) & 4294967295))`;

// Of one vendor, or of all of them: the index begins with both columns.
const OF_ITS_VENDORS = `bucket = any (array(select bucket from buckets where $8::integer is null or bucket = bucket_of($8)))
      and vendor_id = any (array(select vendor_id from vendors where $8::integer is null or vendor_id = $8))`;

const SEARCH = `
  with found as (
    select bucket, vendor_id, payment_id from (
      select bucket, vendor_id, payment_id, created_at from payments
      where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2
      union
      select bucket, vendor_id, payment_id, created_at from archived_payments
      where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2
      union
      select bucket, vendor_id, payment_id, created_at from payments
      where ${OF_ITS_VENDORS} and merchant_reference = $3
      union
      select bucket, vendor_id, payment_id, created_at from archived_payments
      where ${OF_ITS_VENDORS} and merchant_reference = $3
      union
      select bucket, vendor_id, payment_id, created_at from payments t
      where ${weekKeyOf('account')} = any (${KEYS_OF_ACCOUNTS}) and t.account = any ($4)
      union
      select bucket, vendor_id, payment_id, created_at from payments t
      where ${weekKeyOf('phone')} = any (${KEYS_OF_ACCOUNTS}) and t.phone = any ($4)
      union
      select bucket, vendor_id, payment_id, created_at from archived_payments where account = any ($4)
    ) f
    where created_at >= coalesce($6, '-infinity'::timestamptz)
      and created_at < coalesce($7, 'infinity'::timestamptz)
      and ($8::integer is null or vendor_id = $8)
      and ($9::uuid is null or payment_id < $9)
    order by payment_id desc limit $5
  )
  select p.vendor_id as "vendorId", v.vid, p.payment_id as "paymentId", p.created_at as "createdAt",
    p.settled_at as "settledAt", p.biller_response_time as "billerResponseTime", p.outcome,
    p.under_way as "underWay", p.biller_code as "billerCode", coalesce(p.operator_code, b.operator_code) as "operatorCode",
    p.account, p.phone, p.amount_cents as "amountCents", p.fee_cents as "feeCents",
    p.merchant_reference as "merchantReference", p.biller_reference as "billerReference", p.message,
    p.failure_code as "failureCode", p.details, p.details_owed_since as "detailsOwedSince", p.settled_by as "settledBy",
    p.verify_count as "verifyCount", p.due_at as "dueAt", p.note, p.archived
  from (
    select t.vendor_id, t.payment_id, t.created_at, t.settled_at, t.biller_response_time,
      t.outcome, q.stage is not distinct from 'verify' as under_way, t.biller_code, t.account,
      t.phone, t.amount_cents, t.fee_cents, t.merchant_reference, t.biller_reference, t.message,
      t.failure_code, nullif(coalesce(t.details, '{}') || coalesce(d.details, '{}'), '{}') as details,
      case when d.ended_at is null then d.since end as details_owed_since, t.settled_by, coalesce(t.operator_code, q.operator_code) as operator_code,
      case q.stage when 'verify' then q.verify_count end as verify_count,
      case when d.ended_at is null and d.since is not null then d.due_at else q.due_at end as due_at,
      q.note, false as archived
    from found join payments t using (bucket, vendor_id, payment_id)
      left join dispatch_queue q on q.bucket = t.bucket and q.vendor_id = t.vendor_id
        and q.biller_code = t.biller_code and q.payment_id = t.payment_id
      left join late_details d on d.bucket = t.bucket and d.vendor_id = t.vendor_id
        and d.payment_id = t.payment_id and t.outcome = 'success'
    union all
    select a.vendor_id, a.payment_id, a.created_at, a.settled_at, a.biller_response_time,
      a.outcome, false, a.biller_code, a.account, null, a.amount_cents, a.fee_cents,
      a.merchant_reference, a.biller_reference, null, a.failure_code, nullif(d.details, '{}'), null, null,
      a.operator_code, null, null, null, true
    from found join archived_payments a using (bucket, vendor_id, payment_id)
      left join late_details d on d.bucket = a.bucket and d.vendor_id = a.vendor_id
        and d.payment_id = a.payment_id
  ) p
    join vendors v on v.vendor_id = p.vendor_id
    left join billers b on b.biller_code = p.biller_code
  order by p.payment_id desc`;

export interface SearchFilter {
  readonly limit: number;
  /** Created at or after this time. */
  readonly from?: Date | undefined;
  /** Created before this time. */
  readonly to?: Date | undefined;
  /** Limits the list to one vendor. */
  readonly vendorId?: number | undefined;
  /** Older than this payment. */
  readonly beforeId?: string | undefined;
}

/** Payments of any vendor that match the term, newest first. */
export async function searchPayments(
  db: Queryable,
  term: SearchTerm,
  { limit, from, to, vendorId, beforeId }: SearchFilter,
): Promise<PaymentRow[]> {
  const found = await db.query<PaymentRow>(SEARCH, [
    term.location?.vendorId ?? null,
    term.location?.paymentId ?? null,
    term.merchantReference,
    term.accounts,
    limit,
    from ?? null,
    to ?? null,
    vendorId ?? null,
    beforeId ?? null,
  ]);
  return found.rows;
}

export interface AttemptRow {
  paymentId: string;
  attemptNumber: number;
  sentAt: Date;
  endedAt: Date | null;
  outcome: 'paid' | 'declined' | 'not_sent' | null;
  /** Null after a restore, when several operators may have it. */
  operatorCode: string | null;
  /** The operator's version that got it; null: not known. */
  operatorVersion: number | null;
  /** Why the payment went there; null: the biller had no other route. */
  routeReason: string | null;
  operatorHandle: string | null;
  /** Why it counts as not sent, or the source of its result. */
  note: string | null;
}

export interface TransferRow {
  /** The payment, or one of its corrections. */
  sourceId: string;
  /** Vendor 0: our own accounts. */
  vendorId: number;
  createdAt: Date;
  debitAccount: string;
  creditAccount: string;
  amountCents: bigint;
}

export interface CorrectionRow {
  paymentId: string;
  vendorId: number;
  correctionId: string;
  caseId: string;
  postedAt: Date;
  amountCents: bigint;
  resolution: string;
  outcomeAfter: Outcome | null;
}

export interface UnmatchedCallbackRow {
  reference: string;
  receivedAt: Date;
  operatorCode: string;
  report: Record<string, unknown>;
}

export interface StatementEntryRow {
  paymentId: string;
  at: Date;
  operator: string;
  kind: string;
  verdict: string;
  operatorReference: string;
  amountCents: bigint;
}

export interface NotificationRow extends Pick<EventRow, 'eventId' | 'type' | 'occurredAt'> {
  paymentId: string;
  state: EventState;
  attemptCount: number;
  firstAttemptAt: Date | null;
  dueAt: Date | null;
  endedAt: Date | null;
  lastResult: string | null;
}

export interface CaseRow {
  paymentId: string;
  caseId: string;
  kind: string;
  at: Date;
  action: CaseEvent['action'];
  /** Null: the service opened it. */
  actor: string | null;
  resolution: string | null;
}

/** Details that the operator owes, or that came after the payment was settled. */
export interface LateDetailsRow {
  paymentId: string;
  operatorCode: string;
  /** When the operator said that it has paid. */
  since: Date;
  /** When the last of them came; null: none came yet. */
  receivedAt: Date | null;
  details: Readonly<Record<string, string>>;
  /** Number of times that the operator was asked. */
  asked: number;
  note: string | null;
  isOwed: boolean;
  eventIds: readonly string[];
}

/** The rows of the ledger and of other tables about some payments. */
export interface History {
  readonly attempts: readonly AttemptRow[];
  readonly transfers: readonly TransferRow[];
  readonly corrections: readonly CorrectionRow[];
  readonly lateDetails: readonly LateDetailsRow[];
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
  const vendorIds = payments.map((payment) => payment.vendorId);
  const ids = payments.map((payment) => payment.paymentId);
  const corrections = (await db.query<CorrectionRow>(CORRECTIONS, [ids])).rows;
  // Also of vendor 0: our share of the cost of a vendor's payment is posted there.
  const sourceVendors = [...vendorIds, ...corrections.map((row) => row.vendorId)];
  const sources = [...ids, ...corrections.map((row) => row.correctionId)];
  const buckets = await bucketsOf(db, sourceVendors);
  const lateDetails = (await db.query<LateDetailsRow>(LATE_DETAILS, [buckets, vendorIds, ids]))
    .rows;
  const announced = [...sources, ...lateDetails.flatMap(({ eventIds }) => eventIds)];
  const ofSources = [buckets, sourceVendors, sources];
  return {
    corrections,
    lateDetails,
    attempts: (
      await db.query<AttemptRow>(ATTEMPTS, [
        buckets,
        vendorIds,
        ids,
        payments.map((payment) => payment.billerCode),
      ])
    ).rows,
    transfers: (await db.query<TransferRow>(TRANSFERS, ofSources)).rows,
    callbacks: (await db.query<UnmatchedCallbackRow>(CALLBACKS, [references])).rows,
    statementEntries: (await db.query<StatementEntryRow>(STATEMENT_ENTRIES, [ids])).rows,
    notifications: (
      await db.query<NotificationRow>(NOTIFICATIONS, [buckets, sourceVendors, announced])
    ).rows,
    cases: await readCases(db, [buckets, vendorIds, ids]),
  };
}

async function readCases(db: Queryable, ofPayments: readonly unknown[]): Promise<CaseRow[]> {
  const recorded = (await db.query<CaseRow>(CASES, [...ofPayments])).rows;
  const opened = new Map(recorded.map((row) => [row.caseId, row]));
  // Separately, because on a cluster proposals are on the coordinator.
  const proposed = await listProposedEvents(db, [...opened.keys()]);
  return [
    ...recorded,
    ...proposed.flatMap(({ caseId, at, action, actor }) => {
      const row = opened.get(caseId);
      return row === undefined ? [] : { ...row, at, action, actor };
    }),
  ];
}

async function bucketsOf(db: Queryable, vendorIds: readonly number[]): Promise<number[]> {
  const groups = await groupByBucket(
    db,
    vendorIds.map((vendorId) => ({ vendorId })),
  );
  return groups.map(({ bucket }) => bucket);
}

/** Rows of these vendors with these ids, which are unique. */
const keyed = (row: string, id: string): string =>
  `${row}.bucket = any ($1::integer[]) and ${row}.vendor_id = any ($2::integer[])
    and ${row}.${id} = any ($3::uuid[])`;

const CORRECTIONS = `select payment_id as "paymentId", vendor_id as "vendorId",
  correction_id as "correctionId", case_id as "caseId", posted_at as "postedAt",
    amount_cents as "amountCents", resolution, outcome_after as "outcomeAfter"
  from corrections where payment_id = any ($1)`;
const LATE_DETAILS = `select d.payment_id as "paymentId", d.operator_code as "operatorCode", d.since,
    d.received_at as "receivedAt", d.details, d.asked, d.note, d.ended_at is null as "isOwed",
    d.event_ids as "eventIds"
  from late_details d
    left join payments t on t.bucket = d.bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
  where ${keyed('d', 'payment_id')} and (t.outcome = 'success' or t.payment_id is null)`;
const ATTEMPTS = `select a.payment_id as "paymentId", a.attempt_number as "attemptNumber",
  a.sent_at as "sentAt", a.ended_at as "endedAt", a.outcome,
    a.operator_code as "operatorCode", a.operator_version as "operatorVersion", a.route_reason as "routeReason",
    a.operator_handle as "operatorHandle", a.note
  from attempts a where ${keyed('a', 'payment_id')} and a.biller_code = any ($4::text[])`;
const TRANSFERS = `select f.source_id as "sourceId", f.vendor_id as "vendorId",
  f.created_at as "createdAt", f.debit_account as "debitAccount",
  f.credit_account as "creditAccount",
    f.amount_cents as "amountCents"
  from transfers f where ${keyed('f', 'source_id')}
  order by f.created_at, f.source_id, f.leg`;
const CALLBACKS = `select reference, received_at as "receivedAt", operator_code as "operatorCode",
  report
  from unmatched_callbacks where reference = any ($1)`;
const STATEMENT_ENTRIES = `select payment_id as "paymentId", at, operator, kind, verdict,
  operator_reference as "operatorReference",
    amount_cents as "amountCents"
  from statement_rows where payment_id = any ($1)`;
const NOTIFICATIONS = `select e.payment_id as "paymentId", e.event_id as "eventId", e.type,
  e.occurred_at as "occurredAt", e.state,
    e.attempt_count as "attemptCount", e.first_attempt_at as "firstAttemptAt", e.due_at as "dueAt",
      e.ended_at as "endedAt", e.last_result as "lastResult"
  from events e where ${keyed('e', 'event_id')}`;
const CASES = `select c.payment_id as "paymentId", c.case_id as "caseId", c.kind, c.opened_at as at,
    'opened' as action, null as actor, c.resolution
  from cases c where ${keyed('c', 'payment_id')}
  union all
  select c.payment_id, c.case_id, c.kind, e.at, e.action, e.actor, c.resolution
  from cases c join case_events e
    on e.bucket = c.bucket and e.vendor_id = c.vendor_id and e.case_id = c.case_id
  where ${keyed('c', 'payment_id')} and e.action <> 'opened'`;
