import type { Queryable } from '../db/pool.ts';

/** The age of the newest data in the last backup; null if no backup was taken. */
export async function readBackupAgeSeconds(db: Queryable): Promise<number | null> {
  const read = await db.query<{ ageSeconds: number | null }>(
    'select extract(epoch from now() - max(ended_at))::float8 as "ageSeconds" from backups',
  );
  return read.rows[0]?.ageSeconds ?? null;
}
