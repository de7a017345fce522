import type { Queryable } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from './citus.ts';

/** How many statements wait for a lock in this database, on any node of a cluster. */
export async function countWaiting(db: Queryable): Promise<number> {
  const view = CITUS_URL === undefined ? 'pg_stat_activity' : 'citus_stat_activity';
  const waiting = await db.query<{ count: number }>(
    `select count(*)::integer as count from ${view}
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.rows[0]?.count ?? 0;
}
