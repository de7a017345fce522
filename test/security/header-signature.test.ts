import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { changeCollector, changeVendor, rotateKey } from '../../src/parties/administer.ts';
import { deleteExpiredNonces } from '../../src/parties/nonces-store.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { fresh } from '../support/demo-vendors.ts';
import { headerOf as headerFor, withHeader } from '../support/header-signature.ts';
import type { Signing } from '../support/header-signature.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { OPERATIONS, READING, usualParams } from '../support/operation-samples.ts';
import { expectRefusal } from '../support/refusals.ts';
import { PATHS, UNSIGNED, VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, OperationName, WireRequest } from '../support/vendor-client.ts';

let database: TestDatabase;
let first: InProcessService;
/** A second service in this process; like another process, it shares only the database. */
let second: InProcessService;
let vendor: VendorClient;

beforeAll(async () => {
  database = await createServiceDatabase();
  first = await startInProcess(database.url);
  second = await startInProcess(database.url);
  vendor = await first.addVendor({ signature: 'v2', enquiryPolicy: 'open' });
  await second.service.directory.reload();
});
afterAll(async () => {
  await first.stop();
  await second.stop();
  await database.drop();
});

function headerOf(request: WireRequest, signing: Partial<Signing> = {}): string {
  return headerFor(request, { key: vendor.key, ...signing });
}

function requestOf(operation: OperationName, form: 'json' | 'urlencoded' | 'query' = 'json') {
  return encode(PATHS[operation], usualParams(operation, vendor.vid), form);
}

async function call(request: WireRequest, signing: Partial<Signing> = {}): Promise<Answer> {
  return await send(first.origin, withHeader(request, headerOf(request, signing)));
}

const SIGNED = OPERATIONS.filter((name) => !UNSIGNED.has(name) && name !== 'collect');

