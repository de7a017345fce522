import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Locks the registry for this transaction and tells the next references. Whoever does so looks up
 * rows by their keys: without statistics, as in a registry’s first hours, PostgreSQL would read whole
 * tables for it, batch after batch.
 */
export async function lockRegistry(
  db: Queryable,
): Promise<{ readonly nextCrn: bigint; readonly nextAccountId: bigint }> {
  const read = await db.query<{ next_crn: bigint; next_account_id: bigint }>(
    `select next_crn, next_account_id, set_config('enable_seqscan', 'off', true)
     from credit_registry for update`,
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error('The registry has lost its row');
  return { nextCrn: row.next_crn, nextAccountId: row.next_account_id };
}

export async function moveCounters(
  db: Queryable,
  next: { readonly nextCrn: bigint; readonly nextAccountId: bigint },
): Promise<void> {
  await db.query('update credit_registry set next_crn = $1, next_account_id = $2', [
    next.nextCrn,
    next.nextAccountId,
  ]);
}
