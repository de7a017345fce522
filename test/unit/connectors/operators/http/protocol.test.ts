import { afterEach, describe, expect, test } from 'vitest';
import { http } from '../../../../../src/connectors/operators/http/protocol.ts';
import { centsOf } from '../../../../../src/connectors/values.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';
import { VTPASS_SETTINGS } from '../../../../conformance/subjects/vtpass.ts';

const SECRET = JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' });
const operator = (settings: object, baseUrl = 'https://pay.example') => ({
  operatorCode: 'op',
  name: 'Op',
  connector: 'http',
  baseUrl,
  settings: settings as Record<string, unknown>,
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [],
  secret: SECRET,
});
const INSTRUCTION = {
  reference: '06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2',
  attemptNumber: 1,
  billerCode: 'kplc_prepaid',
  account: '1111111111111',
  phone: '08011111111',
  amountCents: 1000_00n,
  operatorHandle: null,
};
const never = new AbortController().signal;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(status: number, content: unknown) {
  const server = await startRecordingServer(() => content, status);
  cleanups.push(async () => await server.close());
  return server;
}

function connect(settings: object, origin: string) {
  const connector = http.create(operator(settings, origin), 'https://m.example/callbacks/op');
  cleanups.push(() => connector.close());
  return connector;
}

describe('a configuration is refused with its place', () => {
  const pay = VTPASS_SETTINGS['pay'] as { answer: object };
  const status = VTPASS_SETTINGS['status'] as { answer: object };
  test.each<[object, RegExp]>([
    [{}, /operator op: settings.*declaration/],
    [
      {
        declaration: { ...(VTPASS_SETTINGS['declaration'] as object), proof_of_non_execution: [] },
      },
      /proof_of_non_execution/,
    ],
    [{ unknown: 1 }, /unknown/],
    [{ handle: '$now(' }, /settings\.handle, character \d+/],
    [{ handle: '$match(reference, /a/)' }, /settings\.handle: .*not accepted/],
    [{ pay: { ...pay, answer: { ...pay.answer, classes: { '1': 'perhaps' } } } }, /pay.*classes/],
    [
      { pay: { ...pay, answer: { ...pay.answer, classes: { '1': 'not_found' } } } },
      /settings\.pay\.answer\.classes: “1” cannot be not_found/,
    ],
    [
      { status: { ...status, answer: { ...status.answer, classes: { '1': 'not_sent' } } } },
      /status\.answer\.classes/,
    ],
    [{ pay: { ...pay, answer: { code: 'body.code', classes: { '0': 'paid' } } } }, /needs amount/],
    [{ pay: { ...pay, answer: { ...pay.answer, about: undefined } } }, /pay\.answer needs about/],
    [
      { status: { ...status, answer: { ...status.answer, about: undefined } } },
      /status\.answer needs about/,
    ],
    [{ callback: { handle: 'a', reference: 'b' } }, /either handle or reference/],
    [{ pay: { ...pay, answer: { ...pay.answer, handle: 'reference' } } }, /not read the answer/],
    [{ handle: undefined }, /pay uses handle/],
    // Every payment would be made, and none ever queried.
    [
      { handle: undefined, pay: { method: 'POST', path: '/pay', answer: pay.answer }, status },
      /nothing keeps/,
    ],
    [{ status: undefined }, /callback needs status or signature/],
  ])('the configuration %j is refused with its place', (changes, message) => {
    const whole = Object.keys(changes).length === 0 ? {} : { ...VTPASS_SETTINGS, ...changes };
    const settings = JSON.parse(JSON.stringify(whole)) as object;
    expect(() => http.create(operator(settings), 'https://m.example/callbacks/op')).toThrow(
      message,
    );
  });
});

test('VTpass: twelve digits of today in Lagos, then anything alphanumeric, name an attempt', async () => {
  const connector = connect(VTPASS_SETTINGS, 'https://pay.example');
  expect(await connector.prepare?.prepare(INSTRUCTION, never)).toMatchObject({
    operatorHandle: expect.stringMatching(/^20\d{10}06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2a1$/),
  });
});

test.each([
  ['body.requestId', 'R'],
  // Cannot be evaluated; the payment is paid all the same.
  ['$number(body.requestId)', undefined],
])('a final answer has the handle %s', async (handle, found) => {
  const { origin } = await listen(200, DELIVERED);
  const pay = VTPASS_SETTINGS['pay'] as { answer: object };
  const settings = { ...VTPASS_SETTINGS, pay: { ...pay, answer: { ...pay.answer, handle } } };
  const about = { ...INSTRUCTION, operatorHandle: 'R' };
  const outcome = await connect(settings, origin).pay(about, never);
  expect(outcome).toMatchObject({ kind: 'paid', operatorReference: '1' });
  expect('operatorHandle' in outcome ? outcome.operatorHandle : undefined).toBe(found);
});

