import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CRASH_POINTS } from '../../src/platform/base/crash-points.ts';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import { send, signed } from '../support/vendor-client.ts';
import type { Answer, VendorClient } from '../support/vendor-client.ts';
import {
  collect,
  firstVendor,
  operatorsProgram,
  SEALING,
  serviceProgram,
  addTestParties,
} from './fleet.ts';
import type { OperatorsProgram, Program, TestParties } from './fleet.ts';

// The whole program is killed at every named point, one after the other, over one database; the next
// start, which ends at the next point, has to recover what the one before left.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let operators: OperatorsProgram;
let parties: TestParties;
let service: Program;
let vendor: VendorClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  parties = await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 1 });
  service = await serviceProgram({
    name: 'all roles',
    roles: 'api,dispatcher,jobs',
    folder,
    env: {
      DATABASE_URL: database.url,
      FUND_WINDOW_SECONDS: '0',
      BREAKER_COOLDOWN_MS: '100',
      CREDIT_INDEX_KEY: createHash('sha256').update('index').digest('base64'),
    },
  });
  vendor = firstVendor(service, parties);
  receiver = await startWebhookReceiver();
  const row = await findVendor(pool, vendor.vid);
  if (row === undefined) throw new Error('the vendor was not added');
  const webhook = { url: receiver.url, allowsPrivate: true, sealing: async () => SEALING };
  await setWebhook(pool, row, webhook);
});

