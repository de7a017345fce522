import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setOperator } from '../../src/payments/billers/administer.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { fundedVendor, operatorsProgram, serviceProgram, addTestParties } from './fleet.ts';
import type { OperatorsProgram, Program } from './fleet.ts';

// How the program ends on a signal, and after an unexpected error.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let operators: OperatorsProgram;
let service: Program;
let vendor: VendorClient;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  const parties = await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 1 });
  // Long enough for a slow operator.
  const settings = { pay_timeout_ms: 4000, status_timeout_ms: 1000, acceptance_window_ms: 500 };
  await setOperator(pool, 'kplc', { settings }, async () => undefined);
  service = await serviceProgram({
    name: 'all roles',
    roles: 'api,dispatcher,jobs',
    folder,
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0', LOG_LEVEL: 'info' },
  });
  await start();
  vendor = await fundedVendor(service, parties, '10000.00');
});

afterAll(async () => {
  const { violations } = await checkLedger(pool);
  for (const program of [service, operators]) {
    program.signal('SIGKILL');
    await program.untilEnded();
  }
  await pool.end();
  await database.drop();
  await removeFolder(folder);
  expect(violations).toEqual([]);
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await service.start(env);
  await until('it is ready', () => service.ready, 60_000);
}

/** A payment whose instruction the operator has received but not answered. */
async function payment(account: string): Promise<string> {
  const reference = await vendor.accepted({ account, biller_name: 'tokens' });
  await until('the operator has it', async () => (await operators.journal()).includes(reference));
  return reference;
}

/** How the instructions to this account ended, as recorded for each. */
async function attempts(account: string): Promise<readonly (string | null)[]> {
  const read = await pool.query<{ outcome: string | null }>(
    `select a.outcome from attempts a join payments using (vendor_id, payment_id)
     where account = $1 order by a.attempt_number`,
    [account],
  );
  return read.rows.map((row) => row.outcome);
}

test('SIGTERM during a call to an operator: the service waits for the answer and records it', async () => {
  const reference = await payment('254700009907');
  service.signal('SIGTERM');
  const { ending, lastOutput } = await service.untilEnded();
  expect(ending).toEqual({ code: 0, signal: null });
  const lines = lastOutput.trim().split('\n');
  expect(JSON.parse(lines.find((line) => line.includes('"stopping"')) ?? '{}')).toMatchObject({
    level: 'info',
    signal: 'SIGTERM',
    waitingFor: { operatorCalls: 1, waitingCreates: 0 },
  });
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ level: 'info', msg: 'stopped' });
  const read = await pool.query('select outcome from payments where account = $1', [
    '254700009907',
  ]);
  expect(read.rows).toEqual([{ outcome: 'success' }]);
  await start();
  expect((await vendor.payment(reference)).transaction_status).toBe('SUCCESS');
  expect(await attempts('254700009907')).toHaveLength(1);
});

test('SIGTERM with an operator that hangs past the grace period: the service ends, and verifies the payment after the restart', async () => {
  service.signal('SIGTERM');
  await service.untilEnded();
  await start({ SHUTDOWN_GRACE_MS: '100' });
  const reference = await payment('254700009903');
  service.signal('SIGTERM');
  const { ending, lastOutput } = await service.untilEnded();
  expect(ending, lastOutput).toEqual({ code: 0, signal: null });
  expect(await attempts('254700009903')).toEqual([null]);
  await start();
  await until('it is found out about', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
  expect(await attempts('254700009903')).toHaveLength(1);
  const paid = (await operators.truth()).filter((entry) => entry.reference === reference);
  expect(paid).toHaveLength(1);
});

let cases = 0;
/** Code that runs in the program before its own code and throws outside of all handlers. */
const BROKEN = {
  'a rejection that nobody handles': `Promise.reject(new Error('nobody expects this'))`,
  'an exception that nobody catches': `throw new Error('nobody expects this')`,
};

test.each(Object.entries(BROKEN))(
  '%s ends the process with a log line; after the restart nothing accepted is lost',
  async (_, code) => {
    service.signal('SIGTERM');
    await service.untilEnded();
    // At the first request for this path.
    const breaking = `import http from 'node:http';
      const emit = http.Server.prototype.emit;
      http.Server.prototype.emit = function (name, request) {
        if (name === 'request' && request.url === '/break') setImmediate(() => { ${code} });
        return emit.apply(this, arguments);
      };`;
    await start({
      NODE_OPTIONS: `--conditions=crash-points --import data:text/javascript,${encodeURIComponent(breaking)}`,
    });
    cases += 1;
    const reference = await payment(`25471${cases}009905`);
    await send(service.origin, { method: 'GET', path: '/break' }).catch(() => undefined);
    const { ending, lastOutput } = await service.untilEnded();
    expect(ending).toEqual({ code: 1, signal: null });
    const line = lastOutput.split('\n').find((text) => text.includes('nobody expects this'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 'fatal',
      msg: 'uncaught exception',
    });
    await start();
    await until('it is paid', async () => {
      return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
    });
  },
);
