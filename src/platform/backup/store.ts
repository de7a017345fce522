import type { Queryable } from '../db/pool.ts';

/** The age of the newest data in the last backup; null if no backup was taken. */
export async function readBackupAgeSeconds(db: Queryable): Promise<number | null> {
  const read = await db.query<{ ageSeconds: number | null }>(
    'select extract(epoch from now() - max(ended_at))::float8 as "ageSeconds" from backups',
  );
  return read.rows[0]?.ageSeconds ?? null;
}

/** The slot keeps the WAL on the server until it is in the archive. */
export const ARCHIVE_SLOT = 'malipo_wal_archive';

/** The write-ahead log that is not in the archive yet; null if none is kept for one. */
export async function readWaitingWalBytes(db: Queryable): Promise<number | null> {
  const read = await db.query<{ bytes: number | null }>(
    `select (pg_current_wal_lsn() - restart_lsn)::float8 as bytes from pg_replication_slots
     where slot_name = $1`,
    [ARCHIVE_SLOT],
  );
  return read.rows[0]?.bytes ?? null;
}
