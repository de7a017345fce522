import { newId } from '../../platform/base/ids.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Decision } from '../../proposals/store.ts';
import type { CaseKind } from './kinds.ts';

/** Our own accounts, for what concerns no vendor. */
export const HOUSE = 0;

/** An advisory lock; its second number is that of the reference. */
const SAME_REFERENCE_LOCK = 1_402_118_311;

/** The payment that a case is about. */
export interface CaseSubject {
  readonly vendorId: number;
  readonly paymentId: string;
}

export interface NewCase {
  readonly vendorId: number;
  readonly paymentId: string | null;
  readonly kind: CaseKind;
  /** A statement row, a statement, a callback, a correction; null if the payment is enough. */
  readonly evidenceId: string | null;
  readonly operatorCode: string | null;
  /** JSON; amounts in cents under names that end in `_cents`. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Opens a case, unless one of this kind is already open about the same subject. Returns its id, or
 * undefined.
 */
export async function openCase(db: Queryable, opened: NewCase): Promise<string | undefined> {
  const caseId = newId();
  const inserted = await db.query(
    `insert into cases (bucket, vendor_id, payment_id, kind, case_id, facts, opened_at, evidence_id,
       operator_code)
     values (bucket_of($1), $1, $2, $3, $4, $5, now(), $6, $7) on conflict do nothing`,
    [
      opened.vendorId,
      opened.paymentId,
      opened.kind,
      caseId,
      JSON.stringify(opened.facts),
      opened.evidenceId,
      opened.operatorCode,
    ],
  );
  return inserted.rowCount === 1 ? caseId : undefined;
}

/**
 * Adds details from a contradicting report, such as a token, to the open case about the payment. A
 * proposal for it cannot be approved any more, because it was made without these details.
 */
export async function addDetails(
  db: Queryable,
  reports: readonly (CaseSubject & { readonly details: object | null })[],
): Promise<void> {
  const yielding = reports.filter((report) => report.details !== null);
  if (yielding.length === 0) return;
  await db.query(
    `update cases c set facts = c.facts || u.facts
     from unnest($1::integer[], $2::uuid[], $3::jsonb[]) as u (vendor_id, payment_id, facts)
     where c.bucket = bucket_of(u.vendor_id) and c.vendor_id = u.vendor_id and c.payment_id = u.payment_id
       and c.kind = 'contradiction' and c.resolved_at is null and not c.facts @> u.facts`,
    [
      yielding.map((report) => report.vendorId),
      yielding.map((report) => report.paymentId),
      yielding.map(({ details }) => JSON.stringify({ details })),
    ],
  );
}

/** Looks for a case of this kind about the payment, including resolved ones. */
export async function hadCase(
  db: Queryable,
  about: { readonly vendorId: number; readonly paymentId: string; readonly kind: CaseKind },
): Promise<boolean> {
  const found = await db.query(
    `select from cases where bucket = bucket_of($1) and vendor_id = $1
       and payment_id = $2 and kind = $3 limit 1`,
    [about.vendorId, about.paymentId, about.kind],
  );
  return found.rowCount === 1;
}

/**
 * True if such a case about an open payment is open, or was opened since its last instruction was sent.
 * What people have decided about an earlier instruction says nothing about the last one.
 */
export async function hadCaseSinceSent(
  db: Queryable,
  about: CaseSubject & { readonly billerCode: string; readonly kind: CaseKind },
): Promise<boolean> {
  const found = await db.query(
    `select from cases where bucket = bucket_of($1) and vendor_id = $1
       and payment_id = $2 and kind = $3 and (resolved_at is null or coalesce(opened_at >= (
         select q.sent_at from dispatch_queue q
         where q.bucket = bucket_of($1) and q.vendor_id = $1 and q.biller_code = $4 and q.stage = 'verify'
           and q.payment_id = $2), true))
     limit 1`,
    [about.vendorId, about.paymentId, about.kind, about.billerCode],
  );
  return found.rowCount === 1;
}

/**
 * A resolved case about a payment with the same reference of the same operator that changed something;
 * none about its reversal. Other approvals that look for such a case wait until the caller's database
 * transaction ends.
 */
export async function findDecidedAbout(
  db: Queryable,
  about: {
    readonly kinds: readonly CaseKind[];
    readonly operatorCode: string;
    readonly reference: string;
  },
): Promise<Pick<CaseRow, 'caseId' | 'resolution'> | undefined> {
  const { kinds, operatorCode, reference } = about;
  await db.query('select pg_advisory_xact_lock($1, hashtext(upper($2)))', [
    SAME_REFERENCE_LOCK,
    `${operatorCode} ${reference}`,
  ]);
  const found = await db.query<Pick<CaseRow, 'caseId' | 'resolution'>>(
    `select case_id as "caseId", resolution from cases
     where kind = any ($1) and operator_code = $2 and upper(facts ->> 'reference') = upper($3)
       and facts ->> 'movement' is distinct from 'reversal'
       and resolved_at is not null and resolution <> 'keep_books'
     limit 1`,
    [kinds, operatorCode, reference],
  );
  return found.rows[0];
}

/** The number of cases about these payments. */
export async function countCases(db: Queryable, payments: readonly CaseSubject[]): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count
     from unnest($1::integer[], $2::uuid[]) as k (vendor_id, payment_id)
       join cases c on c.bucket = bucket_of(k.vendor_id) and c.vendor_id = k.vendor_id
         and c.payment_id = k.payment_id`,
    [payments.map((key) => key.vendorId), payments.map((key) => key.paymentId)],
  );
  return counted.rows[0]?.count ?? 0;
}

export interface CaseRow {
  vendorId: number;
  vid: string | null;
  paymentId: string | null;
  kind: CaseKind;
  caseId: string;
  evidenceId: string | null;
  operatorCode: string | null;
  facts: Record<string, unknown>;
  /** The instructed amount; null: the case is about no payment, or about an archived one. */
  paymentCents: bigint | null;
  openedAt: Date;
  /** Who proposed the resolution; null while the case is open. */
  proposedBy: string | null;
  resolution: string | null;
  resolvedBy: string | null;
  resolvedAt: Date | null;
}

/** One person's proposal for a case. */
export interface ProposedResolution {
  readonly resolution: string;
  /** Cents as decimal digits; null: derived from the facts. */
  readonly amount_cents: string | null;
  readonly operator_reference: string | null;
  readonly message: string | null;
  readonly details: Readonly<Record<string, string>> | null;
}

const OPERATOR_OF_CASE =
  'coalesce(c.operator_code, t.operator_code, q.operator_code, b.operator_code)';

export const CASES = `select c.vendor_id as "vendorId", v.vid, c.payment_id as "paymentId", c.kind,
  c.case_id as "caseId", c.evidence_id as "evidenceId",
    ${OPERATOR_OF_CASE} as "operatorCode", c.facts,
      t.amount_cents as "paymentCents", c.opened_at as "openedAt", c.proposed_by as "proposedBy",
    c.resolution, c.resolved_by as "resolvedBy", c.resolved_at as "resolvedAt"
  from cases c
    left join vendors v on v.vendor_id = c.vendor_id
    left join payments t
      on t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id
    left join dispatch_queue q on q.bucket = t.bucket and q.vendor_id = t.vendor_id
      and q.biller_code = t.biller_code and q.payment_id = t.payment_id
    left join billers b on b.biller_code = t.biller_code`;

const LISTED = `${CASES} where (c.resolved_at is not null) = $1 and ($2::text is null or c.kind = $2)
    and ($3::text is null or v.vid = $3) and ($5::text is null or ${OPERATOR_OF_CASE} = $5)
    and ($6::uuid[] is null or c.case_id = any ($6))`;
// To the millisecond, which is all that a position in a list knows.
const OPENED = `date_trunc('milliseconds', c.opened_at)`;
const RESOLVED = `date_trunc('milliseconds', c.resolved_at)`;
const OPEN_CASES = `${LISTED} and ($7::timestamptz is null or (${OPENED}, c.case_id) > ($7, $8::uuid))
  order by ${OPENED}, c.case_id limit $4`;
const RESOLVED_CASES = `${LISTED} and ($7::timestamptz is null or (${RESOLVED}, c.case_id) < ($7, $8::uuid))
  order by ${RESOLVED} desc, c.case_id desc limit $4`;

/** Open cases, oldest first; or resolved ones, last resolved first. */
export async function listCases(
  db: Queryable,
  filter: {
    readonly resolved: boolean;
    readonly kind?: CaseKind | undefined;
    readonly vid?: string | undefined;
    readonly operatorCode?: string | undefined;
    /** Leaves out every case that is not named here. */
    readonly caseIds?: readonly string[] | undefined;
    /** The last case of the page before, with its `listedAt`: only cases listed after it are read. */
    readonly before?: { readonly at: Date; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<CaseRow[]> {
  const { resolved, kind, vid, limit, caseIds, operatorCode, before } = filter;
  const listed = await db.query<CaseRow>(resolved ? RESOLVED_CASES : OPEN_CASES, [
    ...[resolved, kind ?? null, vid ?? null, limit, operatorCode ?? null, caseIds ?? null],
    ...[before?.at ?? null, before?.id ?? null],
  ]);
  return listed.rows;
}

/** Where a case stands in its list. */
export const listedAt = ({ caseId, openedAt, resolvedAt }: CaseRow) => ({
  ...{ at: resolvedAt ?? openedAt, id: caseId },
});

/** The `ipay_reference` of the payment that a case is about. */
export function referenceOf(row: Pick<CaseRow, 'vendorId' | 'paymentId'>): string | null {
  return row.paymentId === null ? null : encodeReference(row.vendorId, row.paymentId);
}

export async function findCase(db: Queryable, caseId: string): Promise<CaseRow | undefined> {
  return (await db.query<CaseRow>(`${CASES} where c.case_id = $1`, [caseId])).rows[0];
}

/** Finds a case and locks it until the caller's database transaction ends. */
export async function lockCase(db: Queryable, caseId: string): Promise<CaseRow | undefined> {
  const found = await findCase(db, caseId);
  if (found === undefined) return undefined;
  // Including the vendor: Citus locks no row that it has to search for on all nodes.
  await db.query(
    `select from cases where bucket = bucket_of($1) and vendor_id = $1 and case_id = $2 for update`,
    [found.vendorId, caseId],
  );
  return await findCase(db, caseId);
}

/** All cases about a payment, oldest first. */
export async function listCasesAbout(
  db: Queryable,
  vendorId: number,
  paymentId: string,
): Promise<CaseRow[]> {
  const listed = await db.query<CaseRow>(
    `${CASES} where c.bucket = bucket_of($1) and c.vendor_id = $1 and c.payment_id = $2 order by c.opened_at, c.case_id`,
    [vendorId, paymentId],
  );
  return listed.rows;
}

/**
 * Cases that a statement opened, in the order of its lines.
 * @param contradicted payments whose final result the statement contradicts.
 */
export async function listCasesOfStatement(
  db: Queryable,
  statementId: string,
  contradicted: readonly string[],
): Promise<CaseRow[]> {
  const listed = await db.query<CaseRow>(
    `${CASES} where $1 in (c.facts ->> 'statement_id', c.facts ->> 'closing_statement_id',
         c.facts ->> 'opening_statement_id')
       or (c.payment_id = any ($2::uuid[]) and c.kind = 'contradiction'
         and c.facts ->> 'source' = 'statement')
     order by (c.facts ->> 'line')::integer nulls last, c.opened_at, c.case_id`,
    [statementId, contradicted],
  );
  return listed.rows;
}

type CaseKey = Pick<CaseRow, 'vendorId' | 'caseId'>;

/** Throws (SQLSTATE 23514) if one person proposed and resolved it. */
export async function setResolved(
  db: Queryable,
  { vendorId, caseId }: CaseKey,
  made: { readonly resolution: string; readonly proposedBy: string; readonly resolvedBy: string },
): Promise<void> {
  await db.query(
    `update cases set resolution = $3, proposed_by = $4, resolved_by = $5, resolved_at = now()
     where bucket = bucket_of($1) and vendor_id = $1 and case_id = $2`,
    [vendorId, caseId, made.resolution, made.proposedBy, made.resolvedBy],
  );
}

/** Something that happened to a case. What is proposed and decided about it since release 8 is in its proposals. */
export interface CaseEvent {
  readonly at: Date;
  readonly action: 'opened' | 'proposed' | Decision;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Records that a person opened a case. */
export async function insertOpened(
  db: Queryable,
  { vendorId, caseId }: CaseKey,
  { actor, note }: { readonly actor: string; readonly note: string },
): Promise<void> {
  await db.query(
    `insert into case_events (bucket, vendor_id, case_id, event_id, at, action, actor, detail)
     values (bucket_of($1), $1, $2, $3, clock_timestamp(), 'opened', $4, $5)`,
    [vendorId, caseId, newId(), actor, JSON.stringify({ note })],
  );
}

/** The recorded events of a vendor's cases, oldest first. */
export async function listRecordedEvents(
  db: Queryable,
  vendorId: number,
  caseIds: readonly string[],
): Promise<(CaseEvent & { readonly caseId: string })[]> {
  const listed = await db.query<CaseEvent & { readonly caseId: string }>(
    `select case_id as "caseId", at, action, actor, detail from case_events
     where bucket = bucket_of($1) and vendor_id = $1 and case_id = any ($2::uuid[])
     order by at, event_id`,
    [vendorId, caseIds],
  );
  return listed.rows;
}

/** The open cases of one kind. */
export interface OpenCases {
  readonly kind: CaseKind;
  readonly count: number;
  /** Age of the oldest case. */
  readonly oldestSeconds: number;
}

export async function countOpenCases(db: Queryable): Promise<OpenCases[]> {
  const counted = await db.query<OpenCases>(
    `select kind, count(*)::integer as count,
       extract(epoch from now() - min(opened_at))::float8 as "oldestSeconds"
     from cases where resolved_at is null group by kind`,
  );
  return counted.rows;
}

/** Open cases about something that happened before the given time. */
export async function countOpenCasesBefore(db: Queryable, before: Date): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count
     from cases c
     where c.resolved_at is null and least(c.opened_at, (c.facts ->> 'at')::timestamptz, (
         select t.created_at from payments t
         where t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id)) < $1`,
    [before],
  );
  return counted.rows[0]?.count ?? 0;
}
