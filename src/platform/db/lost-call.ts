import type { ClientBase } from 'pg';
import type { Queryable } from './pool.ts';

/** The server is given this long to end a process. */
const END_WITHIN_MS = 3_000;
const INSUFFICIENT_PRIVILEGE = '42501';

/** The server's process for a connection; undefined if the driver does not know it. */
export function serverProcessOf(client: ClientBase): number | undefined {
  const { processID } = client as { readonly processID?: number | null };
  return processID ?? undefined;
}

/**
 * Ends the server's process for a lost connection of the caller's pool. It may still be running the call
 * whose answer was lost; after this, that call has been committed or never will be. Returns false if
 * the process has not ended yet. Nothing is ended behind a pooler, because the driver has another number
 * there, which no process of this name has, nor if the role may not end processes.
 */
export async function endServerProcess(db: Queryable, processId: number): Promise<boolean> {
  try {
    const found = await db.query<{ ended: boolean }>(
      `select pg_terminate_backend(pid, $2) as ended from pg_stat_activity
       where pid = $1 and pid <> pg_backend_pid() and datname = current_database()
         and usename = current_user and application_name = current_setting('application_name')`,
      [processId, END_WITHIN_MS],
    );
    return found.rows.every(({ ended }) => ended);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === INSUFFICIENT_PRIVILEGE) return true;
    throw error;
  }
}