afterAll(async () => {
  for (const program of [service, operators]) {
    program.signal('SIGKILL');
    await program.untilEnded();
  }
  await receiver.close();
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

async function untilReady(): Promise<void> {
  await until('it is ready', () => service.ready, 60_000);
}

/** Starts the service so that it kills itself at the point. */
async function startArmed(point: CrashPoint, env: Record<string, string> = {}): Promise<void> {
  await service.start({ CRASH_AT: point, ...env });
  // Work that the previous run left may reach the point before the service accepts requests.
  await until('it is ready or has ended', () => service.ready || service.ended, 60_000);
}

async function expectKilled(): Promise<void> {
  const { ending, lastOutput } = await service.untilEnded();
  expect(ending, lastOutput).toEqual({ code: null, signal: 'SIGKILL' });
}

async function collectIncome(reference: string): Promise<Answer> {
  return await collect(service, parties, { vid: vendor.vid, reference, amount: '100000.00' });
}

async function fund(second: number): Promise<Answer> {
  return await vendor.call('fund', { currency: 'KES', time: String(1_700_000_000 + second) });
}

/** An order that a vendor repeats until it is answered. */
const orders = new Map<string, { readonly account: string; reference: string | undefined }>();

/** Sends an order to an account with this ending, whether or not it is answered. */
async function order(merchantReference: string, suffix: string): Promise<void> {
  const known = orders.get(merchantReference);
  const account = known?.account ?? `77${String(orders.size).padStart(6, '0')}${suffix}`;
  const params = { account, biller_name: 'tokens', merchant_reference: merchantReference };
  const answer = await vendor.create(params).catch(() => undefined);
  if (answer !== undefined) expect(answer.status, answer.text).toBe(200);
  const reference = answer && String(answer.body.msg['ipay_reference']);
  if (reference !== undefined) expect(reference).toBe(known?.reference ?? reference);
  orders.set(merchantReference, { account, reference: reference ?? known?.reference });
}

async function countOf(table: string, condition: string, value: unknown): Promise<number> {
  const counted = await pool.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where ${condition}`,
    [value],
  );
  return counted.rows[0]?.count ?? 0;
}

const countOrder = async (name: string): Promise<number> =>
  await countOf('payments', 'merchant_reference = $1', name);

interface Scene {
  /** For this run only. */
  readonly env?: Record<string, string>;
  /** The request that reaches the point. */
  readonly act: (point: CrashPoint) => Promise<unknown>;
  /** What must be in the database after the crash. */
  readonly left?: (point: CrashPoint) => Promise<void>;
  /** What the vendor does after the restart. */
  readonly after?: (point: CrashPoint) => Promise<void>;
}

const gone = async (request: Promise<unknown>): Promise<void> => {
  await expect(request).rejects.toThrow();
};

/**
 * A crash while a payment is on its way to its operator, or its result on the way back. The status
 * query of an earlier payment may reach the point first. Then the vendor has no answer yet and repeats
 * its request.
 */
const paying = (suffix: string): Scene => ({
  act: async (point) => await order(point, suffix),
  left: async (point) => {
    const answered = orders.get(point)?.reference !== undefined;
    expect(await countOrder(point)).toBeGreaterThanOrEqual(answered ? 1 : 0);
    const instructed = await pool.query(
      `select 1 from attempts where outcome is null
       group by vendor_id, payment_id having count(*) > 1`,
    );
    expect(instructed.rowCount, 'transactions with two instructions out').toBe(0);
  },
});

const creating = (rows: number): Scene => ({
  act: async (point) => {
    await order(point, '9901');
    expect(orders.get(point)?.reference).toBeUndefined();
  },
  left: async (point) => expect(await countOrder(point)).toBe(rows),
  after: async (point) => await order(point, '9901'),
});

const collecting = (rows: number): Scene => ({
  act: async (point) => await gone(collectIncome(point)),
  left: async (point) => {
    expect(await countOf('collections', 'reference = $1', point)).toBe(rows);
  },
  after: async (point) => expect((await collectIncome(point)).status).toBe(200),
});

const funding = (second: number, rows: number): Scene => {
  const requestedAt = new Date((1_700_000_000 + second) * 1000);
  return {
    act: async (point) => {
      await collectIncome(`for ${point}`);
      await gone(fund(second));
    },
    left: async () => {
      expect(await countOf('fund_movements', 'requested_at = $1', requestedAt)).toBe(rows);
    },
    after: async () => {
      expect((await fund(second)).body.msg['amount']).toBeGreaterThanOrEqual(100_000);
      expect(await countOf('fund_movements', 'requested_at = $1', requestedAt)).toBe(1);
    },
  };
};

const enquiring = (rows: number): Scene => {
  const ask = async (point: string): Promise<Answer> =>
    await vendor.call('idDecision', {
      requestReference: point.replaceAll(/\W/g, ''),
      reportReason: '1',
      nationalID: '999999999',
    });
  const count = async (point: string): Promise<number> =>
    await countOf('enquiries', 'request_reference = $1', point.replaceAll(/\W/g, ''));
  return {
    act: async (point) => await gone(ask(point)),
    left: async (point) => expect(await count(point)).toBe(rows),
    after: async (point) => {
      expect((await ask(point)).body.error?.[0]?.code).toBe('subject_not_found');
      expect(await count(point)).toBe(1);
    },
  };
};

const BULK_ROWS = 3;

/** A crash while the rows of a bulk file are decided: either all rows in progress are decided or none. */
const bulking = (rows: number): Scene => {
  const nameOf = (point: string, row: number): string => `${point} ${row}`;
  const fileOf = (point: CrashPoint): string =>
    Array.from({ length: BULK_ROWS }, (_, row) => row)
      .map((row) => `tokens,79${rows}00000${row}9901,60,${nameOf(point, row)}\n`)
      .reduce((text, line) => text + line, 'biller_name,account,amount,merchant_reference\n');
  const ask = async (point: CrashPoint, what: '' | '/result'): Promise<Answer> => {
    const file = fileOf(point);
    const sha256 = createHash('sha256').update(file).digest('hex');
    const params = { vid: vendor.vid, batch_reference: point.replaceAll(/\W/g, '') };
    const query = signed(what === '' ? { ...params, sha256 } : params, vendor.key);
    const target = `/transaction/bulk${what}?${new URLSearchParams(query as Record<string, string>).toString()}`;
    const headers = { 'content-type': 'text/csv' };
    return what === ''
      ? await send(service.origin, { method: 'POST', path: target, headers, body: file })
      : await send(service.origin, { method: 'GET', path: target });
  };
  return {
    // The upload is answered before its rows are decided, or not at all.
    act: async (point) => await ask(point, '').catch(() => undefined),
    left: async (point) =>
      expect(await countOf('payments', 'merchant_reference like $1', `${point} %`)).toBe(rows),
    after: async (point) => {
      expect((await ask(point, '')).status).toBe(200);
      const results = async () =>
        (await ask(point, '/result')).body.data as readonly Record<string, string | number>[];
      await until(
        'somebody has taken it over and ended it',
        async () => (await results()).every(({ result }) => result === 'ACCEPTED'),
        30_000,
      );
      for (const { row, ipay_reference: reference } of await results()) {
        const account = `79${rows}00000${Number(row) - 1}9901`;
        orders.set(nameOf(point, Number(row) - 1), { account, reference: String(reference) });
      }
    },
  };
};

const SCENES: Readonly<Record<Exclude<CrashPoint, ElsewherePoint>, Scene>> = {
  // The requests after one point must not reach the next point.
  'collect:before-commit': collecting(0),
  'fund:before-commit': funding(1, 0),
  'bulk:before-commit': bulking(0),
  'create:before-commit': creating(0),
  'enquiry:before-commit': enquiring(0),
  'collect:after-commit': collecting(1),
  'bulk:after-commit': bulking(BULK_ROWS),
  'create:after-commit': creating(1),
  'enquiry:after-commit': enquiring(1),
  'fund:after-commit': funding(2, 1),
  'chain:before-commit': { act: async () => undefined },
  'dispatch:after-claim': paying('9901'),
  'dispatch:before-send': paying('9901'),
  'dispatch:after-send': paying('9901'),
  'dispatch:before-result-commit': paying('9901'),
  'dispatch:after-result-commit': paying('9901'),
  'verify:after-claim': paying('9903'),
  'verify:before-query': paying('9903'),
  'verify:before-result-commit': paying('9903'),
  'settle:before-commit': paying('9902'),
  'settle:after-commit': paying('9901'),
  'progress:before-commit': paying('9908'),
  'progress:after-commit': paying('9908'),
  'callback:before-settle': paying('9905'),
  'callback:after-settle': paying('9906'),
  'breaker:before-commit': { ...paying('9908'), env: { BREAKER_FAILURES: '1' } },
  'details:after-note': paying('9912'),
  'details:after-claim': paying('9912'),
  'webhook:before-send': paying('9901'),
  'webhook:before-result-commit': paying('9901'),
};

/** Points that other tests reach; those of commands are in commands.test.ts. */
type ElsewherePoint =
  | 'migrate:before-commit'
  | 'cluster:before-commit'
  | 'cluster:after-commit'
  | 'backup:before-manifest'
  | 'receipt:after-claim'
  | 'receipt:after-credit'
  | 'statement:before-commit'
  | 'statement:after-commit';

// Much of both is waiting, and they share nothing.
test.concurrent('at every crash point: nothing is lost or paid twice, and the next start recovers', async () => {
  const scenes = Object.entries(SCENES) as [CrashPoint, Scene][];
  let recover = async (): Promise<void> => undefined;
  for (const [point, { env, act, left, after }] of scenes) {
    await startArmed(point, env);
    await recover();
    await act(point);
    await expectKilled();
    await left?.(point);
    recover = async () => await after?.(point);
  }
  await service.start();
  await untilReady();
  await recover();
  for (const [name] of orders) await order(name, '');
  for (const [name, { reference }] of orders) {
    expect(reference, name).toBeDefined();
    expect(await countOrder(name), name).toBe(1);
  }
  await pool.query("update dispatch_queue set due_at = least(due_at, now() + interval '7 s')");
  await until(
    'every order has its end',
    async () => (await countOf('dispatch_queue', '$1', true)) === 0,
    240_000,
  );
  const truth = (await operators.truth()).map((entry) => entry.reference);
  expect(new Set(truth).size).toBe(truth.length);
  expect(await operators.repeated()).toEqual([]);
  for (const [name, { account, reference = '' }] of orders) {
    const isPaid = !account.endsWith('9902');
    expect(truth.includes(reference), name).toBe(isPaid);
    const { transaction_status: status } = await vendor.payment(reference);
    expect(status, name).toBe(isPaid ? 'SUCCESS' : 'FAILED');
  }
  await until(
    'no details are owed any more',
    async () => (await countOf('late_details', 'ended_at is null = $1', true)) === 0,
    60_000,
  );
  expect((await checkLedger(pool)).violations).toEqual([]);
  await until(
    'the vendor was notified of every result',
    async () => (await countOf('events', 'state <> $1', 'delivered')) === 0,
    180_000,
  );
  // Each event is delivered at least once, always under the same id.
  const eventIds = new Map<string, Set<unknown>>();
  for (const { event, headers } of receiver.calls) {
    const reference = String(event.data['ipay_reference']);
    eventIds.set(reference, (eventIds.get(reference) ?? new Set()).add(headers['webhook-id']));
  }
  for (const [name, { account, reference = '' }] of orders) {
    const types = receiver.calls
      .filter(({ event }) => event.data['ipay_reference'] === reference)
      .map(({ event }) => event.type);
    const expected = [`transaction.${account.endsWith('9902') ? 'failed' : 'succeeded'}`];
    if (account.endsWith('9912')) expected.push('transaction.details_received');
    expect(new Set(types), name).toEqual(new Set(expected));
    expect(eventIds.get(reference)?.size, name).toBe(expected.length);
  }
  // A process that crashed after the call repeated it.
  expect(receiver.calls.length).toBeGreaterThan(eventIds.size);
}, 900_000);

test.concurrent('during a migration: earlier ones stay, this one is rolled back, the next start continues', async () => {
  const empty = await createTestDatabase();
  const other = createPool({ url: empty.ownerUrl, max: 1, name: 'test' });
  await other.query('drop schema public cascade; create schema public');
  const migrating = await serviceProgram({
    name: 'migrating',
    roles: 'api',
    folder,
    env: { DATABASE_URL: empty.url, DATABASE_OWNER_URL: empty.ownerUrl },
  });
  const applied = async (): Promise<number> => {
    const read = await other.query("select to_regclass('schema_migrations') as name");
    if ((read.rows[0] as { name: string | null }).name === null) return 0;
    const counted = await other.query<{ count: number }>(
      'select count(*)::integer as count from schema_migrations',
    );
    return counted.rows[0]?.count ?? 0;
  };
  for (const [times, done] of [
    [1, 0],
    [3, 2],
    [1, 2],
    [5, 6],
  ]) {
    await migrating.start({ CRASH_AT: `migrate:before-commit#${times}` });
    const { ending, lastOutput } = await migrating.untilEnded();
    expect(ending.signal, lastOutput).toBe('SIGKILL');
    expect(await applied()).toBe(done);
  }
  await migrating.start();
  await until('it is ready', () => migrating.ready, 60_000);
  expect(await applied()).toBe(SCHEMA.migrations.length);
  migrating.signal('SIGTERM');
  expect((await migrating.untilEnded()).ending).toEqual({ code: 0, signal: null });
  await other.end();
  await empty.drop();
}, 300_000);

test('every point occurs in the program, and has no effect in the normal program', async () => {
  const source = path.resolve(import.meta.dirname, '../../src');
  const program = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('crash-points.ts'))
    .map((name) => readFileSync(path.join(source, name), 'utf8'))
    .join('\n');
  // The HTTP client writes without calling our code.
  const named = CRASH_POINTS.filter((point) => point !== 'dispatch:after-send');
  expect(named.filter((point) => !program.includes(`'${point}'`))).toEqual([]);

  const plain = await serviceProgram({
    name: 'as it is run',
    roles: 'api',
    folder,
    env: { DATABASE_URL: database.url, NODE_OPTIONS: '' },
  });
  await plain.start({ CRASH_AT: 'collect:before-commit' });
  await until('it is ready', () => plain.ready, 60_000);
  const income = { vid: vendor.vid, reference: 'as it is run', amount: '1.00' };
  const answer = await collect(plain, parties, income);
  expect(answer.status, answer.text).toBe(200);
  plain.signal('SIGTERM');
  expect((await plain.untilEnded()).ending).toEqual({ code: 0, signal: null });
}, 60_000);
