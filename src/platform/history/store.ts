import { newId } from '../base/ids.ts';
import { databaseTransaction } from '../db/pool.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { HistoryChange, HistoryRecord, ServerIdentity } from './compare-history.ts';

export interface Server extends ServerIdentity {
  readonly synchronous: boolean;
}

const UNKNOWN: ServerIdentity = { systemIdentifier: null, timeline: null };

/** Some services that are compatible with PostgreSQL do not report it. */
const UNTOLD: ReadonlySet<unknown> = new Set(['42501', '42883', '0A000', '55000']);

/** Reads the server's identity, and whether commits wait for a standby. */
export async function readServer(db: Queryable): Promise<Server> {
  const settings = await db.query<{ synchronous: boolean }>(
    `select current_setting('synchronous_standby_names') <> ''
       and current_setting('synchronous_commit') in ('on', 'remote_apply') as synchronous`,
  );
  return { ...(await readIdentity(db)), synchronous: settings.rows[0]?.synchronous === true };
}

export async function isStandby(db: Queryable): Promise<boolean> {
  const read = await db.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  return read.rows[0]?.standby === true;
}

async function readIdentity(db: Queryable): Promise<ServerIdentity> {
  try {
    // pg_control_checkpoint() would name the former timeline until the first checkpoint on the new one.
    const read = await db.query<ServerIdentity>(
      `select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
         ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer as timeline`,
    );
    return read.rows[0] ?? UNKNOWN;
  } catch (error) {
    if (UNTOLD.has((error as { code?: unknown }).code)) return UNKNOWN;
    throw error;
  }
}

export interface StoredHistory extends HistoryRecord {
  /** Identical in every copy of this database. */
  readonly installationId: string;
}

/** Undefined in a database that was never used. */
export async function readHistory(db: Queryable): Promise<StoredHistory | undefined> {
  const read = await db.query<StoredHistory>(
    `select installation_id as "installationId", system_identifier as "systemIdentifier", timeline,
       epoch, beats, epoch_beats as "epochBeats", seemed_complete as "seemedComplete", synchronous,
       seen_at as "seenAt"
     from database_history`,
  );
  return read.rows[0];
}

/** Begins the history of a new database; does nothing in another one. */
export async function beginHistory(db: Queryable, server: Server): Promise<void> {
  await db.query(
    `insert into database_history (installation_id, system_identifier, timeline, epoch, beats,
       epoch_beats, seemed_complete, synchronous, seen_at)
     values ($1, $2, $3, 0, 0, 0, false, $4, now()) on conflict do nothing`,
    [newId(), server.systemIdentifier, server.timeline, server.synchronous],
  );
}

/** Records the time zone of the service that starts. Returns the former one, if it was another. */
export async function noteTimeZone(pool: Pool, timeZone: string): Promise<string | undefined> {
  const former = await readTimeZone(pool);
  await pool.query('update database_history set time_zone = $1', [timeZone]);
  return former === timeZone ? undefined : former;
}

/** The time zone of the service that started last; undefined: none has. */
export async function readTimeZone(db: Queryable): Promise<string | undefined> {
  const read = await db.query<{ timeZone: string | null }>(
    'select time_zone as "timeZone" from database_history',
  );
  return read.rows[0]?.timeZone ?? undefined;
}

/** The process that records that it uses the database. */
export interface ProcessKey {
  readonly processId: string;
  readonly name: string;
}

/**
 * Records that the process uses the database, and that it misses nothing in this epoch. Processes that
 * ended without notice are forgotten after two minutes, but not while they have not confirmed the
 * epoch. Undefined, and nothing is recorded, if the epoch is not the one that was read, or the record
 * is of another server.
 */
export async function beat(
  pool: Pool,
  epoch: number,
  { systemIdentifier, timeline, synchronous }: Server,
  { processId, name }: ProcessKey,
): Promise<{ readonly beats: bigint; readonly seenAt: Date } | undefined> {
  // now() and single tables: on a cluster an update takes no volatile function, and no other table.
  return await databaseTransaction(pool, async (client) => {
    const counted = await client.query<{ beats: bigint; seenAt: Date }>(
      `update database_history set beats = beats + 1, seen_at = now(), synchronous = $4,
         system_identifier = coalesce(system_identifier, $2), timeline = coalesce(timeline, $3)
       where epoch = $1 and coalesce(system_identifier = $2, true) and coalesce(timeline = $3, true)
       returning beats, seen_at as "seenAt"`,
      [epoch, systemIdentifier, timeline, synchronous],
    );
    if (counted.rowCount === 0) return undefined;
    await client.query(
      `insert into database_processes (process_id, name, epoch, first_epoch, seen_at)
       values ($1, $2, $3, $3, now())
       on conflict (process_id) do update set epoch = excluded.epoch, seen_at = excluded.seen_at`,
      [processId, name, epoch],
    );
    await client.query(
      `delete from database_processes
       where epoch = $1 and process_id <> $2 and seen_at < now() - interval '2 minutes'`,
      [epoch, processId],
    );
    return counted.rows[0];
  });
}

/**
 * Begins the epoch of a change: from now on the server is the known one. Returns false, and changes
 * nothing, if another process did so.
 */
export async function beginEpoch(
  db: Queryable,
  record: Pick<HistoryRecord, 'epoch'>,
  server: Server,
  change: Pick<HistoryChange, 'epoch' | 'seemsComplete'>,
): Promise<boolean> {
  const begun = await db.query(
    `update database_history set epoch = $2, epoch_beats = beats, seemed_complete = $3,
       system_identifier = $4, timeline = $5, synchronous = $6, seen_at = now()
     where epoch = $1`,
    [
      record.epoch,
      change.epoch,
      change.seemsComplete,
      server.systemIdentifier,
      server.timeline,
      server.synchronous,
    ],
  );
  return begun.rowCount === 1;
}
