import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProducts } from '../../../../../src/connectors/operators/reloadly/products.ts';
import { reloadly } from '../../../../../src/connectors/operators/reloadly/protocol.ts';
import type { PaymentInstruction } from '../../../../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../../../../src/connectors/operator.ts';
import { ReloadlyEmulator } from '../../../../../sandbox/providers/reloadly/emulator.ts';
import { createGateway } from '../../../../../sandbox/providers/reloadly/listener.ts';

const SECRET = JSON.stringify({
  client_id: 'client',
  client_secret: 'secret',
  webhook_secret: 'webhook-secret',
});
const OPERATOR = {
  operatorCode: 'airtime',
  name: 'Reloadly',
  connector: 'reloadly',
  baseUrl: 'https://topups.reloadly.com',
  settings: { billers: { airtime: { network: 341 } } } as Record<string, unknown>,
  maxConcurrency: 2,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};
const URL = 'https://m.example/callbacks/airtime';

describe('an operator cannot be used', () => {
  test.each<[string, object, RegExp]>([
    ['without billers', { settings: {} }, /settings.*billers/],
    ['with an invalid network', { settings: { billers: { a: { network: 'x' } } } }, /network/],
    ['with an unknown setting', { settings: { ...OPERATOR.settings, none: 1 } }, /none/],
    [
      'with plain http for tokens',
      { settings: { ...OPERATOR.settings, auth_url: 'http://a.example' } },
      /settings\/auth_url must be https/,
    ],
    [
      'with failures that are final too early',
      { settings: { ...OPERATOR.settings, settles_after_ms: 1_799_999 } },
      /settings\/settles_after_ms must be at least 1800000/,
    ],
    ['with plain http', { baseUrl: 'http://a.example' }, /base URL must be https/],
    ['with a shared secret', { secret: 'whsec_x' }, /must be a JSON object/],
    [
      'without a webhook secret',
      { secret: '{"client_id":"a","client_secret":"b"}' },
      /secret.*webhook_secret/,
    ],
  ])('%s', (_what, changes, message) => {
    expect(() => reloadly.create({ ...OPERATOR, ...changes }, URL)).toThrow(message);
  });
});

