import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { addTestParties, fundedVendor, serviceProgram } from './fleet.ts';
import type { Program } from './fleet.ts';
import { startStandbyPair } from './standby-pair.ts';
import type { StandbyPair } from './standby-pair.ts';

// The primary is lost under load, and its synchronous standby takes over.

let folder: string;
let pair: StandbyPair;
let pool: Pool;
let service: Program;
let vendor: VendorClient;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  pair = await startStandbyPair({
    primary: path.join(folder, 'one'),
    standby: path.join(folder, 'two'),
  });
  pool = createPool({ url: pair.url, max: 2, name: 'test', onError: () => undefined });
  const operatorOrigin = 'http://127.0.0.1:9';
  const parties = await addTestParties(pool, { operatorOrigin, vendorCount: 1 });
  const env = { DATABASE_URL: pair.url, FUND_WINDOW_SECONDS: '0' };
  service = await serviceProgram({ name: 'api', roles: 'api', folder, env });
  await service.start();
  await until('it is ready', () => service.ready, 60_000);
  vendor = await fundedVendor(service, parties, '1000000.00');
}, 180_000);

afterAll(async () => {
  service.signal('SIGKILL');
  await service.untilEnded();
  await pool.end();
  await pair.stop();
  await removeFolder(folder);
});

const WORKERS = 8;

test('a failover to the synchronous standby under load: every acknowledged create exists, exactly once', async () => {
  /** The `ipay_reference` of each answered create, by the vendor's reference. */
  const acknowledged = new Map<string, string>();
  const refused = new Set<string>();
  const over = new AbortController();
  const create = async (reference: string): Promise<boolean> => {
    const params = { account: '0123', biller_name: 'tokens', merchant_reference: reference };
    const answer = await vendor.create(params);
    if (answer.status === 200) {
      acknowledged.set(reference, String(answer.body.msg['ipay_reference']));
      return true;
    }
    expect(answer.status, answer.text).toBe(503);
    refused.add(reference);
    return false;
  };
  const work = async (worker: number): Promise<void> => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      await create(`r-${worker}-${index}`);
    }
  };
  const workers = Array.from({ length: WORKERS }, async (_, worker) => await work(worker));
  await until('creates are acknowledged', () => acknowledged.size > 100);

  await pair.killPrimary();
  const before = new Map(acknowledged);
  await until('it says why it is not ready', async () => {
    const ready = await send(service.origin, { method: 'GET', path: '/health/ready' });
    return ready.status === 503 && ready.text.includes('the database cannot be reached');
  });
  await pair.promote();
  await until('creates are acknowledged again', () => acknowledged.size > before.size + 100);
  over.abort();
  await Promise.all(workers);

  // Vendors repeat what was not acknowledged.
  for (const reference of refused) {
    await until(`${reference} is accepted`, async () => await create(reference));
  }
  // A repeat of what was acknowledged gets the same payment.
  for (const [reference, first] of before) {
    await create(reference);
    expect(acknowledged.get(reference)).toBe(first);
  }
  const stored = await until('the new primary is read', async () => {
    const text = 'select merchant_reference from payments';
    return (await pool.query<{ merchant_reference: string }>(text)).rows;
  });
  const references = stored.map((row) => row.merchant_reference);
  expect(references.toSorted()).toEqual([...acknowledged.keys()].toSorted());
  expect((await checkLedger(pool)).violations).toEqual([]);
}, 120_000);
