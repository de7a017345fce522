import { databaseTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';

/** Returns what `work` returns, and rolls back everything that it wrote. */
export async function undone<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await databaseTransaction(pool, async (client) => await undoneWithin(client, work));
}

/** Rolls back to a savepoint in the caller's database transaction, which also releases the locks of `work`. */
export async function undoneWithin<Result>(
  db: Queryable,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  await db.query('savepoint tried');
  try {
    return await work(db);
  } finally {
    await db.query('rollback to savepoint tried');
  }
}
