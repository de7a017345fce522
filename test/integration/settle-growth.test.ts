import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { createInstructed, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

const BEHIND = 400;

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(async () => {
  await books.close();
});

/** The number of index entries read so far, by default of the queue, by the server's statistics. */
async function entriesRead(pool: Pool, index = 'dispatch_queue_pkey'): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const read = await pool.query<{ read: bigint }>(
    `select idx_tup_read as read from pg_stat_user_indexes where indexrelname = $1`,
    [index],
  );
  return Number(read.rows[0]?.read ?? 0n);
}

test('a settlement reads only its own rows of the queue, however many there are', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const made = Array.from({ length: BEHIND }, () => newPayment({ vendorId }));
  await createInstructed(books.pool, made);
  const pool = books.openPool({ byIndexOnly: true });
  const settle = async (few: typeof made) =>
    await settlePayments(
      pool,
      few.map((payment) => paidReport(payment)),
    );
  await settle(made.slice(0, 2));
  const before = await entriesRead(pool);
  expect(await settle(made.slice(2, 4))).toEqual(['settled', 'settled']);
  expect((await entriesRead(pool)) - before).toBeLessThan(BEHIND / 10);
});

test('a create reads only its own accounts, however many vendors there are', async () => {
  const vendorIds = await books.addVendors(Array.from({ length: BEHIND }, () => 10_000_000n));
  const pool = books.openPool({ byIndexOnly: true });
  const create = async () =>
    await createPayments(
      pool,
      vendorIds.slice(0, 2).map((vendorId) => newPayment({ vendorId })),
    );
  await create();
  const before = await entriesRead(pool, 'accounts_pkey');
  expect(await create()).toHaveLength(2);
  expect((await entriesRead(pool, 'accounts_pkey')) - before).toBeLessThan(BEHIND / 10);
});

test('settlements change no index of the rows that they update', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const made = Array.from({ length: BEHIND }, (_, index) =>
    newPayment({ vendorId, merchantReference: `INV-2031-${index}`, account: '14234567890' }),
  );
  const pool = books.openPool({ byIndexOnly: true });
  const updates = async (): Promise<{ all: number; hot: number }> => {
    await pool.query('select pg_stat_force_next_flush()');
    const read = await pool.query<{ all: number; hot: number }>(
      `select sum(n_tup_upd)::integer as all, sum(n_tup_hot_upd)::integer as hot
       from pg_stat_user_tables where relname = 'payments'`,
    );
    return read.rows[0] ?? { all: 0, hot: 0 };
  };
  await createInstructed(books.pool, made);
  const before = await updates();
  await settlePayments(
    pool,
    made.map((payment) =>
      paidReport(payment, {
        billerReference: 'OP-2031-000017',
        details: { token: '12345678901234567890', units: '5.2' },
      }),
    ),
  );
  const after = await updates();
  expect(after.all - before.all).toBe(BEHIND);
  // All except on pages whose rows grew more than usual.
  expect(after.hot - before.hot).toBeGreaterThan(0.85 * BEHIND);
});

test('claims change no index of the queue', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const pool = books.openPool({ byIndexOnly: true });
  const updates = async (): Promise<{ all: number; hot: number }> => {
    await pool.query('select pg_stat_force_next_flush()');
    const read = await pool.query<{ all: number; hot: number }>(
      `select n_tup_upd::integer as all, n_tup_hot_upd::integer as hot
       from pg_stat_user_tables where relname = 'dispatch_queue'`,
    );
    return read.rows[0] ?? { all: 0, hot: 0 };
  };
  const before = await updates();
  await createInstructed(
    pool,
    Array.from({ length: BEHIND }, () => newPayment({ vendorId })),
  );
  const after = await updates();
  expect(after.all - before.all).toBe(BEHIND);
  expect(after.hot - before.hot).toBe(BEHIND);
});
