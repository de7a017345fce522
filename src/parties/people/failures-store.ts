import type { Queryable } from '../../platform/db/pool.ts';

export interface FailuresRow {
  failedCount: number;
  failedAt: Date;
}

/** Without a lock. Undefined: none since the last sign-in. */
export async function findFailures(db: Queryable, login: string): Promise<FailuresRow | undefined> {
  const found = await db.query<FailuresRow>(
    `select failed_count as "failedCount", failed_at as "failedAt"
     from sign_in_failures where login = $1`,
    [login],
  );
  return found.rows[0];
}

/** Locks the name, so that sign-ins with it are checked one after the other. */
export async function lockFailures(db: Queryable, login: string, now: Date): Promise<FailuresRow> {
  const locked = await db.query<FailuresRow>(
    `insert into sign_in_failures as f (login, failed_count, failed_at) values ($1, 0, $2)
     on conflict (login) do update set login = excluded.login
     returning f.failed_count as "failedCount", f.failed_at as "failedAt"`,
    [login, now],
  );
  const [row] = locked.rows;
  if (row === undefined) throw new Error('no row of failures');
  return row;
}

export async function addFailure(db: Queryable, login: string, now: Date): Promise<void> {
  await db.query(
    'update sign_in_failures set failed_count = failed_count + 1, failed_at = $2 where login = $1',
    [login, now],
  );
}

export async function deleteFailures(db: Queryable, login: string): Promise<void> {
  await db.query('delete from sign_in_failures where login = $1', [login]);
}

/** Removes names whose last failure was before a time. */
export async function deleteOldFailures(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from sign_in_failures where failed_at < $1', [before]);
}
