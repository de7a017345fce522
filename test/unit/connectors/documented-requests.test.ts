import { afterEach, describe, expect, test } from 'vitest';
import { africastalking } from '../../../src/connectors/operators/africastalking/protocol.ts';
import { darajaB2b } from '../../../src/connectors/operators/daraja-b2b/protocol.ts';
import { dtOne } from '../../../src/connectors/operators/dt-one/protocol.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import { httpJson } from '../../../src/connectors/operators/http-json/protocol.ts';
import { jambopay } from '../../../src/connectors/operators/jambopay/protocol.ts';
import type { Protocol, Connector } from '../../../src/connectors/operator.ts';
import { reloadly } from '../../../src/connectors/operators/reloadly/protocol.ts';
import { tingg } from '../../../src/connectors/operators/tingg/protocol.ts';
import { formOf, startRecordingServer } from '../../support/recording-server.ts';
import type { Recorded } from '../../support/recording-server.ts';
import { VTPASS_SETTINGS } from '../../conformance/subjects/vtpass.ts';

// Each request of each connector as it is sent: method, path, credentials and body, compared field by field
// with the provider’s documentation, which each test names.

const CALLBACKS = 'https://m.example/callbacks/op';
const { signal } = new AbortController();
const INSTRUCTION = {
  reference: '06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2',
  attemptNumber: 1,
  billerCode: 'bills',
  account: '0712345678',
  phone: '254700000001',
  amountCents: 500_00n,
  operatorHandle: null,
};
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
const json = (request: Recorded | undefined): unknown => JSON.parse(request?.body ?? '');

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The requests that the connector sends for these calls. */
async function sentBy(
  protocol: Protocol,
  by: {
    readonly settings: object;
    readonly secret: object | string;
    readonly answerTo?: (line: string) => unknown;
    readonly calls: (connector: Connector, origin: string) => Promise<unknown>;
  },
): Promise<readonly Recorded[]> {
  const server = await startRecordingServer(by.answerTo ?? (() => ({})));
  cleanups.push(async () => await server.close());
  const secret = typeof by.secret === 'string' ? by.secret : JSON.stringify(by.secret);
  const operator = {
    operatorCode: 'op',
    name: 'Op',
    connector: 'any',
    baseUrl: server.origin,
    settings: JSON.parse(JSON.stringify(by.settings).replaceAll('ORIGIN', server.origin)) as Record<
      string,
      unknown
    >,
    maxConcurrency: 1,
    maxPerSecond: null,
    secrets: [{ secret, validUntil: null }],
    secret,
  };
  const connector = protocol.create(operator, CALLBACKS);
  cleanups.unshift(async () => await connector.close());
  await by.calls(connector, server.origin);
  return server.requests;
}

// Source: developer.safaricom.co.ke: Authorization, Business Pay Bill, Transaction Status, Account
// Balance; mirrored in JacksCodeVault/mpesa-daraja-mcp: daraja_docs_v3/docs. Bodies: requests.test.ts.
test('Safaricom Daraja gets the requests that its documents show', async () => {
  const handle = 'AG_20260105_0000abcdef0123456789';
  const requests = await sentBy(darajaB2b, {
    settings: {
      short_code: '600100',
      initiator: 'apiop01',
      billers: { bills: { pay_bill: '600200' } },
    },
    secret: {
      consumer_key: 'key',
      consumer_secret: 'secret',
      security_credential: 'A'.repeat(344),
    },
    answerTo: (line) =>
      line.includes('/oauth/')
        ? { access_token: 'T', expires_in: '3599' }
        : { ConversationID: handle, ResponseCode: '0', ResponseDescription: 'Accepted' },
    calls: async (connector) => {
      expect(await connector.pay(INSTRUCTION, signal)).toMatchObject({ operatorHandle: handle });
      await connector.status?.({ ...INSTRUCTION, operatorHandle: handle }, signal);
      expect(await connector.balance?.(signal)).toEqual({ kind: 'asked' });
    },
  });
  expect(requests.map(({ line, headers }) => [line, headers.authorization])).toEqual([
    ['GET /oauth/v1/generate?grant_type=client_credentials', basic('key:secret')],
    ['POST /mpesa/b2b/v1/paymentrequest', 'Bearer T'],
    ['POST /mpesa/transactionstatus/v1/query', 'Bearer T'],
    ['POST /mpesa/accountbalance/v1/query', 'Bearer T'],
  ]);
  for (const { headers } of requests.slice(1)) {
    expect(headers['content-type']).toBe('application/json');
  }
  expect(json(requests[1])).toMatchObject({
    Amount: '500',
    PartyB: '600200',
    Initiator: 'apiop01',
  });
  expect(json(requests[2])).toMatchObject({ OriginalConversationID: handle });
});

