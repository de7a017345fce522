import type { Queryable } from '../db/pool.ts';

/** Age of what the last backup holds; null when none was taken. */
export async function readBackupAgeSeconds(db: Queryable): Promise<number | null> {
  const read = await db.query<{ age_seconds: number | null }>(
    'select extract(epoch from now() - max(ended_at))::float8 as age_seconds from backups',
  );
  return read.rows[0]?.age_seconds ?? null;
}
