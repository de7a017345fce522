import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, collect, demoVendor, fresh } from '../support/demo-vendors.ts';
import {
  OPERATIONS,
  READING,
  REFUSAL_KINDS,
  usualParams,
  withHash,
} from '../support/operation-samples.ts';
import { expectRefusal } from '../support/refusals.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { PATHS, encode, send, signatureOf, signed } from '../support/vendor-client.ts';
import type { Answer, OperationName, Params, VendorClient } from '../support/vendor-client.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let vendor: VendorClient;
beforeAll(async () => {
  // As in production: the sandbox accepts any time by default.
  sandbox = await fixture.start({ env: { FUND_WINDOW_SECONDS: '86400' } });
  vendor = await addFundedVendor(sandbox, { floatAmount: '100000.00' });
});
afterAll(async () => await fixture.cleanUp());

describe('refusals', () => {
  test.each(['/nothing', '/transaction', '/billing/', '/transaction/create/', '/%2e%2e/x'])(
    'there is nothing at %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expectRefusal(await send(sandbox.origin, { method, path }), {
          status: 404,
          code: 'unknown_path',
        });
      }
    },
  );

  test.each(OPERATIONS)('%s lists its methods', async (operation) => {
    const allowed = READING.includes(operation) ? ['GET', 'HEAD', 'POST'] : ['POST'];
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (allowed.includes(method)) continue;
      const answer = await send(sandbox.origin, { method, path: `${PATHS[operation]}?vid=demo` });
      expectRefusal(answer, { status: 405, code: 'method_not_allowed' });
      expect(answer.headers.allow?.split(', ').toSorted()).toEqual(allowed);
      expect(answer.body.error?.[0]?.text).toBe(`This path supports only ${answer.headers.allow}`);
    }
  });

  test.each(OPERATIONS)(
    '%s is refused when it is too large, or of another content type',
    async (operation) => {
      const kind = REFUSAL_KINDS.get(operation);
      const post = async (contentType: string | undefined, body: string): Promise<Answer> =>
        await send(sandbox.origin, {
          method: 'POST',
          path: PATHS[operation],
          headers: contentType === undefined ? {} : { 'content-type': contentType },
          body,
        });
      for (const length of [16 * 1024, 1024 * 1024]) {
        const answer = await post('application/json', `{"vid":"${'x'.repeat(length)}"}`);
        expectRefusal(answer, { status: 413, code: 'payload_too_large', kind });
        expect(answer.body.error?.[0]?.text).toMatch(/^A body has at most \d+ bytes here$/);
      }
      for (const contentType of [
        undefined,
        'text/plain',
        'application/xml',
        'nonsense',
        'text/json',
      ]) {
        expectRefusal(await post(contentType, 'vid=demo'), {
          status: 415,
          code: 'unsupported_media_type',
          kind,
        });
      }
    },
  );

  test('an unknown vendor and a wrong hash get the same response', async () => {
    const wrongKey = { vid: vendor.vid, prefix: '722' };
    const unknown = { vid: 'nobody', prefix: '722' };
    const answers = await Promise.all(
      [wrongKey, unknown].map(async (params) => {
        const all = { ...params, hash: signatureOf(params, 'some other key') };
        return await send(sandbox.origin, encode(PATHS.lookup, all, 'json'));
      }),
    );
    for (const answer of answers) {
      expectRefusal(answer, { status: 401, code: 'signature_invalid', field: 'hash' });
    }
    // The sandbox explains the refusal; test/e2e/production.test.ts checks that production does not.
    const bodies = answers.map(({ body }) => ({ ...body, request_id: '', error: [] }));
    expect(bodies[0]).toEqual(bodies[1]);
    expect(answers.map(({ body }) => body.error)).toEqual(
      [wrongKey, unknown].map(({ vid }) => [
        {
          code: 'signature_invalid',
          text: 'The vendor or the signature is not valid',
          field: 'hash',
          signed_text: `prefix=722&vid=${vid}`,
          vid_known: vid === vendor.vid,
        },
      ]),
    );
  });

  test('a signature counts for its vendor and its parameters only', async () => {
    const params = signed({ vid: vendor.vid, prefix: '722' }, vendor.key);
    for (const changed of [
      { ...params, vid: 'demo' },
      { ...params, prefix: '733' },
    ]) {
      expectRefusal(await send(sandbox.origin, encode(PATHS.lookup, changed, 'json')), {
        status: 401,
        code: 'signature_invalid',
        field: 'hash',
      });
    }
  });

  test.each<[OperationName, Params, { status: number; code: string; field?: string }]>([
    ['create', { amount: '4.99' }, { status: 400, code: 'amount_below_minimum', field: 'amount' }],
    ['create', { phone: null }, { status: 400, code: 'missing_field', field: 'phone' }],
    ['create', { biller_name: 'x' }, { status: 404, code: 'unknown_biller', field: 'biller_name' }],
    ['create', { amount: '1e2' }, { status: 400, code: 'invalid_field', field: 'amount' }],
    ['create', { amount: '999999' }, { status: 402, code: 'insufficient_float', field: 'amount' }],
    ['create', { colour: 'red' }, { status: 400, code: 'unknown_field', field: 'colour' }],
    ['create', { account: '' }, { status: 400, code: 'missing_field', field: 'account' }],
    [
      'create',
      { account: '1&amount=50' },
      { status: 400, code: 'ambiguous_value', field: 'account' },
    ],
    [
      'billerStatus',
      { biller_code: 'x' },
      { status: 404, code: 'unknown_biller', field: 'biller_code' },
    ],
    [
      'billerProducts',
      { biller_code: 'x' },
      { status: 404, code: 'unknown_biller', field: 'biller_code' },
    ],
    ['lookup', { prefix: '000' }, { status: 404, code: 'unknown_prefix', field: 'prefix' }],
    ['lookup', { prefix: '0722' }, { status: 400, code: 'invalid_field', field: 'prefix' }],
    ['fund', { currency: 'USD' }, { status: 400, code: 'unsupported_currency', field: 'currency' }],
    ['fund', { time: '1500000000' }, { status: 400, code: 'stale_time', field: 'time' }],
    [
      'validate',
      { account_type: 'zuku' },
      { status: 400, code: 'validation_unavailable', field: 'account_type' },
    ],
    [
      'validate',
      { account_type: 'x' },
      { status: 404, code: 'unknown_biller', field: 'account_type' },
    ],
    [
      'idDecision',
      { nationalID: null },
      { status: 400, code: 'missing_field', field: 'nationalID' },
    ],
    ['idDecision', { nationalID: '999999999' }, { status: 404, code: 'subject_not_found' }],
    ['idDecision', { name1: 'Somebody', name2: 'Else' }, { status: 422, code: 'subject_mismatch' }],
    ['genericScore', { name2: null }, { status: 400, code: 'missing_field', field: 'name2' }],
    [
      'mobileLoanScore',
      { reportSector: '3' },
      { status: 400, code: 'invalid_field', field: 'reportSector' },
    ],
    ['status', { reference: 'x' }, { status: 404, code: 'unknown_reference', field: 'reference' }],
  ])('%s is refused with %o', async (operation, params, wanted) => {
    const all = withHash(
      operation,
      { ...usualParams(operation, vendor.vid), ...params },
      vendor.key,
    );
    const sent = encode(PATHS[operation], all, 'json');
    expectRefusal(await send(sandbox.origin, sent), {
      ...wanted,
      kind: REFUSAL_KINDS.get(operation),
    });
  });

  test('refuses a collection for an unknown vendor, and one with other content', async () => {
    expectRefusal(await collect(sandbox.origin, { vid: 'nobody' }), {
      status: 404,
      code: 'unknown_vendor',
      field: 'vid',
    });
    const reference = fresh('income');
    const first = await collect(sandbox.origin, { vid: vendor.vid, reference, amount: '10.00' });
    expectRefusal(await collect(sandbox.origin, { vid: vendor.vid, reference, amount: '11.00' }), {
      status: 409,
      code: 'reference_reused',
      field: 'reference',
      reference: String(first.body.msg['reference']),
    });
  });

  test('every response forbids content sniffing and contains no version', async () => {
    for (const path of ['/billing/list?vid=demo', '/nothing']) {
      const { headers } = await send(sandbox.origin, { method: 'GET', path });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  });
});

