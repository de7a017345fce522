import { PlainError } from '../base/plain-error.ts';
import { MIGRATION_LOCK } from '../db/migration-turns.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { findCitus } from './tables.ts';

/**
 * Runs `work` on one connection without a statement timeout, while no other program is connected to
 * the database and none migrates it. Call `refuseOthers` under a lock to check again: a program
 * that connects after that waits for the lock.
 * @param ours the pools of this program.
 * Throws: `PlainError` without Citus, or when another program is connected.
 */
export async function alone<Result>(
  owner: Pool,
  ours: readonly Pool[],
  work: (db: Queryable, refuseOthers: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  try {
    await requireCoordinator(client);
    await lockOutMigrators(client);
    await client.query('set statement_timeout = 0');
    await client.query('set idle_in_transaction_session_timeout = 0');
    // Otherwise Citus adopts tables that refer to a reference table, and these can no longer be
    // distributed.
    await client.query('set citus.enable_local_reference_table_foreign_keys = off');
    const refuseOthers = async (): Promise<void> => {
      const others = await Promise.all([...new Set(ours)].map(processesOf));
      await refuse(client, others.flat());
    };
    await refuseOthers();
    return await work(client, refuseOthers);
  } finally {
    // Its locks and settings end with it.
    client.release(true);
  }
}

async function requireCoordinator(db: Queryable): Promise<void> {
  const missing =
    (await findCitus(db)) === undefined
      ? 'The database does not have the extension citus. As its superuser: create extension citus, on every node.'
      : (await isCoordinator(db))
        ? undefined
        : 'DATABASE_OWNER_URL, or else DATABASE_URL, names a worker. Use the coordinator.';
  if (missing !== undefined)
    throw new PlainError(`This database is not on a Citus cluster. ${missing}`);
}

async function isCoordinator(db: Queryable): Promise<boolean> {
  const read = await db.query<{ yes: boolean }>('select citus_is_coordinator() as yes');
  return read.rows[0]?.yes === true;
}

async function lockOutMigrators(db: Queryable): Promise<void> {
  const read = await db.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    MIGRATION_LOCK,
  ]);
  if (read.rows[0]?.locked === true) return;
  throw new PlainError(
    'Another program is migrating or moving this database. Wait until it has finished.',
  );
}

/** The server processes of a pool's idle connections. */
async function processesOf(pool: Pool): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: pool.idleCount }, () => pool.connect()));
  try {
    const pids: number[] = [];
    for (const client of clients) {
      const read = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      pids.push(...read.rows.map(({ pid }) => pid));
    }
    return pids;
  } finally {
    for (const client of clients) client.release();
  }
}

async function refuse(db: Queryable, ours: readonly number[]): Promise<void> {
  const read = await db.query<{ name: string; count: bigint }>(
    `select coalesce(nullif(application_name, ''), 'a program without a name') as name,
       count(*) as count
     from citus_stat_activity
     where datname = current_database() and is_worker_query is not true
       and coalesce(backend_type, 'client backend') = 'client backend'
       and usename is not null and application_name not like 'citus%' and application_name not like 'Citus%'
       and not (pid = any ($1::integer[] || pg_backend_pid())
         and nodeid = (select nodeid from pg_dist_node where groupid = 0))
     group by 1 order by 1`,
    [ours],
  );
  if (read.rows.length === 0) return;
  const names = read.rows.map(({ name, count }) => `${name} (${count})`).join(', ');
  throw new PlainError(
    `Writes must be stopped, and other programs are connected to the database: ${names}. Stop every process of the service and every other command. Then run this again: what has been moved stays.`,
  );
}
