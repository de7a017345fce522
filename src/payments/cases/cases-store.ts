import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CaseKind } from './kinds.ts';
import { findCase } from './read-cases.ts';
import type { CaseRow } from './read-cases.ts';

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

/** One person's proposal for a case. */
export interface ProposedResolution {
  readonly resolution: string;
  /** Cents as decimal digits; null: derived from the facts. */
  readonly amount_cents: string | null;
  readonly operator_reference: string | null;
  readonly message: string | null;
  readonly details: Readonly<Record<string, string>> | null;
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
