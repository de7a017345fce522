import type { Queryable } from './pool.ts';

/**
 * The start of the oldest other transaction of this database, as text with microseconds: what is
 * added from now on is not older. Undefined while a transaction runs whose start this role may not
 * see, such as that of a `pg_dump` by another role: it may be of any age.
 */
export async function readHorizon(db: Queryable): Promise<string | undefined> {
  // Everybody may see that a transaction runs, by the lock on its number; its start is shown to its
  // own role and to superusers only. Processes without a user are autovacuum's.
  const read = await db.query<{ at: string; hidden: boolean }>(
    `select least(now(), min(a.xact_start))::text as at,
       coalesce(bool_or(coalesce(a.state, 'disabled') = 'disabled' and l.pid is not null), false) as hidden
     from pg_stat_activity a left join pg_locks l
       on l.pid = a.pid and l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted
     where a.datname = current_database() and a.usesysid is not null and a.pid <> pg_backend_pid()`,
  );
  const [horizon] = read.rows;
  return horizon === undefined || horizon.hidden ? undefined : horizon.at;
}
