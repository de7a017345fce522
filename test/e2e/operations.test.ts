import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, collect, demoVendor, fresh } from '../support/demo-vendors.ts';
import { expectRefusal } from '../support/refusals.ts';
import { SandboxWorkshop } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import {
  BODY_FORMS,
  PATHS,
  UNSIGNED,
  encode,
  send,
  signatureOf,
  signed,
} from '../support/vendor-client.ts';
import type {
  Answer,
  BodyForm,
  OperationName,
  Params,
  VendorClient,
  WireRequest,
} from '../support/vendor-client.ts';

const workshop = new SandboxWorkshop();
let sandbox: Sandbox;
let vendor: VendorClient;
beforeAll(async () => {
  // As in production; the sandbox takes any time of its own accord.
  sandbox = await workshop.start({ env: { FUND_WINDOW_SECONDS: '86400' } });
  vendor = await addFundedVendor(sandbox, { floatAmount: '100000.00' });
});
afterAll(async () => await workshop.cleanUp());

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const TEXT = expect.stringMatching(/\S/) as string;
const WHEN = expect.stringMatching(TIME) as string;
const REFERENCE = expect.stringMatching(/^[0-9A-Z]{32}$/) as string;

/** The operations that take GET; all take POST. */
const READING: readonly OperationName[] = ['list', 'billerStatus', 'balance'];

function request(operation: OperationName, params: Params, form: BodyForm): WireRequest {
  const all = { vid: vendor.vid, ...params };
  return encode(PATHS[operation], UNSIGNED.has(operation) ? all : signed(all, vendor.key), form);
}

function expectSuccess(answer: Answer, body: unknown): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual(body);
}

const GOTV = {
  biller_name: 'GOtv',
  biller_code: 'gotv',
  biller_category: 'tv',
  minimum_balance: '50.00',
  secondary_account: 'true',
};

/** Each operation's parameters, new for each request, and the exact answer. */
const OPERATIONS: Readonly<
  Record<Exclude<OperationName, 'status' | 'collect'>, () => { params: Params; body: unknown }>
> = {
  fund: () => ({
    params: { currency: 'KES', time: String(Date.now()) },
    body: {
      header_status: 200,
      msg: {
        status: 1,
        text: 'amount moved',
        amount: 12.5,
        reference: REFERENCE,
        posted_time: WHEN,
      },
    },
  }),
  list: () => ({
    params: {},
    body: {
      header_status: 200,
      data: expect.arrayContaining([
        GOTV,
        {
          biller_name: 'Safaricom Airtime',
          biller_code: 'safaricom',
          biller_category: 'airtime',
          minimum_balance: '5.00',
          secondary_account: 'false',
        },
      ]) as unknown,
    },
  }),
  billerStatus: () => ({
    params: { biller_code: 'gotv' },
    body: { header_status: 200, data: { ...GOTV, status: 'ONLINE' } },
  }),
  create: () => ({
    params: {
      biller_name: 'gotv',
      amount: '50.00',
      account: '2012345678',
      phone: '254722000000',
      merchant_reference: fresh('form'),
    },
    body: {
      header_status: 200,
      msg: { status: 1, text: TEXT, ipay_reference: REFERENCE, posted_time: WHEN },
    },
  }),
  validate: () => ({
    params: { account: '2012345678', account_type: 'gotv', phone: '254722000000' },
    body: {
      header_status: 200,
      status: 1,
      text: 'SUCCESS',
      account_data: {
        account: '2012345678',
        name: TEXT,
        amountdue: expect.stringMatching(/^\d+\.\d{2}$/) as string,
      },
      prefix: '722',
    },
  }),
  lookup: () => ({
    params: { prefix: '722' },
    body: { header_status: 200, data: { prefix: '722', operator: 'safaricom' } },
  }),
  balance: () => ({
    params: {},
    body: { header_status: 200, balance: expect.any(Number) as number },
  }),
};

