import type { Queryable } from './pool.ts';

/**
 * The session that keeps others from even reading a table of ours, in words that follow “session”.
 * Undefined: none does now.
 */
export async function findLockHolder(db: Queryable): Promise<string | undefined> {
  const found = await db.query<{ pid: number; name: string }>(
    `select l.pid, t.relname::text as name
     from pg_locks l join pg_class t on t.oid = l.relation
     where l.granted and l.mode = 'AccessExclusiveLock' and l.pid <> pg_backend_pid()
       and l.database = (select oid from pg_database where datname = current_database())
       and t.relnamespace = current_schema()::regnamespace
     order by l.pid, t.relname limit 1`,
  );
  const [holder] = found.rows;
  return holder && `${holder.pid} locks ${holder.name}`;
}

/** The limit holds until the end of the database transaction. */
export async function limitLockWaits(client: Queryable, timeoutMs: number): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, true)`, [String(timeoutMs)]);
}
