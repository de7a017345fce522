import { BUSY_VENDOR, insertUsedMonths } from '../../bench/console-store.ts';
import { fillFloats, insertVendors } from '../../bench/store.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from './citus.ts';

export { BUSY_VENDOR };

/** Some of the bench's vendors: the busy one has most payments. */
const VENDORS = 12;
const FLOAT_CENTS = 100_000_000_000n;

/** What the bench writes to. */
const TABLES = ['vendors', 'accounts', 'collections', 'fund_movements', 'payments', 'transfers'];

/** Three months of payments, as the bench writes them, in a database with the sandbox's billers. */
export async function fillUsedMonths(owner: Pool, payments: number): Promise<void> {
  const client = await owner.connect();
  const fill = async (): Promise<void> => {
    await insertVendors(client, VENDORS);
    await fillFloats(client, FLOAT_CENTS);
    await insertUsedMonths(client, payments);
  };
  try {
    await (CITUS_URL === undefined ? fill() : onPlainCopies(client, fill));
  } finally {
    client.release();
  }
}

/** The bench's SQL is for one server: on a cluster it writes to temporary tables, whose rows are copied. */
async function onPlainCopies(client: Queryable, fill: () => Promise<void>): Promise<void> {
  const path = await client.query<{ path: string }>(
    `select current_setting('search_path') as path`,
  );
  for (const table of TABLES) {
    await client.query(`create temporary table ${table} (like public.${table} including all)`);
    await client.query(`insert into pg_temp.${table} select * from public.${table}`);
  }
  await client.query('set search_path = pg_temp, public');
  await fill();
  await client.query(`select set_config('search_path', $1, false)`, [path.rows[0]?.path]);
  for (const table of TABLES) {
    const known =
      table === 'accounts'
        ? '(bucket, vendor_id, account) do update set balance_cents = excluded.balance_cents'
        : 'do nothing';
    await client.query(
      `insert into public.${table} select * from pg_temp.${table} on conflict ${known}`,
    );
    await client.query(`drop table pg_temp.${table}`);
  }
}
