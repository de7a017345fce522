import type { Queryable } from '../db/pool.ts';
import type { WalRange } from './wal.ts';

/** The age of the newest data in the last backup; null if no backup was taken. */
export async function readBackupAgeSeconds(db: Queryable): Promise<number | null> {
  const read = await db.query<{ ageSeconds: number | null }>(
    'select extract(epoch from now() - max(ended_at))::float8 as "ageSeconds" from backups',
  );
  return read.rows[0]?.ageSeconds ?? null;
}

/** The slot keeps the WAL on the server until it is in the archive. */
export const ARCHIVE_SLOT = 'malipo_wal_archive';

/** The range of WAL that continues the last backup. Undefined if no backup is on this timeline. */
export async function readArchivedRange(db: Queryable): Promise<WalRange | undefined> {
  const read = await db.query<WalRange>(
    `select b.timeline, (b.stop_lsn - 1)::text as "startLsn", s.restart_lsn::text as "stopLsn",
       (select setting::integer from pg_settings where name = 'wal_segment_size') as "segmentBytes"
     from pg_replication_slots s
       cross join (select timeline, stop_lsn from backups order by ended_at desc limit 1) b
     where s.slot_name = $1 and s.restart_lsn >= b.stop_lsn
       and b.timeline = ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer`,
    [ARCHIVE_SLOT],
  );
  return read.rows[0];
}

/** The write-ahead log that is not in the archive yet; null if none is kept for one. */
export async function readWaitingWalBytes(db: Queryable): Promise<number | null> {
  const read = await db.query<{ bytes: number | null }>(
    `select (pg_current_wal_lsn() - restart_lsn)::float8 as bytes from pg_replication_slots
     where slot_name = $1`,
    [ARCHIVE_SLOT],
  );
  return read.rows[0]?.bytes ?? null;
}
