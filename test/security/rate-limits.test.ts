import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { setOperator } from '../../src/payments/billers/administer.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { VTPASS_SETTINGS } from '../conformance/subjects/vtpass.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleAnswer } from '../support/console-client.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import { headerOf, withHeader } from '../support/header-signature.ts';
import { PATHS, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, WireRequest } from '../support/vendor-client.ts';

let database: TestDatabase;
let running: InProcessService;
beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, {
    environment: {
      SIGNER_REQUESTS_PER_SECOND: '1',
      STRANGER_REQUESTS_PER_SECOND: '1',
      CONSOLE_READS_PER_SECOND: '1',
      CONSOLE_CHANGES_PER_SECOND: '1',
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
  await addVtpass();
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

const TOO_MANY = { status: 429, code: 'too_many_requests' };

/** Repeats the request from this address until it is refused with too_many_requests. */
async function untilTooMany(request: WireRequest, address: string): Promise<readonly Answer[]> {
  const from = { ...request, headers: { ...request.headers, 'X-Forwarded-For': address } };
  const answers: Answer[] = [];
  for (let times = 0; times < 100; times += 1) {
    const answer = await send(running.origin, from);
    answers.push(answer);
    if (answer.status === 429) break;
  }
  return answers;
}

const NAMED = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    type: 'transaction-update',
    data: { requestId: `202601051015${'0'.repeat(32)}a1` },
  }),
};

async function addVtpass(): Promise<void> {
  const { pool, catalogue } = running.service;
  const operator = {
    name: 'VTpass',
    connector: 'http',
    baseUrl: 'http://127.0.0.1:9',
    settings: VTPASS_SETTINGS,
  };
  await setOperator(pool, 'vtpass', operator, async () => undefined);
  const secret = JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' });
  await setOperatorKey(pool, 'vtpass', { secret, sealing: running.sealing });
  await catalogue.reload();
}

let hosts = 0;
const wrongHash = encode(PATHS.balance, { vid: 'demo', hash: '0'.repeat(64) }, 'json');

