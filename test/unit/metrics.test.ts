import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { LaneTallies } from '../../src/platform/lane-tallies.ts';
import { IDLE_PAYMENTS } from '../support/metrics.ts';

// The database is away; metrics that are read from it have no value.
const nowhere = createPool({ url: 'postgresql://127.0.0.1:9/none', max: 1, name: 'nowhere' });
afterAll(async () => await nowhere.end());

async function waitingOf(pool: { waitingCount: number; idleCount: number }): Promise<unknown> {
  const named = { name: 'main', max: 8, pool: { totalCount: 8, ...pool } as unknown as Pool };
  const metrics = createMetrics({
    pool: nowhere,
    process: {
      roles: new Set(),
      // As readiness does it: it takes a connection.
      isReady: async () => {
        Object.assign(named.pool, { waitingCount: pool.waitingCount + 1 });
        return true;
      },
      pools: () => [named],
      lanes: new LaneTallies(),
      requestLog: { dropped: 0 },
      walArchive: undefined,
    },
    payments: IDLE_PAYMENTS,
    log: pino({ level: 'silent' }),
  });
  const text = await metrics.render();
  return /^malipo_pool_waiting\{pool="main"\} (.+)$/m.exec(text)?.[1];
}

test('a scrape is not a caller that waits for a connection', async () => {
  expect(await waitingOf({ waitingCount: 0, idleCount: 0 })).toBe('0');
});

test('a caller waits for a connection only if none is idle', async () => {
  expect(await waitingOf({ waitingCount: 3, idleCount: 0 })).toBe('3');
  expect(await waitingOf({ waitingCount: 3, idleCount: 7 })).toBe('0');
});
