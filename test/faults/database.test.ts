import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { holdFloats } from '../support/held-floats.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send, signed } from '../support/vendor-client.ts';
import type { Answer, VendorClient } from '../support/vendor-client.ts';
import { collect, firstVendor, serviceProgram, addTestParties } from './fleet.ts';
import type { Program, TestParties } from './fleet.ts';

// Answers to vendors while the database fails. They never call a request failed that may have been
// committed, and never call one accepted that may be lost.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let proxy: TcpProxy;
let parties: TestParties;
let service: Program;
let vendor: VendorClient;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  proxy = await startTcpProxy(database.url);
  parties = await addTestParties(pool, { operatorOrigin: 'http://127.0.0.1:9', vendorCount: 1 });
  // A vendor waits for a lock no longer than this; the service's own limit is ten seconds.
  const url = new URL(proxy.url);
  url.searchParams.set('lock_timeout', '300');
  service = await serviceProgram({
    name: 'api',
    roles: 'api',
    folder,
    env: {
      DATABASE_URL: url.href,
      DATABASE_POOL_SIZE: '3',
      FUND_WINDOW_SECONDS: '0',
      CREDIT_INDEX_KEY: Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString(
        'base64',
      ),
    },
  });
  await service.start();
  await until('it is ready', isReady, 60_000);
  vendor = firstVendor(service, parties);
});

afterEach(async () => {
  proxy.comeBack();
  proxy.slowDown(0);
  await until('it is ready again', isReady, 60_000);
});

afterAll(async () => {
  const { violations } = await checkLedger(pool);
  service.signal('SIGTERM');
  const { ending } = await service.untilEnded();
  await pool.end();
  await proxy.close();
  await database.drop();
  await removeFolder(folder);
  expect(violations).toEqual([]);
  expect(ending).toEqual({ code: 0, signal: null });
});

async function isReady(): Promise<boolean> {
  return (await send(service.origin, { method: 'GET', path: '/health/ready' })).status === 200;
}

async function collectIncome(reference: string): Promise<Answer> {
  return await collect(service, parties, { vid: vendor.vid, reference, amount: '500.00' });
}

async function fund(second: number): Promise<Answer> {
  return await vendor.call('fund', { currency: 'KES', time: String(1_700_000_000 + second) });
}

async function earn(name: string, second: number): Promise<void> {
  expect((await collectIncome(name)).status).toBe(200);
  expect((await fund(second)).status).toBe(200);
}

function codeOf(answer: Answer): string {
  return answer.body.error?.[0]?.code ?? 'answered';
}

