import { createHook } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { checkSignIn } from '../../src/parties/people/sign-in.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { ConsoleClient, signedIn } from '../support/console-client.ts';
import type { ConsoleAnswer } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';

// However many strangers try to sign in, people who are signed in do not wait for them.

const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };

let database: TestDatabase;
let running: InProcessService;
let owner: Pool;
let ledgerMac: Mac;

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, { environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  owner = createPool({ url: database.ownerUrl, max: 2, name: 'test owner' });
  ({ ledgerMac } = await peopleDepsOf(running));
});
afterAll(async () => {
  await owner.end();
  await running.stop();
});

/** Meanwhile no sign-in with this name is decided, although its password is hashed. */
async function beforeDecisions(login: string, work: () => Promise<void>): Promise<void> {
  const holder = await owner.connect();
  try {
    await holder.query('begin');
    await holder.query('set local idle_in_transaction_session_timeout = 0');
    await holder.query(
      'insert into sign_in_failures (login, failed_count, failed_at) values ($1, 0, now())',
      [login],
    );
    await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** Calls back whenever a password begins to be hashed. */
async function withHashes<Result>(
  begins: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ARGON2REQUEST') begins();
    },
  }).enable();
  try {
    return await work();
  } finally {
    hook.disable();
  }
}

async function withOneConnection<Result>(use: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = createPool({ url: database.url, max: 1, name: 'test sign-in' });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

const check = async (pool: Pool, login: string, password: string): Promise<string> =>
  await checkSignIn(
    { pool, ledgerMac, masterKeys, codesRequired: false },
    { login, password, code: undefined, from: { network: 'test', device: undefined } },
    new Date(),
  ).catch((error: { code: string }) => error.code);

test('sign-ins that wait leave connections to people who are signed in, and those beyond the limit are refused', async () => {
  const admin = await signedIn(running.origin, 'admin');
  const strangers: Promise<ConsoleAnswer>[] = [];
  await beforeDecisions('risk', async () => {
    for (let index = 0; index <= LIMITS.signInsUnderWay; index += 1) {
      const guess = { login: 'risk', password: 'not the password' };
      const from = { 'x-forwarded-for': `192.0.2.${index}` };
      strangers.push(new ConsoleClient(running.origin).send('POST', '/session', guess, from));
    }
    const first = await Promise.race(strangers);
    expect(first).toMatchObject({ status: 503, code: 'overloaded' });
    expect(first.headers.get('retry-after')).toBe('2');
    await until(
      'sign-ins that hold connections',
      async () => (await countWaiting(owner)) >= LIMITS.signInsAtOnce,
    );
    for (let count = 0; count < 3; count += 1) {
      expect((await admin.get('/home')).status).toBe(200);
    }
    expect(await countWaiting(owner)).toBeLessThanOrEqual(LIMITS.signInsAtOnce);
  });
  const answers = await Promise.all(strangers);
  expect(answers.filter(({ code }) => code === 'overloaded')).toHaveLength(1);
  const attempts = await listAudit(running.service.pool, { login: 'risk', limit: 100 });
  expect(attempts).toHaveLength(LIMITS.signInsUnderWay);
});

test.each(['support', 'no-such-person'])(
  'a sign-in as %s holds no connection while the password is hashed',
  async (login) => {
    await withOneConnection(async (pool) => {
      const held: number[] = [];
      const begins = (): void => void held.push(pool.totalCount - pool.idleCount);
      const signIn = async (): Promise<string> => await check(pool, login, 'not the password');
      expect(await withHashes(begins, signIn)).toBe('sign_in_failed');
      expect(held).toEqual([0]);
    });
  },
);

test('a name that has to wait costs no hash', async () => {
  await withOneConnection(async (pool) => {
    for (let count = 0; count < 5; count += 1) await check(pool, 'finance', 'not the password');
    let hashes = 0;
    const signIn = async (): Promise<string> => await check(pool, 'finance', DEMO_PASSWORD);
    expect(await withHashes(() => (hashes += 1), signIn)).toBe('too_many_requests');
    expect(hashes).toBe(0);
  });
});

test('a password that was replaced while it was hashed signs nobody in', async () => {
  await withOneConnection(async (pool) => {
    const now = new Date();
    let signIn: Promise<string> | undefined;
    await beforeDecisions('operations', async () => {
      signIn = check(pool, 'operations', DEMO_PASSWORD);
      await until('a sign-in before its decision', async () => (await countWaiting(owner)) === 1);
      const deps = { pool: owner, ledgerMac };
      const token = await createLink(deps, 'operations', { madeBy: null, now });
      const chosen = { token, password: 'another long one', codes: undefined };
      await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, now);
    });
    expect(await signIn).toBe('sign_in_failed');
  });
});

