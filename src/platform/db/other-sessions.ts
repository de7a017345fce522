import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from './pool.ts';

const LOOK_EVERY_MS = 50;

/**
 * Waits until no other Malipo program is connected to the database, at most `timeoutMs`. For a
 * command that started the embedded server and is about to stop it, while others may have started
 * to share it.
 * @param name the pools' name, as given to `createPool`; `pool` is one of them, with one
 * connection.
 */
export async function waitForOthers(pool: Pool, name: string, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  while ((await countOthers(pool, name)) > 0 && performance.now() < until) {
    await delay(LOOK_EVERY_MS);
  }
}

async function countOthers(pool: Pool, name: string): Promise<number> {
  const counted = await pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where application_name = $1 and pid <> pg_backend_pid()`,
    [`malipo ${name}`],
  );
  return counted.rows[0]?.count ?? 0;
}
