import type { Queryable } from '../db/pool.ts';

/** The age of the newest data in the last backup; null if no backup was taken. */
export async function readBackupAgeSeconds(db: Queryable): Promise<number | null> {
  const read = await db.query<{ age_seconds: number | null }>(
    'select extract(epoch from now() - max(ended_at))::float8 as age_seconds from backups',
  );
  return read.rows[0]?.age_seconds ?? null;
}
