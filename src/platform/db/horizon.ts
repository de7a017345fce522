import type { Queryable } from './pool.ts';

/**
 * The start of the oldest other database transaction in this database, as text with microseconds:
 * rows added from now on are not older. Undefined while a transaction is running whose start this
 * role may not see, such as a `pg_dump` by another role; it may be of any age.
 */
export async function readHorizon(db: Queryable): Promise<string | undefined> {
  // Every role can see that a transaction is running, by the lock on its number. Only its own role
  // and superusers can see its start. Processes without a user are autovacuum's.
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
