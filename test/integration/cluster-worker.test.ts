import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createVendorDirectory } from '../../src/parties/directory.ts';
import type { VendorDirectory } from '../../src/parties/directory.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateLane } from '../../src/payments/create/create.ts';
import { listQueues } from '../../src/payments/dispatch/store.ts';
import { CITUS_URL } from '../support/citus.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { findFreePort, startService } from '../support/service-process.ts';
import { until } from '../support/until.ts';

// One of the workers is down.

const CONTROL = process.env['CITUS_CONTROL'] ?? '';
const masterKeys = { current: randomBytes(32), previous: undefined };

async function order(words: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', `${CONTROL} ${words}`]);
}

let books: Books;
let directory: VendorDirectory;
let vendorIds: readonly number[];

beforeEach(async () => {
  books = await openBooks();
  vendorIds = await books.addVendors(Array.from({ length: 8 }, () => 1_000_000n));
  directory = createVendorDirectory(books.pool, masterKeys);
  await directory.reload();
});
afterEach(async () => {
  await order('start');
  await vi.waitFor(async () => await books.pool.query('select from accounts limit 1'), 30_000);
  await books.close();
});

function openLane(): CreateLane {
  const { bucketOf } = directory;
  const pool = books.openPool({ max: 2 });
  return createCreateLane({
    pool,
    atOnce: { maxCalls: 2 },
    bucketOf,
    deadlineMs: 2_000,
    onAccepted: () => undefined,
  });
}

/** The answer to a create of each vendor, by vendor. */
async function createOfEach(lane: CreateLane): Promise<Map<number, string>> {
  const answers = await Promise.all(
    vendorIds.map(async (vendorId) => {
      try {
        return (await lane.add(newPayment({ vendorId }))).kind;
      } catch (error) {
        return error instanceof Refusal ? error.code : String(error);
      }
    }),
  );
  return new Map(vendorIds.map((vendorId, index) => [vendorId, answers[index] ?? '']));
}

test.skipIf(CITUS_URL === undefined || CONTROL === '')(
  'a service starts, serves the vendors of the others, and goes on with all when it is back',
  async () => {
    const lane = openLane();
    expect(new Set((await createOfEach(lane)).values())).toEqual(new Set(['accepted']));
    const all = await listQueues(books.pool);
    expect(all).toHaveLength(vendorIds.length);

    await order('kill-worker 1');
    const answers = await createOfEach(lane);
    const served = vendorIds.filter((vendorId) => answers.get(vendorId) === 'accepted');
    expect(served.length).toBeGreaterThan(0);
    expect(served.length).toBeLessThan(vendorIds.length);
    for (const vendorId of vendorIds) {
      if (!served.includes(vendorId)) {
        expect(['unavailable', 'outcome_unknown']).toContain(answers.get(vendorId));
      }
    }
    const reachable = (await listQueues(books.pool)).map(({ vendorId }) => vendorId);
    expect(new Set(reachable)).toEqual(new Set(served));

    const port = await findFreePort();
    const service = startService('serve', {
      DATABASE_URL: books.url,
      MASTER_KEY: masterKeys.current.toString('base64'),
      PORT: String(port),
    });
    const get = async (path: string): Promise<Response> =>
      await fetch(`http://127.0.0.1:${port}${path}`);
    try {
      await until('it serves', () => service.stdout.includes('"serving"'), 60_000);
      const ready = (await (await get('/health/ready')).json()) as { workers_away?: string[] };
      expect(ready).toMatchObject({ status: 'ready' });
      expect(ready.workers_away).toHaveLength(1);
      const metrics = await (await get('/metrics')).text();
      expect(metrics).toMatch(/malipo_worker_reachable\{worker="[^"]+"\} 0/);
      expect(metrics).toMatch(/malipo_worker_reachable\{worker="[^"]+"\} 1/);
      expect(metrics).toContain('malipo_quarantine 0');

      await order('start');
      await vi.waitFor(
        async () => {
          expect(await (await get('/health/ready')).json()).toEqual({ status: 'ready' });
          expect(new Set((await createOfEach(lane)).values())).toEqual(new Set(['accepted']));
        },
        { timeout: 30_000, interval: 200 },
      );
    } finally {
      service.signal('SIGTERM', 'process');
    }
    expect(await service.ended()).toMatchObject({ code: 0 });
  },
  120_000,
);
