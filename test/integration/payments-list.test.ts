import { afterAll, beforeAll, expect, test } from 'vitest';
import { beforeTime, listPayments } from '../../src/payments/timeline/list.ts';
import type { ListCursor } from '../../src/payments/timeline/list-store.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const COUNT = 500;
let pool: Pool;

/** Payments over 200 days, five in the same microsecond, every tenth for the biller `rare`. */
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  await pool.query(
    `insert into vendors (vendor_id, vid, name, sector, created_at) values (1, 'shop', 'Shop', 'retail', '2025-01-01')`,
  );
  await pool.query(
    `insert into payments (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents,
       duplicate_key, biller_code, account)
     select bucket_of(1), 1, gen_random_uuid(),
       $1::timestamptz - (n / 5) * interval '2 days' - (n / 5) * interval '1 microsecond', 100, 0, n,
       case when n % 10 = 0 then 'rare' else 'usual' end, 'account'
     from generate_series(1, $2) n`,
    [NOW, COUNT],
  );
});
afterAll(async () => {
  await pool.end();
});

async function readAll(
  filter: Parameters<typeof listPayments>[1],
  options: { readonly limit: number; readonly nowMs?: () => number },
): Promise<{ readonly ids: string[]; readonly pages: number }> {
  const ids: string[] = [];
  let before: ListCursor | null = beforeTime(new Date(NOW.getTime() + 1000));
  let pages = 0;
  while (before !== null) {
    const page: Awaited<ReturnType<typeof listPayments>> = await listPayments(pool, filter, {
      from: new Date(0),
      before,
      ...options,
    });
    ids.push(...page.payments.map(({ paymentId }) => paymentId));
    before = page.next;
    pages += 1;
  }
  return { ids, pages };
}

async function expected(where: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select payment_id as id from payments where ${where} order by created_at desc, payment_id desc`,
  );
  return rows.map(({ id }) => id);
}

test.each([1, 7, 50, 1000])(
  'pages of %i payments contain each payment once, in order',
  async (limit) => {
    for (const vendorId of [undefined, 1]) {
      expect((await readAll({ vendorId }, { limit })).ids).toEqual(await expected('true'));
    }
  },
);

test('a rare filter finds everything, over pages that end in time', async () => {
  let nowMs = 0;
  // Each reading of the clock advances it by 60 ms.
  const slow = (): number => (nowMs += 60);
  const { ids, pages } = await readAll({ billerCode: 'rare' }, { limit: 20, nowMs: slow });
  expect(ids).toEqual(await expected(`biller_code = 'rare'`));
  expect(pages).toBeGreaterThan(2);
});

test('nothing before the beginning of the period is listed', async () => {
  const from = new Date(NOW.getTime() - 20 * 24 * 60 * 60 * 1000);
  const page = await listPayments(
    pool,
    {},
    { from, before: beforeTime(NOW), limit: 1000, nowMs: () => 0 },
  );
  expect(page.next).toBeNull();
  expect(page.payments.map(({ paymentId }) => paymentId)).toEqual(
    await expected(`created_at >= '${from.toISOString()}' and created_at < '${NOW.toISOString()}'`),
  );
});

test.each([
  ['few', 60, 25],
  ['many', 2_000, 500],
])('%s open payments are listed by their state', async (_name, count, size) => {
  await pool.query('delete from dispatch_queue');
  await pool.query('delete from payments');
  await pool.query(
    `insert into payments (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents,
       duplicate_key, biller_code, account)
     select bucket_of(1), 1, gen_random_uuid(), $1::timestamptz - n * interval '1 minute', n, 0, n,
       case when n % 10 = 0 then 'rare' else 'usual' end, 'account'
     from generate_series(1, $2::integer) n`,
    [NOW, count + 10],
  );
  // Ten of the payments wait for an answer, ten are not in the queue, and the others are to be sent.
  await pool.query(
    `insert into dispatch_queue (bucket, vendor_id, payment_id, biller_code, due_at, stage, sent_at)
     select bucket, vendor_id, payment_id, biller_code, created_at,
       case when amount_cents <= 20 then 'verify' else 'send' end::dispatch_stage,
       case when amount_cents <= 20 then created_at end
     from payments where amount_cents > 10`,
  );
  const ofState = 'amount_cents > 10 and amount_cents ';
  for (const vendorId of [undefined, 1]) {
    const list = async (filter: Parameters<typeof listPayments>[1], limit: number) =>
      (await readAll({ vendorId, ...filter }, { limit })).ids;
    expect(await list({ status: 'PENDING' }, 3)).toEqual(await expected(`${ofState} <= 20`));
    expect(await list({ status: 'QUEUED' }, size)).toEqual(await expected(`${ofState} > 20`));
    expect(await list({ status: 'QUEUED', billerCode: 'rare', maxCents: 50n }, 25)).toEqual(
      await expected(`amount_cents in (30, 40, 50)`),
    );
  }
});
