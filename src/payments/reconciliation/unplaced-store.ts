import type { Queryable } from '../../platform/db/pool.ts';

/** A payment that a statement lists, and that is certainly none of ours that we know. */
export interface Unplaced {
  readonly at: Date;
  readonly amountCents: bigint;
  /** What the statement has in the place of our reference. */
  readonly reference: string | null;
  readonly billerCode: string | null;
  readonly account: string | null;
}

/** Lists those that any statement of the operator has, from a time on. */
export async function listUnplaced(
  db: Queryable,
  operator: string,
  since: Date,
): Promise<Unplaced[]> {
  const listed = await db.query<Unplaced>(
    `select at, amount_cents as "amountCents", reference, biller_code as "billerCode", account
     from statement_rows
     where operator = $1 and at >= $2 and kind = 'payment' and payment_id is null
       and verdict in ('theirs_only', 'changed')`,
    [operator, since],
  );
  return listed.rows;
}
