import type { Pool } from '../../src/platform/db/pool.ts';

/**
 * Locks the float of one vendor, or of all, as another process may: until released, nothing moves their money.
 * The server does not end this database transaction, however long it is idle.
 * @returns Releases the lock. Called again, it does nothing.
 */
export async function holdFloats(pool: Pool, vendorId?: number): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  // Its connection may be lost meanwhile.
  holder.on('error', () => undefined);
  await holder.query('begin');
  await holder.query('set local idle_in_transaction_session_timeout = 0');
  if (vendorId === undefined) {
    await holder.query(`select from accounts where account = 'float' for update`);
  } else {
    await holder.query(
      `select from accounts
       where bucket = bucket_of($1) and vendor_id = $1 and account = 'float' for update`,
      [vendorId],
    );
  }
  let held = true;
  return async () => {
    if (!held) return;
    held = false;
    await holder.query('rollback').finally(() => holder.release(true));
  };
}
