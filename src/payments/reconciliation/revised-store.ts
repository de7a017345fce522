import type { Queryable } from '../../platform/db/pool.ts';
import type { FormerMovement } from './renumbered.ts';

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

/** Top-ups and charges of a period that statements have listed, each once. */
export async function listFormer(
  db: Queryable,
  operator: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<FormerMovement[]> {
  const listed = await db.query<FormerMovement>(
    `select kind, operator_reference as "operatorReference", reference, amount_cents as "amountCents",
       payment_id as "paymentId", vendor_id as "vendorId", at
     from statement_rows
     where operator = $1 and kind in ('top_up', 'charge') and verdict = 'noted' and at >= $2 and at < $3
     order by at, row_id`,
    [operator, from, to],
  );
  return listed.rows;
}
