import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { addTestParties, fundedVendor, operatorsProgram, serviceProgram } from './fleet.ts';
import type { OperatorsProgram, Program } from './fleet.ts';
import { passOnEverything, startGateway } from './gameday/gateway.ts';
import type { Gateway, OperatorCall } from './gameday/gateway.ts';

// A dispatcher is stopped (SIGSTOP) while the operator has an instruction, for longer than every time
// limit of the call, and continues. A single call without an answer would open the circuit breaker.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let operators: OperatorsProgram;
let gateway: Gateway;
let service: Program;
let vendor: VendorClient;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  gateway = await startGateway(operators.origin);
  const parties = await addTestParties(pool, { operatorOrigin: gateway.origin, vendorCount: 1 });
  const api = await program('api', {});
  service = await program('dispatcher', { BREAKER_FAILURES: '1' });
  vendor = await fundedVendor(api, parties, '10000.00');
});

afterAll(async () => {
  for (const each of [...programs, operators]) {
    each.signal('SIGKILL');
    await each.untilEnded();
  }
  gateway.close();
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

const programs: Program[] = [];

async function program(roles: string, env: Readonly<Record<string, string>>): Promise<Program> {
  const made = await serviceProgram({
    ...{ name: roles, roles, folder },
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0', ...env },
  });
  programs.push(made);
  await made.start();
  await until('it is ready', () => made.ready, 60_000);
  return made;
}

/** Stops the dispatcher when the operator has an instruction, until its lease is over. */
async function paidWhileStopped(account: string, respond: (answer: string) => string) {
  const calls: OperatorCall[] = [];
  gateway.answer = async (call, passOn) => {
    calls.push(call);
    if (call.path !== '/payments') return await passOn();
    service.signal('SIGSTOP');
    return respond(await passOn());
  };
  const reference = await vendor.accepted({ account, biller_name: 'tokens' });
  await until(
    'the lease of the stopped process is over',
    async () => {
      const over = await pool.query(
        `select from dispatch_queue where stage = 'verify' and due_at < now()`,
      );
      return over.rowCount === 1;
    },
    60_000,
  );
  service.signal('SIGCONT');
  await until('it is settled', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
  return calls.filter((call) => call.content.reference === reference);
}

const sendsOf = (calls: readonly OperatorCall[]): readonly OperatorCall[] =>
  calls.filter((call) => call.path === '/payments');

/** @param account for one more payment. */
async function expectNoHarm(account: string): Promise<void> {
  expect((await pool.query('select reason from route_breakers')).rows).toEqual([]);
  expect((await pool.query('select note from unexecuted_attempts')).rows).toEqual([]);
  gateway.answer = passOnEverything;
  const next = await vendor.accepted({ account, biller_name: 'tokens' });
  await until('the next one is paid', async () => {
    return (await vendor.payment(next)).transaction_status === 'SUCCESS';
  });
  const truth = (await operators.truth()).map(({ reference }) => reference);
  expect(new Set(truth).size).toBe(truth.length);
  expect(await operators.repeated()).toEqual([]);
  expect((await checkLedger(pool)).violations).toEqual([]);
}

test('an answer that arrived meanwhile is read, and the operator is not taken for silent', async () => {
  const calls = await paidWhileStopped('254700001001', (answer) => answer);
  expect(sendsOf(calls)).toHaveLength(1);
  const settled = await pool.query('select settled_by from payments');
  expect(settled.rows).toEqual([{ settled_by: 'answer' }]);
  await expectNoHarm('254700001101');
}, 120_000);

test('a connection that broke meanwhile: the operator is asked, and stays usable', async () => {
  const calls = await paidWhileStopped('254700002001', () => {
    throw new Error('the connection breaks');
  });
  expect(sendsOf(calls)).toHaveLength(1);
  expect(calls.map((call) => call.path)).toContain('/payments/status');
  await expectNoHarm('254700002201');
}, 120_000);

test('a short pause does not excuse an operator that does not answer: the circuit breaker opens', async () => {
  const before = await vendor.balance();
  let resume: NodeJS.Timeout | undefined;
  gateway.answer = async (call, passOn) => {
    if (call.path !== '/payments') return await passOn();
    if (resume === undefined) {
      service.signal('SIGSTOP');
      resume = setTimeout(() => service.signal('SIGCONT'), 450);
    }
    return await new Promise<never>(() => {});
  };
  const reference = await vendor.accepted({ account: '254700003001', biller_name: 'tokens' });
  await until('the circuit breaker opens', async () => {
    return (await pool.query('select from route_breakers')).rowCount === 1;
  });
  gateway.answer = passOnEverything;
  await until('it is paid after all', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
  const truth = (await operators.truth()).filter((entry) => entry.reference === reference);
  expect(truth).toHaveLength(1);
  expect(await vendor.balance()).toBe(before - 60);
  expect((await checkLedger(pool)).violations).toEqual([]);
}, 120_000);
