import { randomBytes, randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateKey } from '../../src/parties/administer.ts';
import { rotateSecret, setWebhook } from '../../src/payments/events/administer.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { headerOf, withHeader } from '../support/header-signature.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import {
  RESOURCES,
  SelfServiceClient,
  refusalIn,
  requestFor,
  resourceOf,
} from '../support/self-service-client.ts';
import type { Asked, Json } from '../support/self-service-client.ts';
import { send, signed } from '../support/vendor-client.ts';
import { createFixtures } from '../integration/staff/fixtures.ts';
import type { VendorClient } from '../support/vendor-client.ts';

let database: TestDatabase;
let running: InProcessService;
/** Has payments, events, keys, secrets and enquiries. */
let victim: VendorClient;
let victimsProgram: SelfServiceClient;
/** Has none of these. */
let attacker: VendorClient;
let program: SelfServiceClient;
/** Everything that names something of the victim. */
let secrets: Readonly<Record<string, readonly string[]>>;

const ACCOUNT = '254722123987';

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, {
    environment: { SELF_SERVICE_REQUESTS_PER_SECOND: '0' },
  });
  const { pool } = running.service;
  victim = running.demo();
  await victim.fund();
  const [first, second] = [
    await victim.accepted({ account: ACCOUNT, merchant_reference: 'the-victims-own-1' }),
    await victim.accepted({ account: ACCOUNT, merchant_reference: 'the-victims-own-2' }),
  ];
  await victim.call('idDecision', {
    nationalID: '900000001',
    reportReason: '2',
    requestReference: 'VICTIMSENQUIRY',
  });
  const found = running.service.directory.vendor(victim.vid);
  if (found === undefined) throw new Error('the demo vendor is missing');
  const sealing = async () => running.sealing;
  const url = 'https://victim.example/events';
  await setWebhook(pool, found, { url, allowsPrivate: false, sealing });
  await rotateSecret(pool, found, { sealing: running.sealing, overlapSeconds: 86_400 });
  await database.asOwner(
    `insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at,
       state, ended_at, created_at, amount_cents, biller_code, account)
     select bucket, vendor_id, payment_id, payment_id, 'transaction.succeeded', 'success',
       created_at, 'delivered', created_at, created_at, amount_cents, biller_code, account
     from payments`,
  );
  const holder = { holderKind: 'vendor', holder: victim.vid } as const;
  const key = await rotateKey(pool, holder, { ...running.sealing, overlapSeconds: 86_400 });
  await running.service.directory.reload();
  victimsProgram = new SelfServiceClient(running.origin, { vid: victim.vid, key });
  attacker = await running.addVendor();
  program = new SelfServiceClient(running.origin, attacker);
  await setWebhook(pool, await vendorOf(attacker.vid), {
    url: 'https://attacker.example/',
    allowsPrivate: false,
    sealing,
  });
  const { addInvoice } = createFixtures(pool, running.sealing.masterKeys);
  const invoices = [await addInvoice(), await addInvoice()];
  const events = await victimsProgram.all('listEvents');
  const keys = await victimsProgram.ask('listKeys');
  const webhook = await victimsProgram.ask('getWebhook');
  const page = await victimsProgram.ask('listPayments', { query: { limit: '1' } });
  secrets = {
    reference: [first, second],
    merchant_reference: ['the-victims-own-1', 'the-victims-own-2'],
    account: [ACCOUNT],
    event_id: textsOf(events, 'event_id'),
    key_id: [
      ...textsOf(keys.items, 'key_id'),
      ...textsOf(webhook['secrets'] as Json['items'], 'key_id'),
    ],
    request_reference: ['VICTIMSENQUIRY'],
    invoice: invoices,
    cursor: [String(page.next_cursor)],
    url: [url],
  };
  expect(Object.values(secrets).every((own) => own.length > 0)).toBe(true);
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

async function vendorOf(vid: string): Promise<{ vendorId: number; vid: string }> {
  const found = running.service.directory.vendor(vid);
  if (found === undefined) throw new Error(`there is no vendor ${vid}`);
  return await Promise.resolve(found);
}

