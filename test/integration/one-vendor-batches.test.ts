import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send, signed } from '../support/vendor-client.ts';
import { must } from './cli-support.ts';

// The whole service as a cluster would have it: every batch is a call for one vendor.

const FUNCTIONS = path.resolve(import.meta.dirname, '../../deploy/citus/functions.sql');
const ENVIRONMENT = { BATCHES: 'one_vendor', LANES: '1', ROLES: 'api,dispatcher,jobs' };

let database: TestDatabase;
let pool: Pool;
let folder: string;
let operators: SimulatedOperators;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  folder = await makeTemporaryFolder();
  operators = await startSimulatedOperators(folder);
});
afterAll(async () => {
  await operators.kill('SIGKILL');
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

async function start(): Promise<InProcessService> {
  return await startInProcess(database.url, {
    environment: ENVIRONMENT,
    operatorOrigin: operators.origin,
  });
}

test('does not start without the functions, and says what to run', async () => {
  await expect(start()).rejects.toMatchObject({
    plain: true,
    message: expect.stringContaining('deploy/citus/functions.sql') as string,
  });
});

test('pays what several vendors send at once, single and by file, and the books are right', async () => {
  await database.asOwner(await readFile(FUNCTIONS, 'utf8'));
  // Nothing may go through the calls for many vendors.
  await database.asOwner(
    `alter function create_payments rename to create_payments_of_many;
     alter function settle_payments rename to settle_payments_of_many`,
  );
  await must({ DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl }, 'migrate');
  const running = await start();
  try {
    const [one, two] = [running.demo('demo'), running.demo('demo2')];
    await Promise.all([one.fund(), two.fund()]);
    const before = (await one.balance()) + (await two.balance());
    const accepted = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = index % 2 === 0 ? one : two;
        const account = `07${String(index).padStart(4, '0')}9901`;
        return await client.accepted({ biller_name: 'kplc_prepaid', amount: '100', account });
      }),
    );
    await sendFile(running.origin, one);
    await until('all are settled', async () => {
      const ended = await pool.query(
        `select count(*) filter (where outcome = 'success')::integer as paid,
           count(*)::integer as all from payments`,
      );
      expect(ended.rows[0]).toMatchObject({ all: 23 });
      return (ended.rows[0] as { paid: number }).paid === 23;
    });
    const paid = new Set((await operators.truth()).map(({ reference }) => reference));
    expect(paid.size).toBe(23);
    expect(accepted.filter((reference) => !paid.has(reference))).toEqual([]);
    const fees = await pool.query<{ shillings: number }>(
      'select (sum(fee_cents) / 100)::float8 as shillings from payments',
    );
    const spent = 23 * 100 + (fees.rows[0]?.shillings ?? 0);
    expect((await one.balance()) + (await two.balance())).toBe(before - spent);
    const { violations } = await checkLedger(pool);
    // The calls for many vendors were dropped, so that none of them could be used.
    expect(violations.filter(({ invariant }) => invariant !== 'schema_intact')).toEqual([]);
  } finally {
    await running.stop();
  }
});

/** Sends a bulk file of three payments, and waits until they are decided. */
async function sendFile(
  origin: string,
  { vid, key }: { readonly vid: string; readonly key: string },
): Promise<void> {
  const file = ['biller_name,account,amount', ...['11', '12', '13'].map(row)].join('\n');
  const batch = { vid, batch_reference: 'payroll' };
  const sha256 = createHash('sha256').update(file).digest('hex');
  const taken = await send(origin, {
    method: 'POST',
    path: withQuery('/transaction/bulk', signed({ ...batch, sha256 }, key)),
    headers: { 'content-type': 'text/csv' },
    body: file,
  });
  expect(taken.status).toBe(200);
  await until('the file is decided', async () => {
    const asked = await send(origin, {
      method: 'GET',
      path: withQuery('/transaction/bulk/status', signed(batch, key)),
    });
    return asked.body.msg['batch_status'] === 'DONE';
  });
}

function row(digits: string): string {
  return `kplc_prepaid,08${digits}00009901,100`;
}

function withQuery(url: string, params: Readonly<Record<string, string | null>>): string {
  return `${url}?${new URLSearchParams(params as Record<string, string>).toString()}`;
}