// Source: apidocs.jambopay.co.ke/biller-api: security, kplcBillPresentment, kplcTransactionCommit.
test('JamboPay gets the requests that its documents show', async () => {
  const requests = await sentBy(jambopay, {
    settings: { billers: { bills: { stream: 'kplc' } }, phone_number: '254700000009' },
    secret: { username: 'agent', password: 'pass', app_key: 'app' },
    answerTo: (line) =>
      line.endsWith('/token')
        ? { access_token: 'T', token_type: 'bearer', expires_in: 3600 }
        : { TransactionID: 'JP0000000001', MeterNumber: '0712345678', Amount: 500.0 },
    calls: async (connector) => {
      await connector.prepare?.prepare(INSTRUCTION, signal);
      await connector.pay({ ...INSTRUCTION, operatorHandle: 'JP0000000001' }, signal);
    },
  });
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /token',
    'POST /api/payments/POST',
    'PUT /api/payments/PUT',
  ]);
  for (const { headers } of requests) {
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  }
  for (const { headers } of requests.slice(1)) {
    expect(headers).toMatchObject({ authorization: 'bearer T', app_key: 'app' });
  }
  const [token, prepare, commit] = requests.map(({ body }) => formOf(body));
  expect(token).toEqual({ grant_type: 'agency', username: 'agent', password: 'pass' });
  expect(prepare).toEqual({
    Stream: 'kplc',
    PhoneNumber: '254700000001',
    Amount: '500',
    MeterNumber: '0712345678',
    CallbackUrl: expect.stringMatching(/^https:\/\/m\.example\/callbacks\/op\//),
  });
  expect(commit).toEqual({ Stream: 'kplc', TransactionID: 'JP0000000001' });
});

// Source: DVS API, OpenAPI 1.23, mirrored in voxgig-sdk/dtone-sdk @1421077:
// .sdk/def/dtone-dvs-openapi.json. The body of a creation: dt-one/requests.test.ts.
test('DT One gets the requests that its documents show', async () => {
  const requests = await sentBy(dtOne, {
    settings: {
      billers: {
        bills: { product_id: 1001, statement_inquiry: true },
        airtime: { product_id: 1002, identifier: 'mobile_number' },
      },
    },
    secret: { api_key: 'key', api_secret: 'secret' },
    calls: async (connector) => {
      await connector.prepare?.prepare(INSTRUCTION, signal);
      await connector.pay({ ...INSTRUCTION, operatorHandle: '7' }, signal);
      await connector.status?.({ ...INSTRUCTION, operatorHandle: '7' }, signal);
      await connector.status?.(INSTRUCTION, signal);
      await connector.validate?.(INSTRUCTION, signal);
      await connector.validate?.({ ...INSTRUCTION, billerCode: 'airtime' }, signal);
      await connector.balance?.(signal);
      await connector.products?.(null, signal);
    },
  });
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /async/transactions',
    'POST /async/transactions/7/confirm',
    'GET /transactions/7',
    `GET /transactions?external_id=${INSTRUCTION.reference}-1`,
    'POST /lookup/statement-inquiry',
    'POST /lookup/mobile-number',
    'GET /balances',
    'GET /products?country_iso_code=KEN&page=1&per_page=100',
  ]);
  for (const { headers } of requests) expect(headers.authorization).toBe(basic('key:secret'));
  expect(requests[1]?.body).toBe('');
  expect(json(requests[4])).toEqual({ product_id: 1001, account_number: '0712345678' });
  expect(json(requests[5])).toEqual({ mobile_number: '+254712345678' });
});

