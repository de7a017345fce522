import type { Queryable } from '../../platform/db/pool.ts';

export interface CreditCase {
  readonly caseId: string;
  readonly kind: CaseKind;
  readonly crns: readonly bigint[];
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** The finding and what was done; null while the case is open. */
  readonly resolution: string | null;
}

interface CaseRow extends Omit<CreditCase, 'crns'> {
  crns: string[];
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

/**
 * `document_shared`: two subjects have one document. `documents_conflict`: a request whose
 * documents disagree. `account_holder`: a line gave a subject's account to somebody else.
 */
export type CaseKind = 'document_shared' | 'documents_conflict' | 'account_holder';
