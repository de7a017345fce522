import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Reads how a restore of the database concerns a batch of that time. `lost`: it was stored before the end
 * of a quarantine in which payments are missing, and its rows may be among them. `waiting`: a quarantine
 * that people or the processes will probably end, because nothing seems to be missing.
 */
export async function readRestore(
  db: Queryable,
  createdAt: Date,
): Promise<'none' | 'waiting' | 'lost'> {
  const read = await db.query<{ waiting: boolean; lost: boolean }>({
    name: 'read_bulk_restore',
    text: `select coalesce(bool_or(released_at is null), false) as waiting,
        coalesce(bool_or(not seems_complete and $1 <= coalesce(released_at, now())), false) as lost
      from quarantines`,
    values: [createdAt],
  });
  const { waiting = false, lost = false } = read.rows[0] ?? {};
  if (lost) return 'lost';
  return waiting ? 'waiting' : 'none';
}
