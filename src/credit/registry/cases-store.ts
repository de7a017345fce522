import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/**
 * `document_shared`: two subjects have one document. `documents_conflict`: a request whose
 * documents disagree. `account_holder`: a line gave a subject's account to somebody else.
 */
export type CaseKind = 'document_shared' | 'documents_conflict' | 'account_holder';

/** Opens a case for each set of subjects, unless the same case is already open. */
export async function openCases(
  db: Queryable,
  kind: CaseKind,
  cases: readonly (readonly bigint[])[],
  at: Date,
): Promise<void> {
  if (cases.length === 0) return;
  const sets = new Set(
    cases.map((crns) => [...new Set(crns)].toSorted((a, b) => (a < b ? -1 : 1)).join(',')),
  );
  await db.query(
    `insert into credit_cases (case_id, kind, crns, opened_at)
     select c.case_id, $1, c.crns::bigint[], $2
     from unnest($3::uuid[], $4::text[]) c (case_id, crns)
     where not exists (
       select from credit_cases o
       where o.kind = $1 and o.crns = c.crns::bigint[] and o.closed_at is null)`,
    [kind, at, [...sets].map(() => newId()), [...sets].map((crns) => `{${crns}}`)],
  );
}

export interface CreditCase {
  readonly caseId: string;
  readonly kind: CaseKind;
  readonly crns: readonly bigint[];
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** The finding and what was done; null while the case is open. */
  readonly resolution: string | null;
}

interface CaseRow {
  caseId: string;
  kind: CaseKind;
  crns: string[];
  openedAt: Date;
  closedAt: Date | null;
  resolution: string | null;
}

const CASES = `select case_id as "caseId", kind, crns::text[] as crns, opened_at as "openedAt",
    closed_at as "closedAt", resolution
  from credit_cases`;

function caseOf(row: CaseRow): CreditCase {
  return { ...row, crns: row.crns.map(BigInt) };
}

export async function findCase(db: Queryable, caseId: string): Promise<CreditCase | undefined> {
  const found = await db.query<CaseRow>(`${CASES} where case_id = $1`, [caseId]);
  return found.rows.map(caseOf)[0];
}

/** A page of cases, oldest first. */
export async function listCases(
  db: Queryable,
  search: {
    readonly open: boolean;
    /** The page after this case. */
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<CreditCase[]> {
  const read = await db.query<CaseRow>(
    `${CASES}
     where (closed_at is null) = $1
       and ($2::uuid is null or (opened_at, case_id) >
         ((select opened_at from credit_cases where case_id = $2), $2))
     order by opened_at, case_id limit $3`,
    [search.open, search.after ?? null, search.limit],
  );
  return read.rows.map(caseOf);
}

/** Closes a case with its finding. Returns false if there is no such open case. */
export async function closeCase(
  db: Queryable,
  caseId: string,
  resolution: string,
  at: Date,
): Promise<boolean> {
  const closed = await db.query(
    `update credit_cases set closed_at = $3, resolution = $2
     where case_id = $1 and closed_at is null`,
    [caseId, resolution, at],
  );
  return closed.rowCount === 1;
}
