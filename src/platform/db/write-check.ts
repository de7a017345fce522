import type { Queryable } from './pool.ts';
import { hasOwnSession } from './session-settings.ts';

interface WriteRow {
  readonly standby: boolean;
  readonly readOnly: boolean;
}

/** More than fits into 64 kB, so that PostgreSQL writes it to a file of the database's disk. */
const ROWS_ON_DISK = 6_000;

/**
 * Why nothing could be committed on this connection now; undefined: it can, if the database transaction
 * commits. A commit waits until it is on disk, and on the synchronous standby if there is one.
 * @param client in a database transaction.
 * Throws: the database's error, when it cannot.
 */
export async function findWriteObstacle(client: Queryable): Promise<string | undefined> {
  if (!(await hasOwnSession(client))) {
    return 'a database session of its own: a pooler gives connections to several clients in turn';
  }
  const read = await client.query<WriteRow>(
    `select pg_is_in_recovery() as standby,
       current_setting('transaction_read_only')::boolean as "readOnly"`,
  );
  if (read.rows[0]?.standby === true) return 'a writable database: this one is a standby';
  if (read.rows[0]?.readOnly === true) return 'a writable database';
  // The database's own tablespace, where its tables grow.
  await client.query(
    `select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`,
  );
  await client.query('select count(*), pg_current_xact_id() from generate_series(1, $1::integer)', [
    ROWS_ON_DISK,
  ]);
  return undefined;
}
