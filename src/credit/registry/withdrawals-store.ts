import type { Queryable } from '../../platform/db/pool.ts';
import { debtOf } from './read-withdrawals.ts';
import type { AccountRef } from './read-withdrawals.ts';

/**
 * Takes an account out of every answer and score, for good; with it what was sold into it. Returns false if the
 * person has no such account, or it is withdrawn already.
 */
export async function withdrawAccount(
  db: Queryable,
  ref: AccountRef,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<boolean> {
  // In two statements: Citus does not insert what a recursive query finds.
  const debt = await debtOf(db, ref);
  const inserted = await db.query(
    `insert into account_withdrawals (crn, account_id, withdrawn_at, reason)
     select crn, account_id, $3, $4 from unnest($1::bigint[], $2::bigint[]) as d (crn, account_id)
     on conflict do nothing`,
    [debt.map(({ crn }) => crn), debt.map(({ accountId }) => accountId), at, reason],
  );
  return (inserted.rowCount ?? 0) > 0;
}
