import type { Queryable } from './pool.ts';

/**
 * The database's time, read after the locks: of two steps about the same thing, one is later. Rounded up to the
 * millisecond that a `Date` can hold: no movement of money may have a time before its database transaction began,
 * which the hash chain relies on.
 */
export async function postingTime(db: Queryable): Promise<Date> {
  const read = await db.query<{ now: Date }>(
    `select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as now`,
  );
  return read.rows[0]?.now ?? new Date();
}
