import { databaseTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';

/** What work would do, tried out in a database transaction that is then rolled back. */
export async function undone<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await databaseTransaction(pool, async (client) => await undoneWithin(client, work));
}

/** The same within the caller's database transaction. Locks that the work takes are released. */
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