test('a vendor that calls too often is refused with Retry-After, and others are not', async () => {
  const vendor = await running.addVendor();
  const answers: Answer[] = [];
  for (let times = 0; times < 100 && answers.at(-1)?.status !== 429; times += 1) {
    answers.push(await vendor.call('balance'));
  }
  expect(answers.length).toBeGreaterThan(5);
  const last = answers.at(-1);
  if (last === undefined) throw new Error('there was no answer');
  expectRefusal(last, TOO_MANY);
  expect(Number(last.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect((await (await running.addVendor()).call('balance')).status).toBe(200);
});

test.each([
  ['a wrong hash', wrongHash, 401],
  [
    'a wrong header signature',
    {
      ...encode(PATHS.balance, { vid: 'demo' }, 'json'),
      headers: {
        'content-type': 'application/json',
        'X-Signature': `v2,t=1,nonce=${'n'.repeat(16)},sig=${'0'.repeat(64)}`,
      },
    },
    401,
  ],
  [
    'an unknown vendor',
    encode(PATHS.balance, { vid: 'nobody', hash: '0'.repeat(64) }, 'json'),
    401,
  ],
  ['the biller list', encode(PATHS.list, { vid: 'demo' }, 'query'), 200],
  ['a forged callback', { method: 'POST', path: '/callbacks/kplc' }, 401],
  ['a callback of nobody', { method: 'POST', path: '/callbacks/nobody' }, 404],
  // Accepted, because nothing shows that it is not the operator's.
  [
    'a callback that anybody can send',
    { method: 'POST', path: '/callbacks/vtpass', ...NAMED },
    200,
  ],
] as const)('%s is limited by address', async (_what, request, status) => {
  hosts += 1;
  const address = `10.0.0.${hosts}`;
  const answers = await untilTooMany(request, address);
  expect(answers.length).toBeGreaterThan(5);
  expect(answers[0]?.status).toBe(status);
  const last = answers.at(-1);
  if (last === undefined) throw new Error('there was no answer');
  expectRefusal(last, TOO_MANY);
  expect(last.headers['retry-after']).toMatch(/^\d+$/);
  expect((await untilTooMany(request, `${address}0`))[0]?.status).toBe(status);
});

test('a caller who signs correctly is not refused because of others at the same address', async () => {
  const address = '10.9.9.9';
  expect((await untilTooMany(wrongHash, address)).at(-1)?.status).toBe(429);
  const vendor = await running.addVendor();
  expect((await vendor.call('balance')).status).toBe(200);
});

describe('what a stranger has seen and sends again', () => {
  test.each([
    ['an expired header', { seconds: 1_000 }],
    ['a used header', {}],
  ])('%s uses up nothing of its vendor', async (_what, signing) => {
    for (const operation of ['balance', '/v1/balance'] as const) {
      const vendor = await running.addVendor();
      const unsigned =
        operation === 'balance'
          ? encode(PATHS.balance, { vid: vendor.vid }, 'json')
          : { method: 'GET', path: `/v1/balance?vid=${vendor.vid}` };
      const seen = withHeader(unsigned, headerOf(unsigned, { key: vendor.key, ...signing }));
      hosts += 1;
      const answers = await untilTooMany(seen, `10.1.0.${hosts}`);
      expect(answers.at(-1)?.status).toBe(429);
      for (let times = 0; times < 4; times += 1) {
        const own = withHeader(unsigned, headerOf(unsigned, { key: vendor.key }));
        expect((await send(running.origin, own)).status).toBe(200);
      }
    }
  });

  test('requests with a hash use up nothing of their vendor, who calls from another address', async () => {
    const vendor = await running.addVendor();
    const seen = encode(PATHS.balance, signed({ vid: vendor.vid }, vendor.key), 'json');
    hosts += 1;
    const answers = await untilTooMany(seen, `10.2.0.${hosts}`);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(answers.at(-1)?.status).toBe(429);
    expect((await vendor.call('balance')).status).toBe(200);
  });
});

test('nobody can choose the address that counts', async () => {
  const plain = await startInProcess(database.url, {
    environment: { STRANGER_REQUESTS_PER_SECOND: '1' },
  });
  try {
    const statuses: number[] = [];
    for (let times = 0; times < 100 && statuses.at(-1) !== 429; times += 1) {
      const headers = { ...wrongHash.headers, 'X-Forwarded-For': `10.1.1.${times}` };
      statuses.push((await send(plain.origin, { ...wrongHash, headers })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  } finally {
    await plain.stop();
  }
});

test('a file that a person has to wait for is not read, and is not in the audit log', async () => {
  const baraka = await signedIn(running.origin, 'operations');
  let status = 0;
  for (let times = 0; times < 100 && status !== 429; times += 1) {
    status = (await baraka.send('POST', '/billers/dstv/status', {})).status;
  }
  expect(await baraka.send('POST', '/payments/search.csv', {})).toMatchObject(TOO_MANY);
  const { pool } = running.service;
  expect(await listAudit(pool, { action: 'payment.export', limit: 1 })).toEqual([]);
});

test('a look that is noted counts as a change, so that a vendor’s people do not fill the audit log', async () => {
  const amina = await signedIn(running.origin, 'demo-admin');
  let text = '';
  for (let times = 0; times < 100 && text === ''; times += 1) {
    const answer = await amina.send('POST', '/vendors/demo/signature', {});
    if (answer.status === 429) ({ text } = answer);
  }
  expect(text).toContain('too many changes and exports');
});

test('a person in the console waits after many requests, and nobody else does', async () => {
  const asha = await signedIn(running.origin, 'support');
  const juma = await signedIn(running.origin, 'finance');
  const untilRefused = async (method: string, path: string): Promise<ConsoleAnswer> => {
    for (let times = 0; times < 100; times += 1) {
      const answer = await asha.send(method, path, method === 'GET' ? undefined : { reason: 'x' });
      if (answer.status === 429) return answer;
    }
    throw new Error('never refused');
  };
  const read = await untilRefused('GET', '/payments');
  expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(read.text).toContain('You have sent too many requests in a short time. Wait ');
  // What a person may not do counts as well.
  const changed = await untilRefused('POST', '/billers/dstv/status');
  expect(changed.text).toContain('too many changes and exports');
  expect((await asha.get('/home/events')).status).toBe(200);
  expect((await juma.get('/payments')).status).toBe(200);
});
