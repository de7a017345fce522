import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { verifyChains } from '../../src/credit/enquiries/read-chains.ts';
import { startEnquiryRetention } from '../../src/credit/enquiries/retention.ts';
import { erasePayloads } from '../../src/credit/enquiries/retention.ts';
import { keepEnquiries } from '../../src/credit/enquiries/store.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { newEnquiry } from '../support/credit-enquiries.ts';
import { newVault } from '../support/credit-files.ts';
import { startInProcess } from '../support/in-process-service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-21T08:00:00Z');
const vault = newVault();
let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.asOwner('update enquiry_retention set least_days = 2');
  pool = createPool({ url: database.url, max: 3, name: 'test' });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function keepAged(vendorId: number, enquiries: number, days: number, now: Date) {
  const enquiredAt = new Date(now.getTime() - days * DAY_MS);
  const made = Array.from({ length: enquiries }, () => newEnquiry(vault, { vendorId, enquiredAt }));
  const client = await pool.connect();
  await keepEnquiries(client, made);
  client.release();
}

async function kept(vendorId: number): Promise<number> {
  const read = await pool.query(
    'select from enquiries where vendor_id = $1 and sealed_payload is not null',
    [vendorId],
  );
  return read.rowCount ?? 0;
}

describe('retention of enquiries', () => {
  test('erases more than one batch of enquiries past it, and the chain stays valid', async () => {
    await keepAged(11, 1_200, 31, NOW);
    await keepAged(11, 3, 29, NOW);
    await keepAged(12, 2, 400, NOW);
    const job = startEnquiryRetention({
      pool,
      clock: { now: () => NOW },
      retentionDays: 30,
      everyMs: DAY_MS,
      log: pino({ level: 'silent' }),
    });
    await until(
      'old payloads are gone',
      async () => (await kept(11)) === 3 && (await kept(12)) === 0,
    );
    await job.stop();
    expect(await verifyChains(pool, vault)).toMatchObject({ violations: [], erased: 1_202 });
  });

  test('ends between two batches when the service stops', async () => {
    await keepAged(13, 5, 31, NOW);
    expect(await erasePayloads(pool, NOW, AbortSignal.abort())).toBe(0);
    expect(await kept(13)).toBe(5);
  });

  // The role of a cluster to test on is the owner.
  test.skipIf(CITUS_URL !== undefined)(
    'leaves enquiries younger than the database’s own retention, except for the owner',
    async () => {
      await keepAged(15, 5, 1, new Date());
      const tomorrow = new Date(Date.now() + DAY_MS);
      await erasePayloads(pool, tomorrow);
      expect(await kept(15)).toBe(5);
      const owner = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
      await erasePayloads(owner, tomorrow);
      await owner.end();
      expect(await kept(15)).toBe(0);
    },
  );

  test('the service runs the retention as a job, and keeps enquiries as long as configured', async () => {
    const now = new Date();
    await keepAged(14, 2, 3, now);
    await keepAged(14, 1, 1, now);
    for (const [days, left] of [
      ['0', 3],
      ['2', 1],
    ] as const) {
      const service = await startInProcess(database.url, {
        environment: { ROLES: 'api,jobs', CREDIT_ENQUIRY_RETENTION_DAYS: days },
      });
      if (days === '0') {
        // Enough queries for a job to finish if it ran.
        for (let asked = 0; asked < 100; asked += 1) expect(await kept(14)).toBe(left);
      } else await until('old payloads are gone', async () => (await kept(14)) === left);
      await service.stop();
      expect(await kept(14)).toBe(left);
    }
  });
});