const DELIVERED = {
  code: '000',
  content: { transactions: { status: 'delivered', amount: 1000, transactionId: '1' } },
  response_description: 'TRANSACTION SUCCESSFUL',
  requestId: 'R',
};

test.each<[string, object, object]>([
  ['purchased_code', { purchased_code: 'Token : 0000 1111' }, { token: '0000 1111' }],
  [
    'token',
    { token: '00001111222233334444', units: 19.8 },
    { token: '00001111222233334444', units: '19.8' },
  ],
  ['Token', { Token: '1' }, { token: '1' }],
  ['mainToken', { mainToken: '2' }, { token: '2' }],
  ['none', {}, {}],
])('reads VTpass’s token in %s', async (_name, fields, details) => {
  const { origin } = await listen(200, { ...DELIVERED, ...fields });
  const outcome = await connect(VTPASS_SETTINGS, origin).pay(
    { ...INSTRUCTION, operatorHandle: 'R' },
    never,
  );
  expect(outcome).toMatchObject({ kind: 'paid', amountCents: 1000_00n, operatorReference: '1' });
  expect(outcome).toHaveProperty('details', details);
});

test.each<[string, number, object, object]>([
  [
    'pending',
    200,
    { ...DELIVERED, content: { transactions: { status: 'pending' } } },
    { kind: 'unknown', answered: true },
  ],
  [
    'about another request',
    200,
    { ...DELIVERED, requestId: 'S' },
    { kind: 'unknown', answered: false },
  ],
  ['paid, about no request', 200, { ...DELIVERED, requestId: undefined }, { kind: 'unknown' }],
  ['failed, about no request', 200, { code: '016' }, { kind: 'unknown' }],
  ['reversed, about no request', 200, { code: '040' }, { kind: 'unknown' }],
  [
    'paid without an amount',
    200,
    { ...DELIVERED, content: { transactions: { status: 'delivered' } } },
    { kind: 'unknown' },
  ],
  ['a duplicate', 200, { code: '014' }, { kind: 'unknown' }],
  ['an unlisted code', 200, { code: '777' }, { kind: 'unknown' }],
  ['a code of every object', 200, { code: 'constructor' }, { kind: 'unknown' }],
  ['no code', 200, {}, { kind: 'unknown', answered: false }],
  ['a decline under HTTP 500', 500, { code: '011' }, { kind: 'unknown' }],
  ['a decline', 200, { code: '013' }, { kind: 'declined', failureCode: 'amount_not_allowed' }],
  ['a low wallet', 200, { code: '018' }, { kind: 'not_sent', operatorPaused: true }],
  ['not found, to an instruction', 200, { code: '015' }, { kind: 'unknown' }],
])('reads VTpass’s answer: %s', async (_what, status, content, outcome) => {
  const { origin } = await listen(status, content);
  const connector = connect(VTPASS_SETTINGS, origin);
  expect(await connector.pay({ ...INSTRUCTION, operatorHandle: 'R' }, never)).toMatchObject(
    outcome,
  );
});

test('VTpass: a request that cannot be filled is not sent, and says why', async () => {
  const { requests, origin } = await listen(200, DELIVERED);
  const settings = {
    ...VTPASS_SETTINGS,
    pay: { ...(VTPASS_SETTINGS['pay'] as object), path: '/api/pay/{{ service.none }}' },
  };
  expect(await connect(settings, origin).pay(INSTRUCTION, never)).toMatchObject({
    kind: 'not_sent',
    reason: 'settings.pay.path: an expression yields no text',
  });
  expect(requests).toEqual([]);
});

test('looks up a bill and the balance at VTpass', async () => {
  const { origin } = await listen(200, {
    code: '000',
    content: { Customer_Name: 'TEST', Due_Date: '2026-01-31T00:00:00', Renewal_Amount: 2500 },
    contents: { balance: 12.5 },
  });
  const connector = connect(VTPASS_SETTINGS, origin);
  expect(await connector.validate?.({ ...INSTRUCTION }, never)).toEqual({
    kind: 'valid',
    name: 'TEST',
    amountDueCents: 2500_00n,
    dueDate: '2026-01-31',
  });
  expect(await connector.balance?.(never)).toEqual({ kind: 'balance', balanceCents: 12_50n });
});

