import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../base/plain-error.ts';
import { databaseTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';

// The advisory lock of all migrators of one database, so that they wait for each other.
export const MIGRATION_LOCK = 7_305_001;

/** The pace at which an upgrade tries again while the running service, or a person, holds its locks. */
export interface Turns {
  /**
   * Time that a statement waits for a lock. Everybody who wants the same table waits behind it, so this
   * is also how long creates stand still.
   */
  readonly lockTimeoutMs: number;
  /** Between two turns, in which everybody else continues. Doubled from turn to turn. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  readonly turns: number;
  /** Called after a turn that did not get its lock, with who may hold it. */
  readonly onWait: (sessions: readonly string[]) => void;
}

/** About ten minutes in all. */
export const TURNS: Turns = {
  lockTimeoutMs: 500,
  pauseMs: 1_000,
  longestPauseMs: 10_000,
  turns: 64,
  onWait: () => undefined,
};

/** A lock that was not free in time; a deadlock. Nothing was done. */
const HELD_UP = new Set<unknown>(['55P03', '40P01']);

/**
 * Runs one step of an upgrade in a database transaction of its own, again until it gets its locks.
 * Throws: `PlainError`, naming who may hold them, when it does not get them in any turn.
 */
export async function inTurns<Result>(
  pool: Pool,
  step: (client: Queryable) => Promise<Result>,
  { lockTimeoutMs, pauseMs, longestPauseMs, turns, onWait }: Turns = TURNS,
): Promise<Result> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await databaseTransaction(pool, async (client) => {
        await beginMigrating(client);
        await client.query(`select set_config('lock_timeout', $1, true)`, [`${lockTimeoutMs}ms`]);
        return await step(client);
      });
    } catch (error) {
      if (!HELD_UP.has((error as { code?: unknown }).code)) throw error;
      const sessions = await sessionsAtOurTables(pool);
      if (turn === turns) throw heldUp(sessions, error);
      onWait(sessions);
    }
    await delay(Math.min(pauseMs * 2 ** (turn - 1), longestPauseMs));
  }
}

/** Waits for other migrators of this database. There is no time limit. */
async function beginMigrating(client: Queryable): Promise<void> {
  await client.query('set local lock_timeout = 0');
  await client.query('set local statement_timeout = 0');
  // After a migrator is killed, its statement must not keep the others waiting.
  await client.query(`set local client_connection_check_interval = '1s'`);
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

/**
 * The sessions that hold locks on our tables, the longest database transaction first. How long one
 * lasts is visible for sessions of the same role, or to a role that may read all statistics.
 */
async function sessionsAtOurTables(pool: Pool): Promise<string[]> {
  const read = await pool.query<{ pid: number; name: string; seconds: number | null }>(
    `select a.pid, coalesce(a.application_name, '') as name,
       extract(epoch from now() - a.xact_start)::integer as seconds
     from pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid()
       and exists (
         select from pg_locks l join pg_class c on c.oid = l.relation
         where l.pid = a.pid and l.granted and l.database =
             (select oid from pg_database where datname = current_database())
           and c.relnamespace = current_schema()::regnamespace)
     order by a.xact_start nulls last, a.pid limit 5`,
  );
  return read.rows.map(({ pid, name, seconds }) =>
    [`pid ${pid}`, name, seconds === null ? '' : `for ${seconds} s`]
      .filter((part) => part !== '')
      .join(', '),
  );
}

function heldUp(sessions: readonly string[], cause: unknown): PlainError {
  const who =
    sessions.length === 0
      ? 'No session holds one at this moment.'
      : `These sessions work on the tables: ${sessions.join('; ')}.`;
  return new PlainError(
    `The upgrade of the database did not get the locks that it needs. ${who} Nothing was changed by the step that waited. End the longest one with pg_terminate_backend, or upgrade when it has finished.`,
    { cause },
  );
}
