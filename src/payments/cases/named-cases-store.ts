import { textArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { CASES } from './read-cases.ts';
import type { CaseRow } from './read-cases.ts';

// As in the index `cases_by_name`.
const NAMES = `array[upper(c.facts ->> 'reference'), upper(c.facts ->> 'account'),
  upper(c.facts ->> 'operator_reference'), upper(c.facts #>> '{report,operatorReference}')]`;

/**
 * Cases about a payment that only an operator reports, and that name one of these texts as our reference, the
 * account or the operator's reference, newest first. Upper and lower case are the same.
 */
export async function listCasesNaming(
  db: Queryable,
  texts: readonly string[],
  limit: number,
): Promise<CaseRow[]> {
  const listed = await db.query<CaseRow>(
    `${CASES} where c.kind in ('theirs_only', 'unmatched_callback') and ${NAMES} && $1
     order by c.opened_at desc, c.case_id limit $2`,
    [textArray(texts.map((text) => text.toUpperCase())), limit],
  );
  return listed.rows;
}
