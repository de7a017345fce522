import type { Queryable } from '../../platform/db/pool.ts';

export interface FailuresRow {
  failedCount: number;
  failedAt: Date;
}

/** Where sign-ins with a login come from; null: all places that are not known to be its owner's. */
type Source = string | null;

const COLUMNS = 'f.failed_count as "failedCount", f.failed_at as "failedAt"';

/** Without a lock. Undefined: none. */
export async function findFailures(
  db: Queryable,
  login: string,
  source: Source,
): Promise<FailuresRow | undefined> {
  const found =
    source === null
      ? await db.query<FailuresRow>(
          `select ${COLUMNS} from sign_in_failures f where f.login = $1`,
          [login],
        )
      : await db.query<FailuresRow>(
          `select ${COLUMNS} from sign_in_sources f where f.login = $1 and f.source = $2`,
          [login, source],
        );
  return found.rows[0];
}

/** Locks the name for this source, so that sign-ins are checked one after the other. */
export async function lockFailures(
  db: Queryable,
  login: string,
  source: Source,
  now: Date,
): Promise<FailuresRow> {
  const locked =
    source === null
      ? await db.query<FailuresRow>(
          `insert into sign_in_failures as f (login, failed_count, failed_at) values ($1, 0, $2)
           on conflict (login) do update set login = excluded.login returning ${COLUMNS}`,
          [login, now],
        )
      : await db.query<FailuresRow>(
          `insert into sign_in_sources as f (login, source, failed_count, failed_at)
           values ($1, $2, 0, $3)
           on conflict (login, source) do update set login = excluded.login returning ${COLUMNS}`,
          [login, source, now],
        );
  const [row] = locked.rows;
  if (row === undefined) throw new Error('no row of failures');
  return row;
}

export async function setFailures(
  db: Queryable,
  login: string,
  source: Source,
  { failedCount, failedAt }: FailuresRow,
): Promise<void> {
  if (source === null) {
    await db.query(
      'update sign_in_failures set failed_count = $2, failed_at = $3 where login = $1',
      [login, failedCount, failedAt],
    );
  } else {
    await db.query(
      `update sign_in_sources set failed_count = $3, failed_at = $4
       where login = $1 and source = $2`,
      [login, source, failedCount, failedAt],
    );
  }
}

/** Deletes failures from this source alone: the owner's sign-in does not excuse strangers' guesses. */
export async function deleteFailures(db: Queryable, login: string, source: string): Promise<void> {
  await db.query('delete from sign_in_sources where login = $1 and source = $2', [login, source]);
}

/** Removes those whose last failure was before a time. */
export async function deleteOldFailures(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from sign_in_failures where failed_at < $1', [before]);
  await db.query('delete from sign_in_sources where failed_at < $1', [before]);
}
