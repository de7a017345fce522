import * as net from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { startBalancer } from '../support/balancer.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { holdFloats } from '../support/held-floats.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import { countWaiting } from '../support/waiting.ts';
import { addTestParties, firstVendor, fundedVendor, serviceProgram } from './fleet.ts';
import type { Program, TestParties } from './fleet.ts';

// A stop that clients do not notice, and that no client can hold up.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let programs: [Program, Program];
let parties: TestParties;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  const operatorOrigin = 'http://127.0.0.1:9';
  parties = await addTestParties(pool, { operatorOrigin, vendorCount: 1 });
  const api = async (name: string): Promise<Program> =>
    await serviceProgram({
      name,
      roles: 'api',
      folder,
      env: {
        DATABASE_URL: database.url,
        FUND_WINDOW_SECONDS: '0',
        LOG_LEVEL: 'info',
        SHUTDOWN_DELAY_MS: '4000',
      },
    });
  programs = [await api('one'), await api('two')];
  for (const program of programs) await program.start();
  await until('both are ready', () => programs.every(({ ready }) => ready), 60_000);
});

afterAll(async () => {
  const { violations } = await checkLedger(pool);
  for (const program of programs) {
    program.signal('SIGKILL');
    await program.untilEnded();
  }
  await pool.end();
  await database.drop();
  await removeFolder(folder);
  expect(violations).toEqual([]);
});

test('two processes behind a load balancer are restarted one after the other under load, and no request fails', async () => {
  await fundedVendor(programs[0], parties, '1000000.00');
  const balancer = await startBalancer(programs.map(({ origin }) => origin));
  await until('the balancer uses both', () => balancer.ready.size === 2);
  const vendor = firstVendor(balancer, parties);
  const over = new AbortController();
  const answers: number[] = [];
  const work = async (worker: number): Promise<void> => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      const params = { account: '0123', biller_name: 'tokens' };
      const answer = await vendor.create({ ...params, merchant_reference: `r-${worker}-${index}` });
      answers.push(answer.status);
    }
  };
  const workers = Array.from({ length: 4 }, async (_, worker) => await work(worker));
  for (const program of programs) {
    const before = answers.length;
    await until('requests are answered', () => answers.length > before + 20);
    program.signal('SIGTERM');
    const { ending, lastOutput } = await program.untilEnded();
    expect(ending, lastOutput).toEqual({ code: 0, signal: null });
    await program.start();
    await until('the balancer uses it again', () => balancer.ready.has(program.origin), 60_000);
  }
  over.abort();
  await Promise.all(workers);
  await balancer.close();
  expect(new Set(answers)).toEqual(new Set([200]));
  const kept = await pool.query<{ count: number }>('select count(*)::integer from payments');
  expect(kept.rows[0]?.count).toBe(answers.length);
}, 120_000);

test('a stop is announced: not ready, then Connection: close, and idle connections hold nothing up', async () => {
  const [program] = programs;
  const { hostname, port } = new URL(program.origin);
  const idle = net.connect(Number(port), hostname);
  let text = '';
  idle.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(idle, 'connect');
  const ask = (path: string): void =>
    void idle.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  ask('/health/live');
  await until('it is answered', () => text.includes('"live"'));
  expect(text).not.toMatch(/^connection: close/im);

  program.signal('SIGTERM');
  await until('it is not ready', async () => {
    const ready = await send(program.origin, { method: 'GET', path: '/health/ready' });
    return ready.status === 503 && ready.text.includes('the process is stopping');
  });
  text = '';
  ask('/unknown');
  // In our own form, and the connection ends.
  await once(idle, 'end');
  expect(text).toMatch(/^HTTP\/1.1 404/);
  expect(text).toMatch(/^connection: close/im);
  expect(text).toContain('"code":"unknown_path"');

  const silent = net.connect(Number(port), hostname);
  await once(silent, 'connect');
  const { ending } = await program.untilEnded();
  expect(ending).toEqual({ code: 0, signal: null });
  silent.destroy();
  await program.start();
  await until('it is ready', () => program.ready, 60_000);
}, 90_000);

test('work that never ends is cut off when the grace period is over', async () => {
  const [, program] = programs;
  program.signal('SIGTERM');
  await program.untilEnded();
  await program.start({ SHUTDOWN_GRACE_MS: '500', SHUTDOWN_DELAY_MS: '0' });
  await until('it is ready', () => program.ready, 60_000);
  // Every create waits for this lock, longer than the grace period.
  const releaseFloats = await holdFloats(pool);
  const params = { account: '0123', biller_name: 'tokens', merchant_reference: 'held' };
  const waiting = firstVendor(program, parties)
    .create(params)
    .catch(() => undefined);
  await until('it waits', async () => (await countWaiting(pool)) === 1);
  program.signal('SIGTERM');
  const { ending, lastOutput } = await program.untilEnded();
  expect(ending).toEqual({ code: 0, signal: null });
  expect(lastOutput).toContain('the grace period is over');
  await releaseFloats();
  await waiting;
  await program.start();
  await until('it is ready', () => program.ready, 60_000);
}, 90_000);
