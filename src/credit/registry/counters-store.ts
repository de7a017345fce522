import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Locks the registry for this database transaction and returns the next references. An import looks
 * up rows by their keys; without statistics, as in a registry’s first hours, PostgreSQL would scan
 * whole tables for every batch, so sequential scans are turned off.
 */
export async function lockRegistry(
  db: Queryable,
): Promise<{ readonly nextCrn: bigint; readonly nextAccountId: bigint }> {
  const read = await db.query<{ nextCrn: bigint; nextAccountId: bigint }>(
    `select next_crn as "nextCrn", next_account_id as "nextAccountId"
     from credit_registry cross join set_config('enable_seqscan', 'off', true)
     for update of credit_registry`,
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error('The registry has lost its row');
  return row;
}

/** Keeps imports and merges from changing the registry until this database transaction ends. */
export async function holdRegistry(db: Queryable): Promise<void> {
  await db.query('select from credit_registry for update');
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