describe.each(BODY_FORMS)('parameters as %s', (form) => {
  test.each(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])('%s', async (operation) => {
    const { params, body } = OPERATIONS[operation]();
    if (operation === 'fund') await collect(sandbox.origin, { vid: vendor.vid, amount: '12.50' });
    expectSuccess(await send(sandbox.origin, request(operation, params, form)), body);
  });

  test('collect', async () => {
    const reference = fresh('income');
    for (const paid_at of ['2026-01-05T09:00:00+03:00', '1767592800', '1767592800000']) {
      // For another vendor: this one’s income is what the fund test counts.
      const params = { vid: 'demo2', reference, amount: '7.25', paid_at };
      expectSuccess(await collect(sandbox.origin, params, form), {
        header_status: 200,
        msg: {
          status: 1,
          text: 'amount collected',
          amount: 7.25,
          reference: REFERENCE,
          posted_time: WHEN,
        },
      });
    }
  });

  test('status of an electricity payment', async () => {
    const merchantReference = fresh('form');
    const account = '37299999901';
    const create = { biller_name: 'kplc_prepaid', amount: '75', account };
    const created = await send(
      sandbox.origin,
      request('create', { ...create, merchant_reference: merchantReference }, form),
    );
    const reference = String(created.body.msg['ipay_reference']);
    const status = await until('it is paid', async () => {
      const answer = await send(sandbox.origin, request('status', { reference }, form));
      return answer.text.includes('"SUCCESS"') && answer;
    });
    const fields = {
      biller_response_time: WHEN,
      biller_reference: TEXT,
      transaction_status: 'SUCCESS',
      transaction_message: TEXT,
      account,
      amount: 75,
      biller_name: 'kplc_prepaid',
    };
    expectSuccess(status, {
      header_status: 200,
      msg: {
        status: 1,
        text: {
          ...fields,
          details: { token: expect.stringMatching(/^\d{20}$/) as string, units: '3.00' },
        },
        ipay_reference: reference,
        posted_time: created.body.msg['posted_time'],
        merchant_reference: merchantReference,
        ...fields,
      },
    });
  });
});

describe('reading operations', () => {
  test.each(READING)('%s by GET', async (operation) => {
    const { params, body } = OPERATIONS[operation as 'list']();
    const get = { ...request(operation, params, 'query'), method: 'GET' };
    expectSuccess(await send(sandbox.origin, get), body);
  });

  test('have a HEAD', async () => {
    const answer = await send(sandbox.origin, { method: 'HEAD', path: '/billing/list?vid=demo' });
    expect(answer).toMatchObject({ status: 200, text: '' });
  });
});

describe('before the operator’s word', () => {
  test('everything is there, null while unknown', async () => {
    const reference = await vendor.accepted({ account: '254700009909', amount: '60' });
    const answer = await until('it is sent', async () => {
      const status = await vendor.call('status', { reference });
      return status.text.includes('"PENDING"') && status;
    });
    const fields = {
      biller_response_time: null,
      biller_reference: null,
      transaction_status: 'PENDING',
      transaction_message: null,
      account: '254700009909',
      amount: 60,
      biller_name: 'safaricom',
    };
    expectSuccess(answer, {
      header_status: 200,
      msg: {
        status: 1,
        text: { ...fields, details: null },
        ipay_reference: reference,
        posted_time: WHEN,
        merchant_reference: null,
        ...fields,
      },
    });
  });

  test('a failure says 0', async () => {
    const reference = await vendor.accepted({ account: '254700009902' });
    const answer = await until('it fails', async () => {
      const status = await vendor.call('status', { reference });
      return status.text.includes('"FAILED"') && status;
    });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('error');
    expect(answer.body.msg).toMatchObject({
      status: 0,
      transaction_status: 'FAILED',
      transaction_message: TEXT,
      biller_reference: null,
      biller_response_time: WHEN,
    });
  });

  test('nothing to fund is no error', async () => {
    const idle = await addFundedVendor(sandbox, { floatAmount: '5.00' });
    expectSuccess(await idle.call('fund', { currency: 'KES', time: String(Date.now() + 1000) }), {
      header_status: 200,
      msg: { status: 0, text: TEXT, amount: 0, reference: '', posted_time: WHEN },
    });
  });

  test('an account that the biller does not know is an answer, not a refusal', async () => {
    const answer = await vendor.call('validate', { account: '123459902', account_type: 'dstv' });
    expectSuccess(answer, {
      header_status: 200,
      status: 0,
      text: TEXT,
      account_data: { account: '123459902', name: null, amountdue: null },
      prefix: null,
    });
    expect(JSON.parse(answer.text)).not.toMatchObject({ text: 'SUCCESS' });
  });
});

function signedCreate(params: Params): Params {
  return signed({ vid: vendor.vid, biller_name: 'safaricom', amount: '60', ...params }, vendor.key);
}

