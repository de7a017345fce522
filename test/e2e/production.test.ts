import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { changeBillerStatus } from '../../src/payments/billers/administer.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { rotateKey } from '../../src/parties/administer.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { insertVendor } from '../../src/parties/store.ts';
import { fresh } from '../support/demo-vendors.ts';
import { MASTER_KEY, ProductionFixture, SEALING } from '../support/production-pair.ts';
import type { Pair } from '../support/production-pair.ts';
import { expectRefusal } from '../support/refusals.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer } from '../support/vendor-client.ts';

const fixture = new ProductionFixture();
afterAll(async () => await fixture.cleanUp());

/** Starts with an environment in which it must refuse to serve; returns its output. */
async function refusedStart(env: Readonly<Record<string, string>>): Promise<string> {
  const { process } = await fixture.launch(env);
  expect(await process.ended(), process.stderr).toEqual({ code: 1, signal: null });
  return process.stderr + process.stdout;
}

function referenceOf(answer: Answer): string {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return String(answer.body.msg['ipay_reference']);
}

async function untilEnd(client: VendorClient, reference: string): Promise<string> {
  return await until(
    `${reference} ends`,
    async () => {
      const { transaction_status: status } = await client.payment(reference);
      return (status === 'SUCCESS' || status === 'FAILED') && status;
    },
    120_000,
  );
}

describe('production', () => {
  test('production does not start without a good master key', async () => {
    const { url } = await fixture.database();
    for (const key of [undefined, `${'A'.repeat(43)}=`, 'password', 'a'.repeat(44)]) {
      const env = key === undefined ? {} : { MASTER_KEY: key };
      const said = await refusedStart({ DATABASE_URL: url, ...env });
      expect(said).toContain('MASTER_KEY');
      expect(said).toContain('openssl rand -base64 32');
      expect(said).not.toMatch(/^ {4}at /m);
      if (key !== undefined) expect(said).not.toContain(key);
    }
  });

  test('production does not serve demo data', async () => {
    const { url, pool } = await fixture.database();
    await databaseTransaction(pool, async (client) => {
      const vendor = { vid: 'demo2', name: 'Demo', sector: 'bank', createdAt: new Date() } as const;
      await insertVendor(client, vendor);
    });
    const said = await refusedStart({ DATABASE_URL: url, MASTER_KEY });
    expect(said).toContain('demo2');
    expect(said).not.toMatch(/^ {4}at /m);
  });

  test('production does not work with another master key than its secrets were sealed under', async () => {
    const { url, pool } = await fixture.database();
    await addVendor(pool, { vid: 'shop', name: 'Shop', sector: 'retail' }, SEALING);
    const other = randomBytes(32).toString('base64');
    expect(await refusedStart({ DATABASE_URL: url, MASTER_KEY: other })).toContain('MASTER_KEY');
  });

  test('production does not start without its database', async () => {
    const location = `127.0.0.1:${await findFreePort()}`;
    const url = `postgres://malipo:canary-password@${location}/malipo`;
    const said = await refusedStart({ DATABASE_URL: url, MASTER_KEY });
    expect(said).toContain(location);
    expect(said).not.toContain('canary-password');
    expect(said).not.toMatch(/^ {4}at /m);
  });
});

test('no demo vendor is on the reference page', async () => {
  const { url } = await fixture.database();
  const { origin } = await fixture.launch({ DATABASE_URL: url, MASTER_KEY });
  const read = async (path: string): Promise<string> =>
    (await send(origin, { method: 'GET', path })).text;
  await until('it serves', async () => await read('/docs/api/').catch(() => false));
  expect(JSON.parse(await read('/docs/api/settings.json'))).toEqual({ keys: {} });
  for (const path of ['/docs/', '/docs/api/', '/openapi.json']) {
    expect(await read(path)).not.toMatch(/demo2?-security-key|demo-collector-key/);
  }
});