function textsOf(items: readonly Readonly<Record<string, unknown>>[], name: string): string[] {
  return items.map((item) => String(item[name]));
}

/** A body that is right by itself. */
function bodyOf(id: string): Asked {
  const { body } = resourceOf(id);
  if (body === undefined) return {};
  const key = 'idempotency_key' in body ? { idempotency_key: randomUUID() } : {};
  return { body: { ...body, ...key } };
}

/** What the victim sees of everything that others must not change. */
async function stateOfVictim(): Promise<string> {
  const { waiting_events: _waiting, ...webhook } = await victimsProgram.ask('getWebhook');
  return JSON.stringify([
    webhook,
    await victimsProgram.ask('listKeys'),
    await victimsProgram.all('listEvents'),
    await victimsProgram.all('listPayments'),
  ]);
}

describe('another vendor', () => {
  const NAMED = RESOURCES.filter(({ path }) => path.includes('{') && !path.includes('{biller}'));

  test.each(NAMED)('$method $path: gets the answer of an unknown id', async ({ id, path }) => {
    const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
    const before = await stateOfVictim();
    const own = secrets[name] ?? [];
    expect(own.length).toBeGreaterThan(1);
    const unlike = own.map((text) => text.replaceAll(/[0-9](?=.{2})/g, '7'));
    for (const [index, text] of own.entries()) {
      const answers = [];
      for (const value of [text, unlike[index] ?? '']) {
        const answer = await program.send(id, { ...bodyOf(id), path: { [name]: value } });
        const { error } = answer.body as unknown as Json;
        answers.push({ status: answer.status, error: { ...error, request_id: '' } });
      }
      expect(answers[0]).toMatchObject({ status: 404, error: { code: 'not_found' } });
      expect(answers[0]).toEqual(answers[1]);
    }
    expect(await stateOfVictim()).toBe(before);
  });

  test.each(RESOURCES)('$method $path: cannot sign in the victim’s name', async ({ id }) => {
    const refusals = [];
    for (const vid of [victim.vid, 'nobody']) {
      const forger = new SelfServiceClient(running.origin, { vid, key: attacker.key });
      refusals.push(await forger.refused(id, bodyOf(id)));
    }
    expect(refusals[0]).toEqual({ status: 401, code: 'signature_invalid', field: 'X-Signature' });
    expect(refusals[0]).toEqual(refusals[1]);
  });

  test('learns nothing of the victim from any request, whatever it asks for', async () => {
    const before = await stateOfVictim();
    const values = Object.values(secrets).flat();
    const asked = fc.constantFrom(...RESOURCES).chain(({ id, parameters }) => {
      const value = fc.constantFrom(...values, 'SUCCESS', '2020-01-01', '1', '200');
      const inPlace = (place: string) =>
        parameters.filter((each) => each.in === place && each.name !== 'vid');
      const of = (place: string) =>
        fc.record(
          Object.fromEntries(inPlace(place).map(({ name }) => [name, value])),
          place === 'path' ? {} : { requiredKeys: [] },
        ) as fc.Arbitrary<Record<string, string>>;
      const likely = fc.constantFrom(
        ...inPlace('query').flatMap(({ name }) =>
          (secrets[name] ?? []).map((own) => ({ [name]: own })),
        ),
        {},
      );
      return fc.record({
        id: fc.constant(id),
        path: of('path'),
        query: fc.oneof(likely as fc.Arbitrary<Record<string, string>>, of('query')),
      });
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ id, path, query }) => {
        const answer = await program.send(id, { ...bodyOf(id), path, query });
        expect(answer.status, answer.text).toBeLessThan(500);
        for (const value of values) expect(answer.text).not.toContain(value);
        if (answer.status !== 200) refusalIn(answer);
      }),
      { numRuns: 400 },
    );
    expect(await stateOfVictim()).toBe(before);
  }, 120_000);

  test('has empty lists where the victim has items', async () => {
    for (const id of ['listPayments', 'listEvents', 'listEnquiries']) {
      expect((await victimsProgram.all(id)).length).toBeGreaterThan(0);
      expect(await program.all(id)).toEqual([]);
    }
  });
});