// Source: Reloadly/reloadly-api-documentation @c774a73 (OpenAPI: authentication, airtime).
test('Reloadly gets the requests that its documents show', async () => {
  const requests = await sentBy(reloadly, {
    settings: {
      auth_url: 'ORIGIN',
      audience: 'https://topups.reloadly.com',
      country: 'UG',
      amounts_in: 'wallet',
      billers: { bills: { network: 341 } },
    },
    secret: { client_id: 'id', client_secret: 'secret', webhook_secret: 'webhook-secret' },
    answerTo: (line) =>
      line.endsWith('/oauth/token')
        ? { access_token: 'T', expires_in: 3600, token_type: 'Bearer' }
        : {},
    calls: async (connector) => {
      await connector.pay(INSTRUCTION, signal);
      await connector.status?.(INSTRUCTION, signal);
      await connector.balance?.(signal);
      await connector.validate?.({ ...INSTRUCTION, account: '+256700000001' }, signal);
      await connector.quote?.(INSTRUCTION, signal);
      await connector.products?.(null, signal);
    },
  });
  const { reference } = INSTRUCTION;
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /oauth/token',
    'POST /topups',
    `GET /topups/reports/transactions?customIdentifier=${reference}&page=1&size=20`,
    'GET /accounts/balance',
    'GET /operators/mnp-lookup/phone/256700000001/countries/UG',
    'POST /operators/fx-rate',
    'GET /operators/countries/UG',
  ]);
  expect(json(requests[0])).toEqual({
    client_id: 'id',
    client_secret: 'secret',
    grant_type: 'client_credentials',
    audience: 'https://topups.reloadly.com',
  });
  for (const { headers } of requests.slice(1)) {
    expect(headers).toMatchObject({
      authorization: 'Bearer T',
      accept: 'application/com.reloadly.topups-v1+json',
    });
  }
  expect(json(requests[1])).toMatchObject({
    operatorId: 341,
    amount: 500,
    customIdentifier: reference,
  });
  expect(json(requests[5])).toEqual({ operatorId: 341, amount: 500 });
});

// Source: AfricasTalkingLtd/africastalking-node.js @7457553 lib/airtime.js;
// docs.africastalking.com/airtime/sending.
test('Africa’s Talking gets the requests that its documents show', async () => {
  const requestId = 'ATQid_0123456789abcdef0123456789abcdef';
  const requests = await sentBy(africastalking, {
    settings: { username: 'sandbox', billers: ['bills'] },
    secret: { api_key: 'key' },
    calls: async (connector) => {
      await connector.pay(INSTRUCTION, signal);
      await connector.status?.({ ...INSTRUCTION, operatorHandle: requestId }, signal);
      await connector.balance?.(signal);
    },
  });
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /version1/airtime/send',
    `GET /query/transaction/find?transactionId=${requestId}&username=sandbox`,
    'GET /version1/user?username=sandbox',
  ]);
  for (const { headers } of requests) {
    expect(headers).toMatchObject({ apikey: 'key', accept: 'application/json' });
  }
  const [send] = requests;
  expect(send?.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    'idempotency-key': `${INSTRUCTION.reference}-1`,
  });
  expect(formOf(send?.body ?? '')).toEqual({
    username: 'sandbox',
    recipients: '[{"phoneNumber":"+254712345678","amount":"KES 500"}]',
  });
});

