import { randomBytes } from 'node:crypto';
import { PlainError } from '../base/plain-error.ts';
import { databaseTransaction } from './pool.ts';
import type { Pool } from './pool.ts';
import { databaseOf } from './runtime-role.ts';

/**
 * Throws: `PlainError` when the pools of DATABASE_OWNER_URL and DATABASE_URL work on different
 * databases. An advisory lock that the owner holds is visible only within its own database. Unlike
 * a comparison of names or identifiers, this also distinguishes a copy from its original, and every
 * role may do it.
 */
export async function requireSameDatabase(owner: Pool, runtime: Pool): Promise<void> {
  if (owner === runtime) return;
  const key = randomBytes(8).readBigInt64BE();
  const same = await databaseTransaction(owner, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [key]);
    const read = await runtime.query<{ free: boolean }>(
      'select pg_try_advisory_xact_lock($1) as free',
      [key],
    );
    return read.rows[0]?.free === false;
  });
  if (same) return;
  const [owners, used] = [await databaseOf(owner), await databaseOf(runtime)];
  const names = owners === used ? `both are called ${used}` : `${owners}, not ${used}`;
  throw new PlainError(
    `DATABASE_OWNER_URL names another database than DATABASE_URL (${names}). Both must name the same database, with different roles. Nothing was changed.`,
  );
}