test('METRICS_PORT serves metrics and health, and nothing else, away from vendors', async () => {
  const { url } = await fixture.database();
  const port = await findFreePort();
  const { origin, process } = await fixture.launch({
    DATABASE_URL: url,
    MASTER_KEY,
    METRICS_PORT: String(port),
  });
  const watched = `http://127.0.0.1:${port}`;
  const statusOf = async (at: string, path: string): Promise<number> =>
    (await send(at, { method: 'GET', path })).status;
  await until('it is ready', async () => {
    return (
      process.ending === undefined &&
      (await statusOf(watched, '/health/ready').catch(() => 0)) === 200 &&
      (await statusOf(origin, '/health/ready').catch(() => 0)) === 200
    );
  });
  expect(await statusOf(watched, '/metrics')).toBe(200);
  expect(await statusOf(watched, '/health/live')).toBe(200);
  expect(await statusOf(watched, '/billing/list?vid=x')).toBe(404);
  expect(await statusOf(watched, '/docs')).toBe(404);
  expect(await statusOf(origin, '/metrics')).toBe(404);
  expect(await statusOf(origin, '/health/live')).toBe(200);
  process.signal('SIGTERM', 'process');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
});

describe('two processes on one database', () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await fixture.startPair();
  });

  test('have no operators of their own', async () => {
    for (const { origin, process } of pair.servers) {
      const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
      expect(children.trim()).toBe('');
      const request = { method: 'GET', path: `${PATHS.list}?vid=x` };
      const billers = (await send(origin, request)).body.data as { biller_code: string }[];
      expect(billers.map((biller) => biller.biller_code)).not.toContain('safaricom');
    }
  });

  test('have no controls of the sandbox', async () => {
    for (const { origin } of pair.servers) {
      for (const path of ['/sandbox/state', '/sandbox/float', '/sandbox/answers']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const answer = await send(origin, { method, path: `${path}?vid=demo` });
          expect([answer.status, answer.body.error?.[0]?.code]).toEqual([404, 'unknown_path']);
        }
      }
    }
  });

  test('two processes explain nothing about an invalid signature', async () => {
    const [client] = await pair.addFundedVendor('1.00');
    const answers = await Promise.all(
      [client?.vid ?? '', 'nobody'].map(async (vid) => {
        const all = signed({ vid, prefix: '722' }, 'some other key');
        return await send(pair.servers[0].origin, encode(PATHS.lookup, all, 'json'));
      }),
    );
    for (const answer of answers) {
      expectRefusal(answer, { status: 401, code: 'signature_invalid', field: 'hash' });
      expect(answer.text).not.toMatch(/signed_text|vid_known/);
    }
    const [known, unknown] = answers.map(({ body }) => ({ ...body, request_id: '' }));
    expect(known).toEqual(unknown);
  });

  test('pay once what either of them accepted', async () => {
    await pair.addBiller('tokens');
    const clients = await pair.addFundedVendor('10000.00');
    const suffixes = '9901 9902 9903 9905 9906 9907 9908 9910'.split(' ');
    const payments = await Promise.all(
      Array.from({ length: 48 }, async (_, index) => {
        const account = `77${String(index).padStart(4, '0')}${suffixes[index % suffixes.length]}`;
        const params = { biller_name: 'tokens', account, merchant_reference: fresh('order') };
        const [one, other] = index % 2 === 0 ? clients : clients.toReversed();
        if (one === undefined || other === undefined) throw new Error('there are two');
        return { account, other, reference: referenceOf(await one.create(params)) };
      }),
    );
    const ends = await Promise.all(
      payments.map(async ({ other, reference }) => await untilEnd(other, reference)),
    );
    const times = await pair.timesPaid();
    for (const [index, { account, reference }] of payments.entries()) {
      const failed = account.endsWith('9902');
      expect([account, ends[index]]).toEqual([account, failed ? 'FAILED' : 'SUCCESS']);
      expect([account, times.get(reference) ?? 0]).toEqual([account, failed ? 0 : 1]);
    }
    expect((await checkLedger(pair.pool)).violations).toEqual([]);
  }, 240_000);

  test('accept one reference once, whichever process receives it', async () => {
    await pair.addBiller('tokens');
    const clients = await pair.addFundedVendor('10000.00');
    const pairs = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const params = {
          biller_name: 'tokens',
          account: `66${String(index).padStart(6, '0')}`,
          merchant_reference: fresh('order'),
        };
        return await Promise.all(clients.map(async (client) => await client.create(params)));
      }),
    );
    const references = pairs.map(([first, second]) => {
      if (first === undefined || second === undefined) throw new Error('there are two');
      expect(second.text).toBe(first.text);
      return referenceOf(first);
    });
    expect(new Set(references).size).toBe(30);
    expect(await clients[0].balance()).toBe(10_000 - 30 * 60);
    await Promise.all(references.map(async (reference) => await untilEnd(clients[0], reference)));
    const times = await pair.timesPaid();
    expect(references.map((reference) => times.get(reference))).toEqual(pairs.map(() => 1));
  });

  test('two processes share one float', async () => {
    await pair.addBiller('tokens');
    const clients = await pair.addFundedVendor('1000.00');
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        clients[index % 2 === 0 ? 0 : 1].create({
          biller_name: 'tokens',
          account: `55${String(index).padStart(6, '0')}`,
          merchant_reference: fresh('order'),
        }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(16);
    expect(answers.filter((answer) => answer.status === 402)).toHaveLength(84);
    expect(await clients[1].balance()).toBe(40);
  });

  test('find a repeat without a reference, whichever process received the first request', async () => {
    await pair.addBiller('tokens');
    const clients = await pair.addFundedVendor('1000.00');
    const params = { biller_name: 'tokens', account: '12345678' };
    const answers = await Promise.all(clients.map(async (client) => await client.create(params)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  test('both notice settings that people change', async () => {
    await pair.addBiller('elsewhere');
    const clients = await pair.addFundedVendor('1000.00');
    const create = async (client: VendorClient): Promise<Answer> =>
      await client.create({
        biller_name: 'elsewhere',
        account: '12345678',
        merchant_reference: fresh('order'),
      });
    await changeBillerStatus(pair.pool, 'elsewhere', 'OFFLINE');
    for (const client of clients) {
      const refused = await until('it is off line', async () => {
        const answer = await create(client);
        return answer.status !== 200 && answer;
      });
      expectRefusal(refused, { status: 503, code: 'biller_offline', field: 'biller_name' });
    }
    await changeBillerStatus(pair.pool, 'elsewhere', 'ONLINE');
    for (const client of clients) {
      await until('it is on line', async () => (await create(client)).status === 200);
    }
    const holder = { holderKind: 'vendor', holder: clients[0].vid } as const;
    const key = await rotateKey(pair.pool, holder, { ...SEALING, overlapSeconds: 0 });
    for (const [index, { origin }] of pair.servers.entries()) {
      const renewed = new VendorClient(origin, { vid: clients[0].vid, key });
      await until('the new key works', async () => (await renewed.call('balance')).status === 200);
      expect((await clients[index]?.call('balance'))?.status).toBe(401);
    }
  });

  test('log lines of JSON, without secrets', () => {
    for (const { process } of pair.servers) {
      expect(process.stderr).toBe('');
      for (const line of process.stdout.trim().split('\n')) {
        expect(() => JSON.parse(line) as unknown, line).not.toThrow();
      }
      expect(process.stdout).toContain('"serving"');
      for (const secret of [MASTER_KEY, SANDBOX_OPERATOR_KEY.slice(6), 'postgres://']) {
        expect(process.stdout.includes(secret)).toBe(false);
      }
    }
  });
});

describe('one of two processes', () => {
  test('finishes the work of the other, which was killed, and stops when asked to', async () => {
    const pair = await fixture.startPair();
    await pair.addBiller('tokens');
    const [doomed, survivor] = await pair.addFundedVendor('10000.00');
    const accepted: string[] = [];
    const suffixes = '9901 9903 9905 9907 9910'.split(' ');
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const account = `44${String(index).padStart(4, '0')}${suffixes[index % suffixes.length]}`;
        const params = { biller_name: 'tokens', account, merchant_reference: fresh('order') };
        const answer = await doomed.create(params).catch(() => undefined);
        if (answer === undefined) return;
        accepted.push(referenceOf(answer));
        if (accepted.length === 25) pair.servers[0].process.signal('SIGKILL', 'group');
      }),
    );
    await pair.servers[0].process.ended();
    for (const reference of accepted) expect(await untilEnd(survivor, reference)).toBe('SUCCESS');
    const open = await until('nothing is open', async () => {
      const left = await pair.pool.query('select 1 from dispatch_queue');
      return left.rowCount === 0 && left;
    });
    expect(open.rows).toEqual([]);
    const times = await pair.timesPaid();
    expect([...times.values()].filter((count) => count > 1)).toEqual([]);
    expect(accepted.filter((reference) => !times.has(reference))).toEqual([]);
    expect(await survivor.balance()).toBe(10_000 - 60 * times.size);
    expect((await checkLedger(pair.pool)).violations).toEqual([]);

    pair.servers[1].process.signal('SIGTERM', 'process');
    expect(await pair.servers[1].process.ended()).toEqual({ code: 0, signal: null });
  }, 360_000);
});