/** A refusal with `Retry-After`. */
function expectLater(answer: Answer, code: string): void {
  expect(codeOf(answer), answer.text).toBe(code);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

async function countMovements(): Promise<number> {
  const counted = await pool.query<{ count: number }>(
    `select (select count(*) from collections)::integer
       + (select count(*) from fund_movements)::integer as count`,
  );
  return counted.rows[0]?.count ?? 0;
}

test('a movement whose commit is not acknowledged is unknown, and its repeat returns it', async () => {
  let lost = proxy.loseAnswerTo('commit', 'cut');
  const unknownCollect = collectIncome('unanswered');
  await lost;
  expectLater(await unknownCollect, 'outcome_unknown');
  lost = proxy.loseAnswerTo('commit', 'cut');
  const unknownFund = fund(1);
  await lost;
  expectLater(await unknownFund, 'outcome_unknown');
  const before = await countMovements();
  expect((await collectIncome('unanswered')).status).toBe(200);
  const funded = await fund(1);
  expect(funded.body.msg['amount']).toBe(500);
  expect(await countMovements()).toBe(before);
});

test('a movement whose commit never arrived is made once, by the repeat', async () => {
  const before = await countMovements();
  const lost = proxy.loseRequest('commit');
  const unknown = collectIncome('never arrived');
  await lost;
  expectLater(await unknown, 'outcome_unknown');
  expect(await countMovements()).toBe(before);
  expect((await collectIncome('never arrived')).status).toBe(200);
  expect((await collectIncome('never arrived')).status).toBe(200);
  expect(await countMovements()).toBe(before + 1);
});

test('a file whose commit is not acknowledged is unknown, and its repeat returns the batch', async () => {
  const file = 'biller_name,account,amount\ntokens,0140,1.00\n';
  const params = {
    vid: vendor.vid,
    batch_reference: 'unacknowledged',
    sha256: createHash('sha256').update(file).digest('hex'),
  };
  const query = new URLSearchParams(signed(params, vendor.key) as Record<string, string>);
  const upload = async (): Promise<Answer> =>
    await send(service.origin, {
      method: 'POST',
      path: `/transaction/bulk?${query.toString()}`,
      headers: { 'content-type': 'text/csv' },
      body: file,
    });
  const lost = proxy.loseAnswerTo('commit', 'cut');
  const unknown = upload();
  await lost;
  expectLater(await unknown, 'outcome_unknown');
  expect((await upload()).body.msg['batch_reference']).toBe('unacknowledged');
  await until('its row is decided', async () => {
    const { rows } = await pool.query<{ decided: boolean }>(
      `select ended_at is not null as decided from batches`,
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.decided;
  });
});

test('a change by program is unknown if its commit or its last audit entry is not acknowledged', async () => {
  const program = new SelfServiceClient(service.origin, vendor);
  const body = { url: 'https://shop.example/events' };
  // Opens the connections, whose settings would spring the trap.
  await program.ask('getBalance');
  for (const text of ['commit', 'insert into audit_results']) {
    const lost = proxy.loseAnswerTo(text, 'cut');
    const unknown = program.refused('setWebhook', { body });
    await lost;
    expect(await unknown, text).toMatchObject({ status: 503, code: 'outcome_unknown' });
  }
  expect(await program.ask('setWebhook', { body })).toMatchObject({ ...body, secret: null });
});

test('without a database every operation that needs it says so, and continues when it is back', async () => {
  await earn('before the outage', 10);
  const reference = await vendor.accepted({ account: '0123', biller_name: 'tokens' });
  const before = await countMovements();
  proxy.goDown();
  await until('it notices', async () => !(await isReady()));
  const answers = await Promise.all([
    collectIncome('in the outage'),
    fund(11),
    vendor.call('balance'),
    vendor.call('status', { reference }),
    vendor.call('idDecision', {
      requestReference: 'inTheOutage',
      reportReason: '1',
      nationalID: '999999999',
    }),
  ]);
  for (const answer of answers) expectLater(answer, 'unavailable');
  proxy.comeBack();
  await until('it is ready again', isReady);
  expect(await countMovements()).toBe(before);
  expect((await vendor.payment(reference)).transaction_status).toBe('QUEUED');
  expect((await collectIncome('in the outage')).status).toBe(200);
});

test('a create waits for a database that comes back in time', async () => {
  await earn('for patience', 20);
  proxy.goDown();
  await until('it notices', async () => !(await isReady()));
  const answer = vendor.create({ account: '0124', biller_name: 'tokens' });
  proxy.comeBack();
  expect((await answer).status).toBe(200);
});

test('slow lines to the database cost time and nothing else', async () => {
  await earn('before it is slow', 25);
  proxy.slowDown(10);
  const before = await countMovements();
  // One after the other: both lock the float, for longer than the lock timeout on a slow machine.
  const collected = await collectIncome('slowly');
  const created = await Promise.all(
    Array.from({ length: 5 }, async (_, index) =>
      vendor.create({ account: `013${index}`, biller_name: 'tokens' }),
    ),
  );
  const answers = [collected, ...created];
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  expect(await countMovements()).toBe(before + 1);
});

test('when the database ends all connections at once, each costs at most one refusal', async () => {
  await earn('before the end', 30);
  await pool.query(
    `select pg_terminate_backend(pid, 20000) from pg_stat_activity
     where datname = current_database() and application_name like 'malipo %'
       and application_name <> 'malipo test'`,
  );
  await until('it answers again', async () => (await vendor.call('balance')).status === 200);
  expect((await vendor.create({ account: '0125', biller_name: 'tokens' })).status).toBe(200);
});

test('a read-only database: not ready, nothing is accepted, and work continues when it is writable', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const before = await countMovements();
  await database.asOwner(`alter database ${name} set default_transaction_read_only = on`);
  await pool.query(
    `select pg_terminate_backend(pid, 20000) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  try {
    await until('it is not ready', async () => {
      const ready = await send(service.origin, { method: 'GET', path: '/health/ready' });
      return ready.text.includes('a writable database');
    });
    expectLater(await collectIncome('read-only'), 'unavailable');
    expectLater(await vendor.create({ account: '0126', biller_name: 'tokens' }), 'unavailable');
    expect((await vendor.call('balance')).status).toBe(200);
  } finally {
    await database.asOwner(
      `begin read write; alter database ${name} reset default_transaction_read_only; commit`,
    );
  }
  // No connection opened in the meantime stays read-only.
  await until('income is taken', async () => (await collectIncome('read-only')).status === 200);
  expect(await countMovements()).toBe(before + 1);
  expect((await vendor.create({ account: '0126', biller_name: 'tokens' })).status).toBe(200);
});

test('another session holds the vendor’s float: refused when the lock timeout expires', async () => {
  await earn('before the lock', 40);
  const releaseFloats = await holdFloats(pool);
  expectLater(await collectIncome('held'), 'unavailable');
  expectLater(await vendor.create({ account: '0127', biller_name: 'tokens' }), 'unavailable');
  await releaseFloats();
  expect((await collectIncome('held')).status).toBe(200);
  expect((await vendor.create({ account: '0127', biller_name: 'tokens' })).status).toBe(200);
});

test('every connection waits for a lock: further requests are refused, and nothing is half done', async () => {
  await earn('before the queue', 50);
  const before = await countMovements();
  const releaseFloats = await holdFloats(pool);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => await collectIncome(`queued ${index}`)),
  );
  await releaseFloats();
  for (const answer of answers) expectLater(answer, 'unavailable');
  expect(await countMovements()).toBe(before);
  expect((await collectIncome('queued 0')).status).toBe(200);
}, 60_000);