describe('VTpass: what it sells', () => {
  const billers = {
    tv: { id: 'example-tv' },
    kplc_prepaid: { id: 'example-electric', variation: 'prepaid' },
  };
  const variations = [
    { variation_code: 'basic', name: 'Basic', variation_amount: '600.00', fixedPrice: 'Yes' },
    { variation_code: 'prepaid', name: 'Pre\u202epaid', variation_amount: '0', fixedPrice: 'No' },
  ];

  test('the list is requested for each biller: all its variations, or the one in the settings', async () => {
    const { requests, origin } = await listen(200, { code: '000', content: { variations } });
    const connector = connect({ ...VTPASS_SETTINGS, billers }, origin);
    const first = await connector.products?.(null, never);
    expect(first).toMatchObject({
      next: '1',
      products: [
        {
          productCode: 'example-tv/basic',
          name: 'Basic',
          amount: { minimumCents: 600_00n, maximumCents: 600_00n, currency: 'KES' },
          billerCodes: ['tv'],
        },
        { productCode: 'example-tv/prepaid', name: 'Pre paid', amount: null },
      ],
    });
    expect(await connector.products?.('1', never)).toMatchObject({
      next: null,
      products: [{ productCode: 'example-electric/prepaid', billerCodes: ['kplc_prepaid'] }],
    });
    expect(requests.map(({ line }) => line)).toEqual([
      'GET /api/service-variations?serviceID=example-tv',
      'GET /api/service-variations?serviceID=example-electric',
    ]);
  });

  test.each([
    [{ code: '012' }, 'the answer has no list'],
    [[], 'the answer has no list'],
  ])('the answer %j gives no list', async (content, reason) => {
    const { origin } = await listen(200, content);
    const connector = connect({ ...VTPASS_SETTINGS, billers }, origin);
    expect(await connector.products?.(null, never)).toEqual({ kind: 'unknown', reason });
  });

  test('reads a range of amounts in another currency', async () => {
    const products = {
      method: 'GET',
      path: '/list',
      answer: {
        list: 'body.list',
        code: 'product.id',
        minimum: 'product.from',
        maximum: 'product.to',
        currency: 'USD',
        validity: 'product.days',
      },
    };
    const list = [
      { id: 7, from: 1.5, to: 20, days: '30 days' },
      { id: 8, from: 9, to: 1 },
      { from: 1 },
    ];
    const { origin } = await listen(200, { list });
    const connector = connect({ ...VTPASS_SETTINGS, billers, products }, origin);
    expect(await connector.products?.('1', never)).toMatchObject({
      products: [
        {
          productCode: '7',
          name: '7',
          amount: { minimumCents: 150n, maximumCents: 2_000n, currency: 'USD' },
          validity: '30 days',
        },
        { productCode: '8', amount: null },
      ],
    });
  });
});

test('OAuth requests get a token by form, and then send it as Bearer', async () => {
  const { requests, origin } = await listen(200, {
    access_token: 'T',
    expires_in: 3600,
    code: '099',
  });
  const auth = {
    kind: 'oauth',
    path: '/oauth/token',
    headers: {
      authorization: "'Basic ' & $base64encode(secret.api_key & ':' & secret.secret_key)",
    },
    form: "{ 'client_id': secret.api_key, 'client_secret': secret.secret_key }",
    token: 'body.access_token',
    life_seconds: 'body.expires_in',
  };
  const connector = connect({ ...VTPASS_SETTINGS, auth }, origin);
  await connector.pay({ ...INSTRUCTION, operatorHandle: 'R' }, never);
  await connector.status?.({ ...INSTRUCTION, operatorHandle: 'R' }, never);
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /oauth/token',
    'POST /api/pay',
    'POST /api/requery',
  ]);
  expect(requests[0]?.body).toBe('client_id=a&client_secret=s');
  expect(requests[0]?.headers).toMatchObject({ authorization: 'Basic YTpz' });
  expect(requests[1]?.headers).toMatchObject({ authorization: 'Bearer T' });
});

test.each([
  ['100', 100_00n],
  ['KES 100.0000', 100_00n],
  ['0.5', 50n],
  ['0', undefined],
  ['1e2', undefined],
  ['-1', undefined],
  ['100.005', undefined],
  ['1,000.00', undefined],
  [undefined, undefined],
])('reads the amount %j', (text, cents) => {
  expect(centsOf(text)).toBe(cents);
});
