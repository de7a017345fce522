import type { Queryable } from '../../platform/db/pool.ts';

/** True if a statement that was imported later lists a movement of this one with other content. */
export async function isRevised(db: Queryable, statementId: string): Promise<boolean> {
  const found = await db.query(
    `select from operator_statements s
       join operator_statements later on later.operator = s.operator and later.imported_at > s.imported_at
       join statement_rows c on c.statement_id = later.statement_id and c.verdict = 'changed'
       join statement_rows r on r.statement_id = s.statement_id and r.kind = c.kind
         and r.operator_reference = c.operator_reference
     where s.statement_id = $1 limit 1`,
    [statementId],
  );
  return found.rowCount === 1;
}