// Source: docs.tingg.africa/reference: postpayment, querypaymentstatus, querybill, validateaccount,
// queryfloatbalance. Packets: tingg/tingg.test.ts.
test('Tingg gets the requests that its documents show', async () => {
  const requests = await sentBy(tingg, {
    settings: {
      billers: { bills: { service_code: 'KPLC', bills: true }, tv: { service_code: 'TV' } },
      phone_number: '254700000009',
    },
    secret: { username: 'u', password: 'p' },
    calls: async (connector) => {
      await connector.pay(INSTRUCTION, signal);
      await connector.status?.(INSTRUCTION, signal);
      await connector.validate?.(INSTRUCTION, signal);
      await connector.validate?.({ ...INSTRUCTION, billerCode: 'tv' }, signal);
      await connector.balance?.(signal);
    },
  });
  const payload = (packet: object) => ({
    credentials: { username: 'u', password: 'p' },
    packet: [packet],
  });
  const transactionId = `${INSTRUCTION.reference}-1`;
  // Nothing is paid, so the id is any.
  const required = { MSISDN: '254700000009', payerTransactionID: expect.any(String) as string };
  expect(new Set(requests.map(({ line }) => line))).toEqual(
    new Set(['POST /v1/global-api/payments']),
  );
  expect(requests.map((request) => json(request))).toEqual(
    [
      ['BEEP.postPayment', expect.objectContaining({ payerTransactionID: transactionId })],
      ['BEEP.queryPaymentStatus', { payerTransactionID: transactionId }],
      ['BEEP.queryBill', { serviceCode: 'KPLC', accountNumber: '0712345678', ...required }],
      ['BEEP.validateAccount', { serviceCode: 'TV', accountNumber: '0712345678', ...required }],
      ['BEEP.queryFloatBalance', {}],
    ].map(([operation, packet]) => ({
      function: operation,
      countryCode: 'KE',
      payload: payload(packet as object),
    })),
  );
});

// Source: vtpass.com/documentation: authentication (POST: api-key and secret-key, GET: api-key and
// public-key), buying-services, re-query-services, and the electricity pages. The balance has been
// seen in one public client only.
test('VTpass, by configuration, gets the requests that its documents show', async () => {
  const requests = await sentBy(http, {
    settings: {
      ...VTPASS_SETTINGS,
      billers: { bills: { id: 'example-electric', variation: 'prepaid' } },
    },
    secret: { api_key: 'a', secret_key: 's', public_key: 'p' },
    calls: async (connector) => {
      const sent = { ...INSTRUCTION, operatorHandle: '202601051015a' };
      await connector.pay(sent, signal);
      await connector.status?.(sent, signal);
      await connector.validate?.(INSTRUCTION, signal);
      await connector.balance?.(signal);
    },
  });
  expect(
    requests.map(({ line, headers }) => [
      line,
      headers['api-key'],
      headers['secret-key'],
      headers['public-key'],
    ]),
  ).toEqual([
    ['POST /api/pay', 'a', 's', undefined],
    ['POST /api/requery', 'a', 's', undefined],
    ['POST /api/merchant-verify', 'a', 's', undefined],
    ['GET /api/balance', 'a', undefined, 'p'],
  ]);
  expect(requests.slice(0, 3).map((request) => json(request))).toEqual([
    {
      request_id: '202601051015a',
      serviceID: 'example-electric',
      billersCode: '0712345678',
      variation_code: 'prepaid',
      amount: '500.00',
      phone: '254700000001',
    },
    { request_id: '202601051015a' },
    { billersCode: '0712345678', serviceID: 'example-electric', type: 'prepaid' },
  ]);
});

// Source: docs/reference/operator-protocol.md, which is ours.
describe('the operator protocol', () => {
  test('pay, status, account and balance', async () => {
    const requests = await sentBy(httpJson, {
      settings: {},
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      calls: async (connector) => {
        await connector.pay(INSTRUCTION, signal);
        await connector.status?.(INSTRUCTION, signal);
        await connector.validate?.(INSTRUCTION, signal);
        await connector.balance?.(signal);
      },
    });
    const { reference } = INSTRUCTION;
    expect(requests.map((request) => [request.line, json(request)])).toEqual([
      [
        'POST /payments',
        {
          reference,
          biller: 'bills',
          account: '0712345678',
          phone: '254700000001',
          amount: '500.00',
          currency: 'KES',
          callback_url: CALLBACKS,
        },
      ],
      ['POST /payments/status', { reference }],
      [
        'POST /accounts/validate',
        { biller: 'bills', account: '0712345678', phone: '254700000001' },
      ],
      ['POST /balance', {}],
    ]);
    for (const { headers } of requests) {
      expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
      expect(headers).toHaveProperty('webhook-id');
      expect(headers).toHaveProperty('webhook-timestamp');
    }
  });
});
