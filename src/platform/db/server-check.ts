import { createWireTime } from '../base/clock.ts';
import type { Pool } from './pool.ts';
import { findWrongSettings, hasOwnSession } from './session-settings.ts';

export interface ServerFindings {
  /** Why the service must not start. */
  readonly refusals: readonly string[];
  /** Warnings for the administrator. */
  readonly warnings: readonly string[];
}

const OLDEST_VERSION = 150_000;

interface ServerRow {
  readonly version: number;
  readonly encoding: string;
  readonly readOnly: boolean;
  readonly replicationRole: string;
  readonly activities: boolean;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly connections: number;
}

/**
 * Checks what a session cannot set for itself, and whether the connections really have the settings
 * they asked for, because there may be a pooler between them and the server.
 * @param pool with at least two connections.
 * @param needed how many connections this process opens.
 */
export async function checkServer(pool: Pool, needed: number): Promise<ServerFindings> {
  const read = await pool.query<ServerRow>(
    `select current_setting('server_version_num')::integer as version,
       current_setting('server_encoding') as encoding,
       current_setting('transaction_read_only')::boolean as "readOnly",
       current_setting('session_replication_role') as "replicationRole",
       current_setting('track_activities')::boolean as activities,
       current_setting('fsync')::boolean as fsync,
       current_setting('full_page_writes')::boolean as "fullPageWrites",
       least(current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer,
         (select case when datconnlimit >= 0 then datconnlimit end from pg_database
          where datname = current_database()),
         (select case when rolconnlimit >= 0 then rolconnlimit end from pg_roles
          where rolname = current_user)) as connections`,
  );
  const [server] = read.rows;
  if (server === undefined) throw new Error('the server did not report its settings');
  const wrong = await findWrongSettings(pool);
  const shared = await shareSessions(pool);
  return {
    refusals: [
      ...(server.version < OLDEST_VERSION ? ['it is older than PostgreSQL 15'] : []),
      ...(server.encoding === 'UTF8' ? [] : [`its encoding is ${server.encoding}, not UTF8`]),
      ...(server.readOnly ? ['it accepts no writes: database transactions are read-only'] : []),
      ...(server.replicationRole === 'origin'
        ? []
        : ['session_replication_role is not origin: foreign keys and triggers are off']),
      ...(server.activities
        ? []
        : ['track_activities is off: the start of database transactions cannot be seen']),
      ...(shared
        ? [
            'a pooler gives sessions to several connections in turn, so that prepared statements and settings are lost: use its session mode, or connect to PostgreSQL directly',
          ]
        : []),
      ...wrong,
    ],
    warnings: [
      ...(server.fsync ? [] : ['fsync is off: a crash of the machine can destroy the database']),
      ...(server.fullPageWrites
        ? []
        : ['full_page_writes is off: a crash of the machine can destroy the database']),
      ...(server.connections < needed
        ? [`it allows ${server.connections} connections, and this process opens up to ${needed}`]
        : []),
    ],
  };
}

/** In winter and in summer of both hemispheres. */
const ZONE_SAMPLES = [new Date('2026-01-15T12:00:00Z'), new Date('2026-07-15T12:00:00Z')];

/**
 * Why the server's days would not be ours; undefined if they are. It may lack former names, such as
 * `Asia/Calcutta`, or have other rules.
 */
export async function checkTimeZone(pool: Pool, timeZone: string): Promise<string | undefined> {
  const wireTime = createWireTime(timeZone);
  try {
    const { rows } = await pool.query<{ text: string }>(
      `select to_char(t at time zone $1, 'YYYY-MM-DD HH24:MI:SS') as text
       from unnest($2::timestamptz[]) with ordinality as s (t, n) order by n`,
      [timeZone, ZONE_SAMPLES],
    );
    const isAlike = ZONE_SAMPLES.every((time, n) => rows[n]?.text === wireTime.format(time));
    return isAlike ? undefined : `its rules of TIME_ZONE ${timeZone} are not those of this process`;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '22023') throw error;
    return `it does not know TIME_ZONE ${timeZone}: install its time zones (tzdata, with former names)`;
  }
}

/** True if a pooler hands server connections to ours in turns: each statement may get another one. */
async function shareSessions(pool: Pool): Promise<boolean> {
  const [one, other] = [await pool.connect(), await pool.connect()];
  const pidOf = async (client: typeof one): Promise<number | undefined> =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  try {
    const [first, second, again] = [await pidOf(one), await pidOf(other), await pidOf(one)];
    if (first === second || first !== again) return true;
    return !(await hasOwnSession(one)) || !(await hasOwnSession(other));
  } finally {
    one.release();
    other.release();
  }
}