test('a stop cuts off a sign-in whose client has left, which is no error', async () => {
  const stopping = await startInProcess(database.url);
  const { service, origin } = stopping;
  let stopped: Promise<void> | undefined;
  await beforeDecisions('viewer', async () => {
    const leaving = new AbortController();
    const body = JSON.stringify({ login: 'viewer', password: 'not the password' });
    const headers = { 'x-malipo-console': '1', 'content-type': 'application/json' };
    const url = `${origin}/console/api/session`;
    const left = fetch(url, { method: 'POST', headers, body, signal: leaving.signal });
    await until('a sign-in before its decision', async () => (await countWaiting(owner)) === 1);
    leaving.abort();
    await Promise.allSettled([left]);
    stopped = stopping.stop();
    await until('the pools end', () => service.pool.ending);
  });
  await stopped;
  // It is refused as every wrong password, though its entry in the audit log cannot be ended any more.
  expect(stopping.logged()).not.toMatch(/"level":"(?:error|fatal)"/);
});

test('people who are signed in do not wait for strangers who send cookies', async () => {
  const admin = await signedIn(running.origin, 'admin');
  const from = { 'x-forwarded-for': '192.0.2.200' };
  const strangers: Promise<ConsoleAnswer>[] = [];
  const refused: ConsoleAnswer[] = [];
  let answer: Promise<ConsoleAnswer> | undefined;
  await databaseTransaction(owner, async (db) => {
    await db.query('set local idle_in_transaction_session_timeout = 0');
    await db.query('lock table sessions in access exclusive mode');
    for (let count = 0; count < LIMITS.poolQueue + 10; count += 1) {
      const cookie = `malipo=${randomBytes(32).toString('base64url')}`;
      const sent = new ConsoleClient(running.origin).get('/session', { ...from, cookie });
      strangers.push(sent);
      void sent.then((one) => one.status !== 401 && refused.push(one));
    }
    const least = LIMITS.poolQueue - LIMITS.sessionLookUpsWaiting;
    await until('strangers are refused', () => refused.length >= least);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['too_many_requests']));
    expect(await countWaiting(owner)).toBe(LIMITS.strangersLookUpsAtOnce);
    answer = admin.get('/session');
    await until('the person is looked up', async () => (await countWaiting(owner)) === 2);
  });
  expect((await answer)?.status).toBe(200);
  const last = await Promise.all(strangers);
  expect(new Set(last.map(({ status }) => status))).toEqual(new Set([401, 429]));
});

test('a browser in which somebody signed in is known, and only to the same person', async () => {
  const person = new ConsoleClient(running.origin);
  const right = { login: 'demo-viewer', password: DEMO_PASSWORD };
  const from = { 'x-forwarded-for': '198.51.100.7' };
  expect((await person.send('POST', '/session', right, from)).status).toBe(200);
  const session = person.cookie;
  const remembered = await person.send('POST', '/session/device');
  expect(remembered.status).toBe(204);
  const cookies = remembered.headers.getSetCookie();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatch(
    /^malipo-device-[0-9a-f]{12}=[\w-]{22}\.\d+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const device = cookies[0]?.split(';')[0] ?? '';
  const known = { cookie: `${session}; ${device}` };
  const again = await person.send('POST', '/session/device', undefined, known);
  expect(again.headers.getSetCookie()).toEqual([]);
  const guess = { login: 'demo-viewer', password: 'not the password' };
  for (let count = 0; count < 25; count += 1)
    await new ConsoleClient(running.origin).send('POST', '/session', guess, from);
  expect(
    (await new ConsoleClient(running.origin).send('POST', '/session', right, from)).status,
  ).toBe(429);
  expect(
    (
      await new ConsoleClient(running.origin).send('POST', '/session', right, {
        ...from,
        cookie: device,
      })
    ).status,
  ).toBe(200);
});
