import { encodeReference } from '../../parties/reference.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Decision } from '../../proposals/proposal.ts';
import type { CaseKind } from './kinds.ts';

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
 * Cases that a statement opened, in the order of its lines. Those that `settle` opened do not name it.
 * @param contradicted payments whose final result the statement contradicts.
 * @param settled payments that the statement ended.
 */
export async function listCasesOfStatement(
  db: Queryable,
  statementId: string,
  {
    contradicted,
    settled,
  }: { readonly contradicted: readonly string[]; readonly settled: readonly string[] },
): Promise<CaseRow[]> {
  const listed = await db.query<CaseRow>(
    `${CASES} where $1 in (c.facts ->> 'statement_id', c.facts ->> 'closing_statement_id',
         c.facts ->> 'opening_statement_id')
       or (c.facts ->> 'source' = 'statement' and (
         (c.payment_id = any ($2::uuid[]) and c.kind = 'contradiction')
         or (c.payment_id = any ($3::uuid[]) and c.kind = 'amount_difference')))
     order by (c.facts ->> 'line')::integer nulls last, c.opened_at, c.case_id`,
    [statementId, contradicted, settled],
  );
  return listed.rows;
}

/** Something that happened to a case. What is proposed and decided about it since release 8 is in its proposals. */
export interface CaseEvent {
  readonly at: Date;
  readonly action: 'opened' | 'proposed' | Decision;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
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