function withoutRequestId(answer: Answer): string {
  const { 'content-length': length, 'content-type': type } = answer.headers;
  return JSON.stringify([
    answer.status,
    length,
    type,
    answer.text.replace(answer.body.request_id ?? '', ''),
  ]);
}

describe('between vendors', () => {
  test('another vendor’s reference is like one that does not exist', async () => {
    const demo = demoVendor(sandbox);
    await demo.fund();
    const theirs = await demo.accepted({ account: '254711000007' });
    const other = demoVendor(sandbox, 'demo2');
    const unknown = `${theirs.slice(0, -1)}${theirs.endsWith('0') ? '1' : '0'}`;
    const answers = await Promise.all(
      [theirs, unknown, 'not-a-reference', 'é'.repeat(500), 'a\0b', 'a\nb', '\u202e'].map(
        (reference) => other.call('status', { reference }),
      ),
    );
    for (const answer of answers) {
      expectRefusal(answer, { status: 404, code: 'unknown_reference', field: 'reference' });
    }
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
    // The owner sees it.
    expect((await demo.call('status', { reference: theirs })).status).toBe(200);
  });

  test('so is another vendor’s merchant_reference, and an invalid one', async () => {
    const own = fresh('order');
    const demo = demoVendor(sandbox);
    await demo.fund();
    await demo.accepted({ account: '254711000009', merchant_reference: own });
    const other = demoVendor(sandbox, 'demo2');
    const answers = await Promise.all(
      [own, own.toUpperCase(), `${own} `, 'x'.repeat(500), 'é', `${own}\0`, `${own}\n`].map(
        (merchant_reference) => other.call('status', { merchant_reference }),
      ),
    );
    for (const answer of answers) {
      const refusal = { status: 404, code: 'unknown_reference', field: 'merchant_reference' };
      expectRefusal(answer, refusal);
    }
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
    expect((await demo.call('status', { merchant_reference: own })).status).toBe(200);
  });

  test('a status is asked for by one reference', async () => {
    const reference = await vendor.accepted({ account: '254722000077', merchant_reference: 'one' });
    const own = { merchant_reference: 'one' };
    for (const both of [
      { ...own, reference },
      { ...own, ipay_reference: reference },
    ]) {
      expectRefusal(await vendor.call('status', both), {
        status: 400,
        code: 'ambiguous_request',
        field: 'merchant_reference',
      });
    }
    for (const nothing of [{}, { reference: '' }, { merchant_reference: '' }]) {
      expectRefusal(await vendor.call('status', nothing), {
        status: 400,
        code: 'missing_field',
        field: 'reference',
      });
    }
    // Until it has ended, two queries may be answered from two states of the payment.
    const found = await until('the payment is SUCCESS', async () => {
      const answer = await vendor.call('status', { ipay_reference: reference });
      return answer.body.msg?.transaction_status === 'SUCCESS' && answer;
    });
    expect(found.body).toEqual((await vendor.call('status', own)).body);
    expect(found.body.msg).toMatchObject({ ipay_reference: reference, ...own });
  });

  test('two vendors may use the same reference', async () => {
    const both = await Promise.all(
      [1, 2].map(async () => await addFundedVendor(sandbox, { floatAmount: '100.00' })),
    );
    const params = { account: '254711000008', merchant_reference: 'INV-1' };
    const references = await Promise.all(both.map((shop) => shop.accepted(params)));
    expect(new Set(references).size).toBe(2);
    expect(await Promise.all(both.map((shop) => shop.balance()))).toEqual([40, 40]);
  });
});