let emulator: ReloadlyEmulator;
let gateway: ReturnType<typeof createGateway>;
let server: Server;
let baseUrl: string;
beforeAll(async () => {
  emulator = new ReloadlyEmulator({
    webhookUrl: () => '',
    webhookSecret: 'webhook-secret',
    endsAfterMs: 1,
    recordsAfterMs: 20,
    refusalUsesIdentifier: false,
  });
  gateway = createGateway(emulator, { clientId: 'client', clientSecret: 'secret' });
  server = createServer(gateway.listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const signal = new AbortController().signal;
function connect(settings: object): Connector {
  const audience = 'https://topups.reloadly.com';
  const all = { auth_url: baseUrl, audience, ...OPERATOR.settings, ...settings };
  return reloadly.create({ ...OPERATOR, baseUrl, settings: all }, URL);
}
function instruction(changes: Partial<PaymentInstruction>): PaymentInstruction {
  return {
    reference: 'REF1',
    attemptNumber: 1,
    billerCode: 'airtime',
    account: '0711000001',
    phone: null,
    amountCents: 100_00n,
    operatorHandle: null,
    ...changes,
  };
}

test('two instructions at once under one identifier are both executed: unknown, for people', async () => {
  const connector = connect({});
  const given = instruction({ reference: 'TWICE', account: '0711000002' });
  // The dispatcher never does this: it has one attempt of a payment in progress at a time.
  await Promise.all([connector.pay(given, signal), connector.pay(given, signal)]);
  expect(emulator.truth().filter(({ reference }) => reference === 'TWICE')).toHaveLength(2);
  expect(await connector.status?.(given, signal)).toMatchObject({
    kind: 'unknown',
    reason: 'Reloadly lists several top-ups for this payment',
  });
  await connector.close();
});

test('repeats look for the earlier instruction first, and send nothing when they find one', async () => {
  const connector = connect({});
  const given = instruction({ reference: 'AGAIN', account: '0711000003' });
  await connector.pay(given, signal);
  expect(await connector.pay({ ...given, attemptNumber: 2 }, signal)).toMatchObject({
    kind: 'paid',
  });
  expect(emulator.truth().filter(({ reference }) => reference === 'AGAIN')).toHaveLength(1);
  await connector.close();
});

test('a token of another audience pays nothing, and pauses the operator', async () => {
  const connector = connect({ audience: 'https://utilities.reloadly.com' });
  const given = instruction({ reference: 'AUD', account: '0711000004' });
  expect(await connector.pay(given, signal)).toMatchObject({
    kind: 'not_sent',
    operatorPaused: true,
    answered: true,
  });
  await connector.close();
});

test('a number that was ported is paid through its own network', async () => {
  const connector = connect({ billers: { airtime: { network: 'by_number' } } });
  const given = instruction({ reference: 'PORTED', account: '0733000005' });
  const prepared = await connector.prepare?.prepare(given, signal);
  expect(prepared).toEqual({ kind: 'prepared', operatorHandle: '342' });
  const paying = instruction({ ...given, operatorHandle: '342' });
  expect(await connector.pay(paying, signal)).toMatchObject({ kind: 'paid' });
  for (const [changes, outcome] of [
    [{ account: '0711009922' }, { kind: 'declined', failureCode: 'invalid_account' }],
    [{ account: 'x' }, { kind: 'declined', failureCode: 'invalid_account' }],
    [{ amountCents: 4_99n }, { kind: 'declined', failureCode: 'amount_not_allowed' }],
    [{ billerCode: 'none' }, { kind: 'not_sent', operatorPaused: true }],
  ] as const) {
    const asked = instruction(changes);
    expect(await connector.prepare?.prepare(asked, signal)).toMatchObject(outcome);
  }
  await connector.close();
});

test('an account is checked against the network, and the float is converted to our currency', async () => {
  const connector = connect({});
  const about = { billerCode: 'airtime', phone: null };
  const valid = await connector.validate?.({ ...about, account: '0711000006' }, signal);
  expect(valid).toMatchObject({ kind: 'valid' });
  const other = await connector.validate?.({ ...about, account: '0733000006' }, signal);
  expect(other).toMatchObject({ kind: 'invalid' });
  const balance = await connector.balance?.(signal);
  expect(balance).toMatchObject({ kind: 'balance' });
  await connector.close();
  // Without a network the rate is unknown, so a number in another currency is not a balance.
  const byNumber = connect({ billers: { airtime: { network: 'by_number' } } });
  expect(await byNumber.balance?.(signal)).toMatchObject({ kind: 'unknown', answered: true });
  await byNumber.close();
});

test.each([
  ['a configured network', {}],
  ['the network of the number', { billers: { airtime: { network: 'by_number' } } }],
])('a wallet in our currency: the recipient’s amount is quoted, for %s', async (_, settings) => {
  const connector = connect({ amounts_in: 'wallet', ...settings });
  const asked = { billerCode: 'airtime', account: '0711000007', amountCents: 2_50n };
  expect(await connector.quote?.(asked, signal)).toEqual({
    kind: 'quote',
    amount: '320.5',
    currency: 'KES',
  });
  await connector.close();
});

function answered(content: unknown) {
  const body = Buffer.from(JSON.stringify(content));
  return { kind: 'answer', httpStatus: 200, headers: {}, body } as const;
}

describe('its networks', () => {
  test('lists networks with the amounts that they take, for the billers that use them', async () => {
    const billers = { airtime: { network: 341 }, data: { network: 900 } };
    const connector = connect({ billers });
    const page = await connector.products?.(null, signal);
    const shown = page?.kind === 'page' ? page.products : [];
    expect(shown.map((one) => [one.productCode, one.service, one.value, one.billerCodes])).toEqual([
      ['341', 'Mobile, Airtime', '5 to 10000 KES', ['airtime']],
      ['342', 'Mobile, Airtime', '5 to 10000 KES', []],
      ['900/50', 'Mobile, Data, Bundle', '50 KES', ['data']],
      ['900/100', 'Mobile, Data, Bundle', '100 KES', ['data']],
    ]);
    expect(shown.map(({ amount }) => amount)).toEqual([
      ...[1, 2].map(() => ({ minimumCents: 500n, maximumCents: 1_000_000n, currency: 'KES' })),
      { minimumCents: 5_000n, maximumCents: 5_000n, currency: 'KES' },
      { minimumCents: 10_000n, maximumCents: 10_000n, currency: 'KES' },
    ]);
    await connector.close();
  });

  test('lists networks with amounts of the wallet if the wallet is in our currency', async () => {
    const connector = connect({ amounts_in: 'wallet' });
    const page = await connector.products?.(null, signal);
    expect(page).toMatchObject({
      products: [
        { amount: { minimumCents: 4n, maximumCents: 7_800n, currency: 'USD' } },
        {},
        {},
        {},
      ],
    });
    await connector.close();
  });

  test.each<[string, unknown]>([
    ['no list', { content: [] }],
    ['a text', '<html>'],
  ])('are not known from %s', (_what, content) => {
    const ending = answered(content);
    const listing = { amountsIn: 'recipient', billers: new Map() } as const;
    expect(readProducts(ending, listing)).toMatchObject({ kind: 'unknown' });
  });

  test('does not list networks that are not active, or take no amounts in shillings', () => {
    const network = (changes: object) => ({
      ...{ operatorId: 7, name: 'N', status: 'ACTIVE', denominationType: 'RANGE' },
      ...{ supportsLocalAmounts: true, destinationCurrencyCode: 'KES' },
      ...{ localMinAmount: 5.001, localMaxAmount: 10.009, ...changes },
    });
    const rows = [
      network({ status: 'INACTIVE' }),
      network({}),
      network({ supportsLocalAmounts: false }),
    ];
    const ending = answered(rows);
    const listing = { amountsIn: 'recipient', billers: new Map([['airtime', '7']]) } as const;
    expect(readProducts(ending, listing)).toMatchObject({
      products: [
        { billerCodes: ['airtime'], amount: { minimumCents: 501n, maximumCents: 1_000n } },
        { billerCodes: [] },
      ],
    });
  });
});
