import type { Pool } from '../../src/platform/db/pool.ts';

/**
 * Locks the float of one vendor, or of all, as another process may: until released, nothing moves their money.
 * The server does not end this database transaction, however long it is idle.
 * @returns Releases the lock. Called again, it does nothing.
 */
export async function holdFloats(pool: Pool, vendorId?: number): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('set local idle_in_transaction_session_timeout = 0');
  await holder.query(
    `select from accounts
     where account = 'float'
       and ($1::integer is null or bucket = bucket_of($1) and vendor_id = $1) for update`,
    [vendorId ?? null],
  );
  let held = true;
  return async () => {
    if (!held) return;
    held = false;
    await holder.query('rollback');
    holder.release();
  };
}
