import { withinTransaction } from './pool.ts';
import type { Queryable } from './pool.ts';

/**
 * Runs `work` and takes back everything that it did to the database, also its locks, and returns what it found.
 * @param db a pool, or the caller's database transaction, which goes on as it was.
 */
export async function onTrial<Result>(
  db: Queryable,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await withinTransaction(db, async (client) => {
    await client.query('savepoint trial');
    try {
      return await work(client);
    } finally {
      await client.query('rollback to savepoint trial');
    }
  });
}
