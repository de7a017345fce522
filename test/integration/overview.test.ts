import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOverviewReader } from '../../src/payments/overview/overview.ts';
import { RecentActivity } from '../../src/payments/overview/recent.ts';
import { sumActivity } from '../../src/payments/overview/activity.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';

const NOW = new Date('2026-03-01T12:07:30Z');
const wireTime = createWireTime('Africa/Nairobi');
let pool: Pool;

/** One payment every ten minutes for 50 hours, by two vendors in turn; every ninth is open, every fifth failed. */
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).ownerUrl, max: 1, name: 'test' });
  await pool.query(
    `insert into vendors (vendor_id, vid, name, sector, created_at)
     select n, 'shop' || n, 'Shop', 'retail', '2025-01-01' from generate_series(1, 2) n`,
  );
  await pool.query(
    `insert into payments (bucket, vendor_id, payment_id, created_at, settled_at, outcome, failure_code,
       amount_cents, fee_cents, duplicate_key, biller_code, account)
     select bucket_of(n % 2 + 1), n % 2 + 1, gen_random_uuid(), at,
       case when n % 9 > 0 then at + interval '2 seconds' end,
       case when n % 9 = 0 then null when n % 5 = 0 then 'failed' else 'success' end,
       case when n % 9 > 0 and n % 5 = 0 then 'declined' end, 100, 0, n, 'water', 'account'
     from generate_series(0, 299) n, lateral (select $1::timestamptz - n * interval '10 minutes' as at) t`,
    [NOW],
  );
});
afterAll(async () => {
  await pool.end();
});

interface Counted {
  readonly created: number;
  readonly paid: number;
  readonly failed: number;
}

async function counted(since: Date, vendorId?: number): Promise<Counted> {
  const { rows } = await pool.query<Counted>(
    `select count(*)::integer as created, count(*) filter (where outcome = 'success')::integer as paid,
       count(*) filter (where outcome = 'failed')::integer as failed
     from payments where created_at >= $1 and vendor_id = coalesce($2, vendor_id)`,
    [since, vendorId],
  );
  return rows[0] ?? { created: 0, paid: 0, failed: 0 };
}

test.each([undefined, 1, 2])(
  'the overview counts today and the last hour of vendor %s',
  async (vendorId) => {
    const reader = createOverviewReader({ pool, wireTime, vendorId });
    const overview = await reader.read(NOW);
    expect(overview.todaySince).toEqual(new Date('2026-02-28T21:00:00Z'));
    expect(overview.today).toMatchObject(await counted(overview.todaySince, vendorId));
    expect(overview.lastHourSince).toEqual(new Date('2026-03-01T11:07:00Z'));
    expect(overview.lastHour).toMatchObject(await counted(overview.lastHourSince, vendorId));
    expect(overview.lastHour.p95Seconds).toBeGreaterThanOrEqual(2);
    expect(overview.lastHour.p95Seconds).toBeLessThan(2.3);
    expect(overview.minutes).toHaveLength(61);
    expect(overview.minutes.reduce((sum, { paid }) => sum + paid, 0)).toBe(overview.lastHour.paid);
    expect(overview.house === undefined).toBe(vendorId !== undefined);
  },
);

test('figures kept between readings are counted again in the end', async () => {
  const recent = new RecentActivity(pool, undefined, () => 0);
  const paid = async (): Promise<number> => sumActivity(await recent.read(NOW)).paid;
  const before = await paid();
  const settled = await pool.query(
    `update payments set outcome = 'success', settled_at = $1
     where outcome is null and created_at > $1::timestamptz - interval '20 hours'`,
    [NOW],
  );
  // Each reading counts one quarter-hour of the 25 hours again.
  let after = before;
  for (let reading = 0; reading <= 150; reading += 1) after = await paid();
  expect(after).toBe(before + (settled.rowCount ?? 0));
});

test('later readings include new payments, and drop old ones', async () => {
  const recent = new RecentActivity(pool, undefined, () => 0);
  await recent.read(new Date(NOW.getTime() - 20 * 3_600_000));
  const later = sumActivity(await recent.read(NOW));
  expect(later.created).toBe((await counted(new Date('2026-02-28T11:00:00Z'))).created);
});

/** Counts the payments that are read through it. */
function counting(db: Queryable): { readonly db: Queryable; readonly take: () => number } {
  let read = 0;
  const query: Queryable['query'] = async (...asked) => {
    const answer = await db.query<never>(...asked);
    for (const { count } of answer.rows as readonly { count?: number }[]) read += count ?? 0;
    return answer;
  };
  return {
    db: { query },
    take: () => {
      const taken = read;
      read = 0;
      return taken;
    },
  };
}

test.each([2_000, 20_000])(
  'the cost of a reading does not grow with %i recent payments',
  async (count) => {
    const database = createPool({
      url: (await createTestDatabase()).ownerUrl,
      max: 1,
      name: 'test',
    });
    const insert = async (until: Date, payments: number): Promise<void> => {
      await database.query(
        `insert into payments (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents,
           duplicate_key, biller_code, account)
         select bucket_of(1), 1, gen_random_uuid(),
           $1::timestamptz - n * interval '30 milliseconds', 100, 0, n, 'water', 'account'
         from generate_series(1, $2::integer) n`,
        [until, payments],
      );
    };
    try {
      await insert(NOW, count);
      const { db, take } = counting(database);
      let nowMs = 0;
      const recent = new RecentActivity(db, undefined, () => (nowMs += 1));
      // The second one counts payments again, and the pause begins.
      for (const ms of [0, 1_000]) await recent.read(new Date(NOW.getTime() + ms));
      expect(take()).toBeGreaterThanOrEqual(count);
      const later = new Date(NOW.getTime() + 4_000);
      await insert(later, 7);
      const rows = await recent.read(later);
      expect(take()).toBe(7);
      expect(sumActivity(rows).created).toBe(count + 7);
    } finally {
      await database.end();
    }
  },
);
