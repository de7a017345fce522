import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { findRunningEmbedded } from '../../src/platform/embedded/embedded.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import { addTestParties, fundedVendor, serviceProgram } from './fleet.ts';
import type { Program, TestParties } from './fleet.ts';
import { mountSmallVolume } from './small-volume.ts';
import type { SmallVolume } from './small-volume.ts';

// The smallest installation, one process with its embedded database, on a volume that is filled up.

/** Room for the database and some of its log. */
const VOLUME_MB = 200;

let folder: string;
let volume: SmallVolume;
let service: Program;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  volume = await mountSmallVolume(path.join(folder, 'volume'), VOLUME_MB);
  const env = { FUND_WINDOW_SECONDS: '0' };
  service = await serviceProgram({ name: 'service', roles: 'api', folder: volume.folder, env });
  await start();
}, 120_000);

afterAll(async () => {
  service.signal('SIGTERM');
  await service.untilEnded();
  await volume.unmount();
  await removeFolder(folder);
});

async function start(): Promise<void> {
  await service.start();
  await until('it is ready', () => service.ready || service.ended, 60_000);
}

async function readiness(): Promise<string> {
  return (await send(service.origin, { method: 'GET', path: '/health/ready' })).text;
}

async function withPool<Result>(
  work: (pool: ReturnType<typeof createPool>) => Promise<Result>,
): Promise<Result> {
  const url = await findRunningEmbedded(path.join(volume.folder, 'postgres'));
  if (url === undefined) throw new Error('the database does not run');
  const pool = createPool({ url, max: 1, name: 'test' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

test('the embedded database on a full disk: readiness says so, nothing acknowledged is lost, and freed space is enough', async (context) => {
  if (!volume.isSmall) context.skip('a volume of its own needs the right to mount');
  const operatorOrigin = 'http://127.0.0.1:9';
  const parties: TestParties = await withPool(
    async (pool) => await addTestParties(pool, { operatorOrigin, vendorCount: 1 }),
  );
  const vendor = await until('the vendor and the collector are known', async () => {
    return await fundedVendor(service, parties, '1000000.00');
  });
  const accepted: string[] = [];
  const create = async (reference: string): Promise<number> => {
    const params = { account: '0123', biller_name: 'tokens', merchant_reference: reference };
    const status = await vendor.create(params).then(
      (answer) => answer.status,
      // It has ended.
      () => 0,
    );
    if (status === 200) accepted.push(reference);
    return status;
  };
  // The biller may become known after the vendor.
  const isAccepted = async (reference: string): Promise<true> => {
    expect(await create(reference)).toBe(200);
    return true;
  };
  await until('creates are accepted', () => isAccepted('before'), 60_000);
  await volume.fill();
  await until('readiness names the disk', async () => {
    return (await readiness()).includes('the database has no disk space left');
  });
  let count = 0;
  await until(
    'creates are refused',
    async () => {
      const batch = Array.from({ length: 200 }, () => `full-${(count += 1)}`);
      const statuses = await Promise.all(batch.map(create));
      return statuses.some((status) => status !== 200);
    },
    60_000,
  );
  // Without room for its log PostgreSQL ends, and the service with it. A start says what is missing.
  const hasEnded = await until('it refuses or has ended', async () => {
    return service.ended ? 'ended' : (await create('still full')) === 503 && 'refuses';
  });
  if (hasEnded === 'ended') {
    await start();
    if (service.ended) expect((await service.untilEnded()).lastOutput).toMatch(/disk is full/i);
  }
  await volume.empty();
  if (service.ended) await start();
  await until('it is ready', async () => (await readiness()) === '{"status":"ready"}', 60_000);
  await until('creates are accepted', () => isAccepted('after'), 60_000);
  const { stored, violations } = await withPool(async (pool) => {
    const read = await pool.query<{ merchant_reference: string }>(
      'select merchant_reference from payments where merchant_reference = any($1)',
      [accepted],
    );
    const names = read.rows.map((row) => row.merchant_reference);
    return { stored: names, violations: (await checkLedger(pool)).violations };
  });
  expect(stored.toSorted()).toEqual([...new Set(accepted)].toSorted());
  expect(violations).toEqual([]);
}, 180_000);