async function shownAccount(answer: Answer): Promise<unknown> {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  const reference = String(answer.body.msg['ipay_reference']);
  const status = await vendor.call('status', { reference });
  return [status.body.msg['account'], status.body.msg['merchant_reference']];
}

describe('what real programs send', () => {
  test.each(BODY_FORMS)('special characters as %s', async (form) => {
    const merchant_reference = `${fresh('50% + a/b')} & Sons = #1?`;
    const account = '+254711 222 333';
    const sent = encode(PATHS.create, signedCreate({ account, merchant_reference }), form);
    expect(await shownAccount(await send(sandbox.origin, sent))).toEqual([
      account,
      merchant_reference,
    ]);
  });

  test.each(['100', '100.0', '100.00'])('a JSON number signed as written: %s', async (amount) => {
    const params = signedCreate({
      amount,
      account: '254711000001',
      merchant_reference: fresh('number'),
    });
    const sent = encode(PATHS.create, params, 'json numbers');
    expect(sent.body).toContain(`"amount": ${amount},`);
    expect((await send(sandbox.origin, sent)).status).toBe(200);
  });

  test('a number that was formatted anew does not match its signature', async () => {
    const params = signedCreate({ amount: '100.00', account: '254711000001' });
    const sent = encode(PATHS.create, { ...params, amount: '100' }, 'json numbers');
    expectRefusal(await send(sandbox.origin, sent), {
      status: 401,
      code: 'signature_invalid',
      field: 'hash',
    });
  });

  test('null is left out of the signature, empty text is not', async () => {
    const params = { account: '254711000002', phone: '', merchant_reference: null };
    const sent = encode(PATHS.create, signedCreate(params), 'json');
    expect((await send(sandbox.origin, sent)).status).toBe(200);
  });

  test('the hash in capitals', async () => {
    const params = signedCreate({ account: '254711000003' });
    const hash = String(params['hash']).toUpperCase();
    const sent = encode(PATHS.create, { ...params, hash }, 'urlencoded');
    expect((await send(sandbox.origin, sent)).status).toBe(200);
  });

  test('a body in chunks, and one that asks before it is sent', async () => {
    for (const header of [{ 'transfer-encoding': 'chunked' }, { expect: '100-continue' }]) {
      const params = signedCreate({ account: '254711000004', merchant_reference: fresh('chunk') });
      const sent = encode(PATHS.create, params, 'multipart');
      const answer = await send(sandbox.origin, {
        ...sent,
        headers: { ...sent.headers, ...header },
      });
      expect(answer, JSON.stringify(header)).toMatchObject({ status: 200 });
    }
  });

  test('multipart whose parts say that they are text', async () => {
    const params = signedCreate({ account: '254711000005', merchant_reference: fresh('java') });
    const body = Object.entries(params).map(
      ([name, value]) =>
        `--b o\r\nContent-Disposition: form-data; name="${name}"\r\n` +
        `Content-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${value}\r\n`,
    );
    const answer = await send(sandbox.origin, {
      method: 'POST',
      path: PATHS.create,
      headers: { 'content-type': 'multipart/form-data; boundary="b o"' },
      body: `${body.join('')}--b o--\r\n`,
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  });

  test('the former name of the reference', async () => {
    const reference = await vendor.accepted({ account: '254711000006' });
    const byAlias = await vendor.call('status', { ipay_reference: reference });
    const byBoth = await vendor.call('status', { ipay_reference: reference, reference });
    expect([byAlias.status, byBoth.status]).toEqual([200, 200]);
    expectRefusal(
      await vendor.call('status', { ipay_reference: reference, reference: fresh('other') }),
      { status: 400, code: 'ambiguous_request', field: 'ipay_reference' },
    );
  });

  test.each([
    ['epoch seconds', () => String(Math.floor(Date.now() / 1000))],
    ['epoch milliseconds', () => String(Date.now())],
    [
      'local time',
      () => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
    ],
  ])('the time of fund as %s', async (_, time) => {
    const shop = await addFundedVendor(sandbox, { floatAmount: '5.00' });
    await collect(sandbox.origin, { vid: shop.vid, amount: '8.00' });
    // Another second than the one in which it was funded first.
    const params = { currency: 'KES', time: time() };
    const first = await shop.call('fund', params);
    expect(first.body.msg).toMatchObject({ status: 1, amount: 8 });
    await collect(sandbox.origin, { vid: shop.vid, amount: '9.00' });
    expect((await shop.call('fund', params)).text).toBe(first.text);
    expect(await shop.balance()).toBe(13);
  });
});

describe('refusals', () => {
  const OPERATION_NAMES = Object.keys(PATHS) as OperationName[];

  test.each(['/', '/nothing', '/transaction', '/billing/', '/transaction/create/', '/%2e%2e/x'])(
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

  test.each(OPERATION_NAMES)('%s tells which methods it has', async (operation) => {
    const allowed = READING.includes(operation) ? ['GET', 'HEAD', 'POST'] : ['POST'];
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (allowed.includes(method)) continue;
      const answer = await send(sandbox.origin, { method, path: `${PATHS[operation]}?vid=demo` });
      expectRefusal(answer, { status: 405, code: 'method_not_allowed' });
      expect(answer.headers.allow?.split(', ').toSorted()).toEqual(allowed);
    }
  });

  test.each(OPERATION_NAMES)('%s: too large, and of another content type', async (operation) => {
    const atTopLevel = operation === 'validate';
    const post = async (contentType: string | undefined, body: string): Promise<Answer> =>
      await send(sandbox.origin, {
        method: 'POST',
        path: PATHS[operation],
        headers: contentType === undefined ? {} : { 'content-type': contentType },
        body,
      });
    for (const length of [16 * 1024, 1024 * 1024]) {
      expectRefusal(await post('application/json', `{"vid":"${'x'.repeat(length)}"}`), {
        status: 413,
        code: 'payload_too_large',
        atTopLevel,
      });
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
        atTopLevel,
      });
    }
  });

  test('an unknown vendor and a wrong hash are one and the same', async () => {
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
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
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
    ['create', { biller_name: 'gotv' }, { status: 400, code: 'missing_field', field: 'phone' }],
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
    ['status', { reference: 'x' }, { status: 404, code: 'unknown_reference', field: 'reference' }],
  ])('%s with %o', async (operation, params, wanted) => {
    const usual: Partial<Record<OperationName, Params>> = {
      create: { biller_name: 'safaricom', amount: '60', account: '254722000001' },
      fund: { currency: 'KES', time: String(Date.now()) },
      validate: { account: '12345678', account_type: 'gotv' },
    };
    const sent = request(operation, { ...usual[operation], ...params }, 'json');
    expectRefusal(await send(sandbox.origin, sent), {
      ...wanted,
      atTopLevel: operation === 'validate',
    });
  });

  test('a collection for nobody, and one that changed', async () => {
    expectRefusal(await collect(sandbox.origin, { vid: 'nobody' }), {
      status: 404,
      code: 'unknown_vendor',
      field: 'vid',
    });
    const reference = fresh('income');
    await collect(sandbox.origin, { vid: vendor.vid, reference, amount: '10.00' });
    expectRefusal(await collect(sandbox.origin, { vid: vendor.vid, reference, amount: '11.00' }), {
      status: 409,
      code: 'reference_reused',
      field: 'reference',
    });
  });

  test('every answer forbids guessing its type and carries no version', async () => {
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
  test('another’s reference is like one that never was', async () => {
    const demo = demoVendor(sandbox);
    await demo.fund();
    const theirs = await demo.accepted({ account: '254711000007' });
    const other = demoVendor(sandbox, 'demo2');
    const unknown = `${theirs.slice(0, -1)}${theirs.endsWith('0') ? '1' : '0'}`;
    const answers = await Promise.all(
      [theirs, unknown, 'not-a-reference'].map((reference) => other.call('status', { reference })),
    );
    for (const answer of answers) {
      expectRefusal(answer, { status: 404, code: 'unknown_reference', field: 'reference' });
    }
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
    // The owner sees it.
    expect((await demo.call('status', { reference: theirs })).status).toBe(200);
  });

  test('a reference of one’s own may be another’s too', async () => {
    const both = await Promise.all(
      [1, 2].map(async () => await addFundedVendor(sandbox, { floatAmount: '100.00' })),
    );
    const params = { account: '254711000008', merchant_reference: 'INV-1' };
    const references = await Promise.all(both.map((shop) => shop.accepted(params)));
    expect(new Set(references).size).toBe(2);
    expect(await Promise.all(both.map((shop) => shop.balance()))).toEqual([40, 40]);
  });
});
