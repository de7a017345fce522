import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase } from '../../src/platform/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { findFreePort } from '../support/service-process.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { fundedVendor, serviceProgram, addTestParties } from './fleet.ts';
import type { Program } from './fleet.ts';
import { mountSmallVolume } from './small-volume.ts';
import type { SmallVolume } from './small-volume.ts';

// A separate database server that crashes, or runs out of space, under a running service.

/** Room for the database and a little more. */
const VOLUME_MB = 160;

let folder: string;
let volume: SmallVolume;
let port: number;
let database: EmbeddedDatabase;
let hasEnded = false;
let pool: Pool;
let service: Program;
let vendor: VendorClient;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  volume = await mountSmallVolume(path.join(folder, 'volume'), VOLUME_MB);
  port = await findFreePort();
  await startDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  await migrate(pool, SCHEMA);
  const parties = await addTestParties(pool, {
    operatorOrigin: 'http://127.0.0.1:9',
    vendorCount: 1,
  });
  service = await serviceProgram({
    name: 'api',
    roles: 'api',
    folder,
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0' },
  });
  await service.start();
  await until('it is ready', () => service.ready, 60_000);
  vendor = await fundedVendor(service, parties, '1000000.00');
});

afterAll(async () => {
  service.signal('SIGKILL');
  await service.untilEnded();
  await pool.end();
  await database.stop();
  await volume.unmount();
  await removeFolder(folder);
});

async function startDatabase(): Promise<void> {
  database = await startEmbedded({
    folder: path.join(volume.folder, 'postgres'),
    log: () => undefined,
    choosePort: async () => port,
    settings: { max_wal_size: '32MB', min_wal_size: '32MB', shared_buffers: '32MB' },
  });
  hasEnded = false;
  database.onUnexpectedExit(() => {
    hasEnded = true;
  });
}

async function create(reference: string): Promise<number> {
  const params = { account: '0123', biller_name: 'tokens', merchant_reference: reference };
  const answer = await vendor.create(params);
  // Accepted, or refused temporarily; never an answer that a vendor could understand as a final refusal.
  expect([200, 503], answer.text).toContain(answer.status);
  if (answer.status === 503) expect(answer.headers['retry-after']).toBeDefined();
  return answer.status;
}

async function isReady(): Promise<boolean> {
  return (await send(service.origin, { method: 'GET', path: '/health/ready' })).status === 200;
}

/** Every accepted payment exists once, and the ledger is consistent. */
async function expectInBooks(accepted: readonly string[]): Promise<void> {
  const read = await pool.query<{ merchant_reference: string }>(
    'select merchant_reference from payments where merchant_reference = any($1)',
    [accepted],
  );
  expect(read.rows.map((row) => row.merchant_reference).toSorted()).toEqual(accepted.toSorted());
  expect((await checkLedger(pool)).violations).toEqual([]);
}

test('a database server stopped abruptly during creates: in the end all are accepted, once', async () => {
  const accepted: string[] = [];
  const insist = async (worker: number): Promise<void> => {
    for (let index = 0; index < 20; index += 1) {
      const reference = `stopped-${worker}-${index}`;
      await until(
        `${reference} is accepted`,
        async () => (await create(reference)) === 200,
        60_000,
      );
      accepted.push(reference);
    }
  };
  const workers = Array.from({ length: 8 }, async (_, worker) => await insist(worker));
  await until('some are accepted', () => accepted.length > 20);
  // What `pg_ctl stop -m immediate` sends.
  process.kill(database.pid, 'SIGQUIT');
  await until('it is gone', () => hasEnded);
  expect(await isReady()).toBe(false);
  await startDatabase();
  await Promise.all(workers);
  expect(accepted).toHaveLength(160);
  await expectInBooks(accepted);
}, 120_000);

test('a full disk: nothing is acknowledged that is not stored, and work continues when there is space', async (context) => {
  if (!volume.isSmall) context.skip('a volume of its own needs the right to mount');
  const accepted: string[] = [];
  await volume.fill();
  // Before PostgreSQL has to write its log, which would end it.
  await until('readiness names the disk', async () => {
    const ready = await send(service.origin, { method: 'GET', path: '/health/ready' });
    return ready.status === 503 && ready.text.includes('the database has no disk space left');
  });
  let count = 0;
  await until(
    'creates are refused',
    async () => {
      const batch = Array.from({ length: 200 }, () => `full-${(count += 1)}`);
      const statuses = await Promise.all(batch.map(create));
      accepted.push(...batch.filter((_, index) => statuses[index] === 200));
      return statuses.includes(503);
    },
    60_000,
  );
  await volume.empty();
  // Without room for its log the server ends, and its supervisor starts it again.
  await until('the server works', async () => {
    if (hasEnded) await startDatabase();
    return (await pool.query('select 1')).rowCount === 1;
  });
  await until(
    'creates are accepted again',
    async () => (await create('after-full')) === 200,
    60_000,
  );
  await expectInBooks([...accepted, 'after-full']);
}, 120_000);
