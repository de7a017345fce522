import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, collect, fresh } from '../support/demo-vendors.ts';
import { expectRefusal } from '../support/refusals.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { BODY_FORMS, PATHS, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params, VendorClient } from '../support/vendor-client.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let vendor: VendorClient;
beforeAll(async () => {
  sandbox = await fixture.start();
  vendor = await addFundedVendor(sandbox, { floatAmount: '100000.00' });
});
afterAll(async () => await fixture.cleanUp());

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
  test.each(BODY_FORMS)('accepts special characters as %s', async (form) => {
    const merchant_reference = `${fresh('50% + a/b = #1?')} & Sons`;
    const account = '+254711 222 333';
    const biller_name = 'safaricom';
    const sent = encode(
      PATHS.create,
      signedCreate({ biller_name, account, merchant_reference }),
      form,
    );
    expect(await shownAccount(await send(sandbox.origin, sent))).toEqual([
      '254711222333',
      merchant_reference,
    ]);
  });

  test.each(['100', '100.0', '100.00'])(
    'accepts a JSON number that is signed as written: %s',
    async (amount) => {
      const params = signedCreate({
        amount,
        account: '254711000001',
        merchant_reference: fresh('number'),
      });
      const sent = encode(PATHS.create, params, 'json numbers');
      expect(sent.body).toContain(`"amount": ${amount},`);
      expect((await send(sandbox.origin, sent)).status).toBe(200);
    },
  );

  test('a number that was formatted again does not match its signature', async () => {
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

  test('accepts the hash in capitals', async () => {
    const params = signedCreate({ account: '254711000003' });
    const hash = String(params['hash']).toUpperCase();
    const sent = encode(PATHS.create, { ...params, hash }, 'urlencoded');
    expect((await send(sandbox.origin, sent)).status).toBe(200);
  });

  test('accepts a body in chunks, and one that asks before it is sent', async () => {
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

  test('accepts multipart whose parts say that they are text', async () => {
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

  test('accepts the former name of the reference', async () => {
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
    ['epoch seconds', () => String(Math.floor(Date.now() / 1000) + 2)],
    ['epoch milliseconds', () => String(Date.now())],
    [
      'local time',
      () =>
        new Date(Date.now() + 3 * 3_600_000 + 2_000).toISOString().slice(0, 19).replace('T', ' '),
    ],
  ])('accepts the time of fund as %s', async (_, time) => {
    const shop = await addFundedVendor(sandbox, { floatAmount: '5.00' });
    await collect(sandbox.origin, { vid: shop.vid, amount: '8.00' });
    // A different second from that of the first fund.
    const params = { currency: 'KES', time: time() };
    const first = await shop.call('fund', params);
    expect(first.body.msg).toMatchObject({ status: 1, amount: 8 });
    expect((await shop.call('fund', params)).text).toBe(first.text);
    await collect(sandbox.origin, { vid: shop.vid, amount: '9.00' });
    const second = await shop.call('fund', params);
    expect(second.body.msg).toMatchObject({ status: 1, amount: 9 });
    expect((await shop.call('fund', params)).text).toBe(second.text);
    expect(await shop.balance()).toBe(22);
  });
});