describe('a signature', () => {
  test('signatures for one operation fit no other', async () => {
    const requests = RESOURCES.map(({ id }) => requestFor(id, attacker.vid, bodyOf(id)));
    for (const request of requests) {
      const header = headerOf(request, { key: attacker.key });
      for (const other of requests) {
        if (other === request) continue;
        const answer = await send(running.origin, withHeader(other, header));
        expect([other.method, other.path, answer.status]).toEqual([other.method, other.path, 401]);
        expect(refusalIn(answer).code).toBe('signature_invalid');
      }
    }
  }, 120_000);

  test('covers method, path, query and body', async () => {
    const request = requestFor('rotateKey', attacker.vid, bodyOf('rotateKey'));
    const header = headerOf(request, { key: attacker.key });
    const body = String(request.body);
    for (const other of [
      { ...request, method: 'PUT' },
      { ...request, path: request.path.replace('/keys', '/webhook/secrets') },
      { ...request, path: `${request.path}&x=1` },
      { ...request, path: request.path.replace('?', '?&') },
      { ...request, body: `${body} ` },
      { ...request, body: body.replace('86400', '86401') },
      { ...request, body: '' },
    ]) {
      const answer = await send(running.origin, withHeader(other, header));
      expect([401, 400, 405]).toContain(answer.status);
      expect(['signature_invalid', 'unknown_field', 'method_not_allowed']).toContain(
        refusalIn(answer).code,
      );
    }
  });

  test.each(RESOURCES)('$method $path: is needed, and the hash is none', async ({ id }) => {
    const request = requestFor(id, attacker.vid, bodyOf(id));
    expect(refusalIn(await send(running.origin, request))).toEqual({
      status: 401,
      code: 'signature_v2_required',
      field: 'X-Signature',
    });
    const { hash } = signed({ vid: attacker.vid }, attacker.key);
    const hashed = { ...request, path: `${request.path}&hash=${String(hash)}` };
    expect(refusalIn(await send(running.origin, hashed))).toMatchObject({
      code: 'unknown_field',
      field: 'hash',
    });
  });

  test('signatures are good once, and at their time', async () => {
    const nonce = randomBytes(16).toString('hex');
    const now = Math.floor(Date.now() / 1000);
    const signing = { nonce, seconds: now };
    expect((await program.send('listKeys', {}, signing)).status).toBe(200);
    expect(await program.refused('listKeys', {}, signing)).toEqual({
      status: 401,
      code: 'signature_replayed',
      field: 'X-Signature',
    });
    for (const seconds of [-1, 1].map(
      (sign) => now + sign * (LIMITS.signatureWindowSeconds + 60),
    )) {
      expect(await program.refused('listKeys', {}, { seconds })).toMatchObject({
        code: 'signature_expired',
      });
    }
    const request = requestFor('listKeys', attacker.vid);
    expect(refusalIn(await send(running.origin, withHeader(request, 'v1')))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
  });

  test('signatures of a suspended vendor are refused', async () => {
    const suspended = await running.addVendor();
    await database.asOwner("update vendors set status = 'suspended' where vid = $1", [
      suspended.vid,
    ]);
    await running.service.directory.reload();
    const theirs = new SelfServiceClient(running.origin, suspended);
    expect(await theirs.refused('getBalance')).toEqual({
      status: 403,
      code: 'vendor_suspended',
      field: 'vid',
    });
  });
});

describe('a cursor', () => {
  const INVALID = { status: 400, code: 'invalid_field', field: 'cursor' };
  const first = async (): Promise<string> => {
    const page = await victimsProgram.ask('listPayments', { query: { limit: '1' } });
    return String(page.next_cursor);
  };

  test('cursors of another vendor, list or filter are refused', async () => {
    const cursor = await first();
    expect(await program.refused('listPayments', { query: { cursor } })).toEqual(INVALID);
    for (const [id, query] of [
      ['listEvents', {}],
      ['listRequests', {}],
      ['getStatement', {}],
      ['listPayments', { status: 'QUEUED' }],
      ['listPayments', { from: '2020-01-01' }],
    ] as const) {
      expect(await victimsProgram.refused(id, { query: { ...query, cursor } })).toEqual(INVALID);
    }
    const page = await victimsProgram.ask('listPayments', { query: { cursor, limit: '200' } });
    expect(page.items).toHaveLength(1);
  });

  test('cursors that were altered anywhere are refused', async () => {
    const bytes = Buffer.from(await first(), 'base64url');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc
            .record({ at: fc.nat(bytes.length - 1), by: fc.integer({ min: 1, max: 255 }) })
            .map(({ at, by }) => Buffer.from(bytes).fill((bytes[at] ?? 0) ^ by, at, at + 1)),
          fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
          fc.uint8Array({ minLength: 1, maxLength: 100 }).map((some) => Buffer.from(some)),
        ),
        async (altered) => {
          const cursor = altered.toString('base64url');
          fc.pre(cursor !== '');
          const query = { cursor };
          expect(await victimsProgram.refused('listPayments', { query })).toEqual(INVALID);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('every error below /v1 has one form', () => {
  test.each([
    ['GET', '/v1/nothing', 404, 'unknown_path'],
    ['GET', '/v1/', 404, 'unknown_path'],
    ['PATCH', '/v1/keys', 405, 'method_not_allowed'],
    ['DELETE', '/v1/payments', 405, 'method_not_allowed'],
    ['GET', '/v1/payments/%ff', 404, 'unknown_path'],
    ['GET', '/v1/payments', 401, 'signature_v2_required'],
  ])('%s %s is refused in the common form', async (method, path, status, code) => {
    expect(refusalIn(await send(running.origin, { method, path }))).toMatchObject({ status, code });
  });

  test.each([
    ['not JSON', 'application/json', '{', 'malformed_request'],
    ['a list', 'application/json', '[]', 'malformed_request'],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'overlap_seconds=600',
      'unsupported_media_type',
    ],
    ['no UTF-8', 'application/json', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed_request'],
    ['a control character', 'application/json', '{"url":"a\\u0000"}', 'malformed_request'],
    ['a prototype', 'application/json', '{"__proto__":{"url":"x"},"url":"x"}', 'unknown_field'],
    ['too much', 'application/json', `{"url":"${'x'.repeat(20_000)}"}`, 'payload_too_large'],
  ])('a body that is %s', async (_what, type, body, code) => {
    const request = {
      method: 'PUT',
      path: `/v1/webhook?vid=${attacker.vid}`,
      headers: { 'content-type': type },
      body,
    };
    const header = headerOf(request, { key: attacker.key });
    expect(refusalIn(await send(running.origin, withHeader(request, header))).code).toBe(code);
  });

  test('a body for an operation that takes no body', async () => {
    for (const id of ['listKeys', 'testWebhook', 'removeWebhook']) {
      const request = requestFor(id, attacker.vid, { body: { url: 'x' } });
      const header = headerOf(request, { key: attacker.key });
      const answer = await send(running.origin, withHeader(request, header));
      expect(['malformed_request', 'signature_invalid']).toContain(refusalIn(answer).code);
    }
  });
});

test('all but a few of 10,000 requests wait, and other vendors are served', async () => {
  const limited = await startInProcess(database.url, {
    environment: { SELF_SERVICE_REQUESTS_PER_SECOND: '1' },
  });
  try {
    await limited.service.directory.reload();
    const own = new SelfServiceClient(limited.origin, attacker);
    let refused = 0;
    for (let sent = 0; sent < 10_000; sent += 200) {
      const answers = await Promise.all(
        Array.from({ length: 200 }, async () => await own.send('listKeys')),
      );
      const waiting = answers.filter(({ status }) => status === 429);
      refused += waiting.length;
      for (const { headers } of waiting) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(refused).toBeGreaterThan(9_000);
    const other = new SelfServiceClient(limited.origin, await limited.addVendor());
    expect((await other.ask('listKeys')).items).toHaveLength(1);
    // The operations of the specification have a limit of their own.
    expect((await attacker.call('balance')).status).toBe(200);
  } finally {
    await limited.stop();
  }
}, 240_000);
