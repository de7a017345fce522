import type { Queryable } from '../db/pool.ts';

/**
 * Whether complete statements of the operator, one after the other, cover from <= time < to: then
 * every movement of that time has been matched with our books. An incomplete statement covers nothing.
 */
export async function statementCovers(
  db: Queryable,
  period: { readonly operator: string; readonly from: Date; readonly to: Date },
): Promise<boolean> {
  const covered = await db.query<{ covered: boolean }>(
    `select coalesce(range_agg(tstzrange(period_start, period_end))
         @> tstzrange($2::timestamptz, $3::timestamptz), false) as covered
     from operator_statements where operator = $1 and complete and period_end > $2 and period_start < $3`,
    [period.operator, period.from, period.to],
  );
  return covered.rows[0]?.covered ?? false;
}
