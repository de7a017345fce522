import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CaseKind } from './read-cases.ts';

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