describe('the header signature', () => {
  test.each(SIGNED)(
    'the header signature is sufficient for %s, and the hash alone is refused',
    async (operation) => {
      const params = usualParams(operation, vendor.vid);
      for (const form of ['json', 'urlencoded', 'query'] as const) {
        const answer = await call(encode(PATHS[operation], params, form));
        // Later checks may still refuse: the float is empty, or the reference does not exist.
        expect([200, 402, 404, 503], answer.text).toContain(answer.status);
      }
      const byHash = encode(PATHS[operation], signed(params, vendor.key), 'json');
      const refused = await send(first.origin, byHash);
      expect(refused.status).toBe(401);
      expect(refused.body.error?.[0]).toMatchObject({
        code: 'signature_v2_required',
        field: 'X-Signature',
      });
    },
  );

  test('a wrong hash does not reveal if the vendor needs a header signature', async () => {
    const request = encode(PATHS.balance, { vid: vendor.vid, hash: '0'.repeat(64) }, 'json');
    expectRefusal(await send(first.origin, request), {
      status: 401,
      code: 'signature_invalid',
      field: 'hash',
    });
  });

  test.each([
    ['another body', (wire: WireRequest) => ({ ...wire, body: `${String(wire.body)} ` })],
    ['another path', (wire: WireRequest) => ({ ...wire, path: PATHS.status })],
    ['another query', (wire: WireRequest) => ({ ...wire, path: `${wire.path}?` })],
    ['no body', ({ method, path, headers = {} }: WireRequest) => ({ method, path, headers })],
  ])('does not hold for %s', async (_what, change) => {
    const request = requestOf('create');
    const answer = await send(first.origin, change(withHeader(request, headerOf(request))));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.error?.[0]?.code).toMatch(
      /^(signature_invalid|missing_field|unknown_field)$/,
    );
  });

  test('does not hold for another method', async () => {
    const operation = READING.find((name) => !UNSIGNED.has(name)) ?? 'balance';
    const request = { ...requestOf(operation, 'query'), method: 'GET' };
    const header = headerOf(request);
    const posted = withHeader({ ...request, method: 'POST' }, header);
    expectRefusal(await send(first.origin, posted), {
      status: 401,
      code: 'signature_invalid',
      field: 'X-Signature',
    });
    expect((await send(first.origin, withHeader(request, header))).status).toBe(200);
  });

  test('a header signature of another vendor, or of an unknown one, gets the same answer', async () => {
    const bodies = [vendor.vid, 'nobody'].map((vid) => encode(PATHS.balance, { vid }, 'json'));
    for (const request of bodies) {
      expectRefusal(await call(request, { key: 'demo-security-key' }), {
        status: 401,
        code: 'signature_invalid',
        field: 'X-Signature',
      });
    }
  });

  test.each([
    '',
    'v2',
    'v3,t=1,nonce=0123456789abcdef,sig=00',
    `v2,t=1,nonce=short,sig=${'0'.repeat(64)}`,
    `v2,t=-1,nonce=0123456789abcdef,sig=${'0'.repeat(64)}`,
    `v2,t=1e9,nonce=0123456789abcdef,sig=${'0'.repeat(64)}`,
    `v2,t=1,nonce=0123456789abcdef,sig=${'0'.repeat(63)}`,
    `v2,t=1,nonce=0123456789abcdef,sig=${'0'.repeat(64)}, v2`,
    `v2,t=1,nonce=${'n'.repeat(65)},sig=${'0'.repeat(64)}`,
  ])('a signature of another form is refused: %s', async (header) => {
    expectRefusal(await send(first.origin, withHeader(requestOf('balance'), header)), {
      status: 400,
      code: 'malformed_request',
      field: 'X-Signature',
    });
  });

  test('may come with the hash, which must then be right too', async () => {
    const params = usualParams('balance', vendor.vid);
    expect((await call(encode(PATHS.balance, signed(params, vendor.key), 'json'))).status).toBe(
      200,
    );
    const wrong = encode(PATHS.balance, { ...params, hash: '0'.repeat(64) }, 'json');
    expectRefusal(await call(wrong), { status: 401, code: 'signature_invalid', field: 'hash' });
  });

  test('may be used before it is required', async () => {
    const other = await first.addVendor();
    const request = encode(PATHS.balance, { vid: other.vid }, 'json');
    expect((await call(request, { key: other.key })).status).toBe(200);
    expect((await other.call('balance')).status).toBe(200);
    await changeVendor(first.service.pool, other.vid, { signature: 'v2' });
    await first.service.directory.reload();
    expect((await other.call('balance')).status).toBe(401);
    expect((await call(request, { key: other.key })).status).toBe(200);
  });

  test('both keys are valid for header signatures while they overlap, and the new one afterwards', async () => {
    const request = encode(PATHS.balance, { vid: vendor.vid }, 'json');
    const holder = { holderKind: 'vendor', holder: vendor.vid } as const;
    const { pool, directory } = first.service;
    const key = await rotateKey(pool, holder, { ...first.sealing, overlapSeconds: 3600 });
    await directory.reload();
    expect((await call(request)).status).toBe(200);
    expect((await call(request, { key })).status).toBe(200);
    const newest = await rotateKey(pool, holder, { ...first.sealing, overlapSeconds: 0 });
    await directory.reload();
    expect((await call(request, { key })).status).toBe(401);
    vendor = new VendorClient(first.origin, { vid: vendor.vid, key: newest });
    expect((await call(request)).status).toBe(200);
    await second.service.directory.reload();
  });

  test('the signature of a suspended vendor is refused, but only after it was verified', async () => {
    const other = await first.addVendor();
    await changeVendor(first.service.pool, other.vid, { status: 'suspended' });
    await first.service.directory.reload();
    const request = encode(PATHS.balance, { vid: other.vid }, 'json');
    expectRefusal(await call(request, { key: other.key }), {
      status: 403,
      code: 'vendor_suspended',
      field: 'vid',
    });
    expect((await call(request)).status).toBe(401);
  });

  test('the nonce is used up even if the fields are refused', async () => {
    const params = { ...usualParams('balance', vendor.vid), hash: '0'.repeat(64) };
    const wrong = encode(PATHS.balance, params, 'json');
    const signedOnce = withHeader(wrong, headerOf(wrong));
    const refusals = { signature_invalid: 'hash', signature_replayed: 'X-Signature' };
    for (const [code, field] of Object.entries(refusals)) {
      expectRefusal(await send(first.origin, signedOnce), { status: 401, code, field });
    }
  });

  test('does not cover a boundary, so another boundary cannot make another request of the same bytes', async () => {
    const field = (name: string, value: string) =>
      `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const fake = `x\r\n--ZZ\r\n${field('vid', vendor.vid)}--ZZ--`;
    const body = `--AA\r\n${field('vid', vendor.vid)}--AA\r\n${field('reference', fake)}--AA--\r\n`;
    for (const boundary of ['ZZ', 'AA--', 'A']) {
      const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
      const request = { method: 'POST', path: PATHS.balance, headers, body };
      expectRefusal(await call(request), { status: 400, code: 'malformed_request' });
    }
  });

  test('can be required of a collector', async () => {
    const { pool, directory } = first.service;
    const params = usualParams('collect', vendor.vid);
    const request = encode(PATHS.collect, params, 'json');
    const byHash = encode(PATHS.collect, signed(params, 'demo-collector-key'), 'json');
    await changeCollector(pool, 'demo-collector', { signature: 'v2' });
    await directory.reload();
    expect((await send(first.origin, byHash)).body.error?.[0]?.code).toBe('signature_v2_required');
    expect((await call(request, { key: 'demo-collector-key' })).status).toBe(200);
    await changeCollector(pool, 'demo-collector', { signature: 'v1' });
    await directory.reload();
    expect((await send(first.origin, byHash)).status).toBe(200);
  });
});

describe('the time of a header signature', () => {
  const window = LIMITS.signatureWindowSeconds;
  const now = () => Math.floor(Date.now() / 1000);

  test.each([-window + 10, window - 10])('may be %i seconds off', async (skew) => {
    expect((await call(requestOf('balance'), { seconds: now() + skew })).status).toBe(200);
  });

  test.each([-window - 10, window + 10, -1_000_000])('may not be %i seconds off', async (skew) => {
    expectRefusal(await call(requestOf('balance'), { seconds: now() + skew }), {
      status: 401,
      code: 'signature_expired',
      field: 'X-Signature',
    });
  });
});

describe('a request that is sent again', () => {
  const replayed = { status: 401, code: 'signature_replayed', field: 'X-Signature' };

  test('every process refuses a request that is sent again', async () => {
    const request = withHeader(requestOf('balance'), headerOf(requestOf('balance')));
    expect((await send(first.origin, request)).status).toBe(200);
    expectRefusal(await send(first.origin, request), replayed);
    expectRefusal(await send(second.origin, request), replayed);
  });

  test('sent many times at once is accepted once', async () => {
    const request = withHeader(requestOf('balance'), headerOf(requestOf('balance')));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        return await send(index % 2 === 0 ? first.origin : second.origin, request);
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('signed again gets the first answer of its reference', async () => {
    const payer = await first.addVendor();
    const income = signed(usualParams('collect', payer.vid), 'demo-collector-key');
    await send(first.origin, encode(PATHS.collect, income, 'json'));
    const fund = { vid: payer.vid, currency: 'KES', time: String(Date.now()) };
    await send(first.origin, encode(PATHS.fund, signed(fund, payer.key), 'json'));
    const create = encode(
      PATHS.create,
      {
        vid: payer.vid,
        biller_name: 'safaricom',
        amount: '5.00',
        account: '254722000000',
        merchant_reference: fresh('order'),
      },
      'json',
    );
    const sent = withHeader(create, headerOf(create, { key: payer.key }));
    const accepted = await send(first.origin, sent);
    expect(accepted.status, accepted.text).toBe(200);
    expectRefusal(await send(first.origin, sent), replayed);
    const again = await call(create, { key: payer.key });
    expect(again.text).toBe(accepted.text);
  });

  test('one vendor’s request uses no nonce of another vendor', async () => {
    const other = await first.addVendor();
    const nonce = randomBytes(16).toString('hex');
    const theirs = encode(PATHS.balance, { vid: other.vid }, 'json');
    expect((await call(theirs, { key: other.key, nonce })).status).toBe(200);
    expect((await call(requestOf('balance'), { nonce })).status).toBe(200);
  });

  test('keeps its nonce as long as its time is valid, and no longer', async () => {
    const { pool } = first.service;
    const count = async () => (await pool.query('select * from request_nonces')).rowCount ?? 0;
    const kept = await count();
    expect(kept).toBeGreaterThan(0);
    const inWindow = new Date(Date.now() + (LIMITS.signatureWindowSeconds - 30) * 1000);
    await deleteExpiredNonces(pool, inWindow);
    const request = withHeader(requestOf('balance'), headerOf(requestOf('balance')));
    expect((await send(first.origin, request)).status).toBe(200);
    const later = new Date(Date.now() + LIMITS.signatureWindowSeconds * 3000);
    expect(await deleteExpiredNonces(pool, later)).toBeGreaterThan(0);
    expect(await count()).toBe(0);
  });

  test('costs nothing for callers who sign by hash', async () => {
    const { pool } = first.service;
    await deleteExpiredNonces(pool, new Date('2100-01-01'));
    await first.demo().call('balance');
    expect((await pool.query('select * from request_nonces')).rowCount).toBe(0);
  });
});
