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

/**
 * How many sessions wait for a lock on this table of this database. Also for the database transaction that
 * has locked it: within one, `pg_stat_activity` does not change.
 */
export async function countWaitingFor(db: Queryable, table: string): Promise<number> {
  // A table has the same oid in all databases that were cloned from the template.
  const waiting = await db.query(
    `select distinct l.pid from pg_locks l join pg_database d on d.oid = l.database
     where not l.granted and l.relation = $1::regclass and d.datname = current_database()`,
    [table],
  );
  return waiting.rowCount ?? 0;
}

/**
 * The server process of the pool of this name whose statement waits for a lock, on any node of a cluster.
 * @param except not this one.
 */
export async function findWaiting(
  db: Queryable,
  name: string,
  except = 0,
): Promise<number | undefined> {
  const found = await db.query<{ pid: number }>(
    CITUS_URL === undefined
      ? `select pid from pg_stat_activity
         where application_name = $1 and wait_event_type = 'Lock' and pid <> $2`
      : `select o.pid from citus_stat_activity w join citus_stat_activity o using (global_pid)
         where o.application_name = $1 and w.wait_event_type = 'Lock' and o.pid <> $2`,
    [`malipo ${name}`, except],
  );
  return found.rows[0]?.pid;
}
