import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { callbacks } from '../../../../../src/connectors/operators/africastalking/callbacks.ts';
import {
  classifyFind,
  classifySend,
  classifyUser,
} from '../../../../../src/connectors/operators/africastalking/classify.ts';
import { africastalking } from '../../../../../src/connectors/operators/africastalking/protocol.ts';
import {
  findPath,
  idempotencyKey,
  sendForm,
  userPath,
} from '../../../../../src/connectors/operators/africastalking/requests.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';
import { AfricastalkingEmulator } from '../../../../../sandbox/providers/africastalking/emulator.ts';

// Sources of the documented requests and answers: AfricasTalkingLtd/africastalking-node.js @7457553
// lib/airtime.js; docs.africastalking.com/airtime/sending; fixtures of
// SamuelMwangiW/africastalking-laravel (May 2025). Compared field by field.

const SENT = { phone: '254700000001', amountCents: 100_00n };
const ID = 'ATQid_0123456789abcdef0123456789abcdef';

test('requests', () => {
  expect(Object.fromEntries(new URLSearchParams(sendForm('sandbox', SENT)))).toEqual({
    username: 'sandbox',
    recipients: '[{"phoneNumber":"+254700000001","amount":"KES 100"}]',
  });
  expect(sendForm('u', { ...SENT, amountCents: 10_50n })).toContain('KES+10.50');
  // 8 to 100 characters.
  expect(idempotencyKey('R'.repeat(32), 2)).toBe(`${'R'.repeat(32)}-2`);
  expect(findPath('u&v', ID)).toBe(`/query/transaction/find?transactionId=${ID}&username=u%26v`);
  expect(userPath('sandbox')).toBe('/version1/user?username=sandbox');
});

function answered(httpStatus: number, content: unknown): Ending {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) };
}
const RESPONSE = {
  phoneNumber: '+254700000001',
  errorMessage: 'None',
  amount: 'KES 100.0000',
  status: 'Sent',
  requestId: ID,
  discount: 'KES 4.0000',
};
const one = (changes: object): Ending =>
  answered(201, { errorMessage: 'None', numSent: 1, responses: [{ ...RESPONSE, ...changes }] });
const none = (errorMessage: unknown, numSent: unknown = 0): Ending =>
  answered(201, { errorMessage, numSent, totalAmount: '0', responses: [] });

describe('an instruction', () => {
  test.each<[string, Ending, object]>([
    ['accepted', one({}), { kind: 'unknown', operatorHandle: ID, answered: true }],
    ['accepted, as Success', one({ status: 'Success' }), { kind: 'unknown', operatorHandle: ID }],
    [
      'accepted without an id',
      one({ requestId: 'None' }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'accepted with another amount',
      one({ amount: 'KES 110.0000' }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'accepted for another number',
      one({ phoneNumber: '+254700000002' }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'for two',
      answered(201, { numSent: 2, responses: [RESPONSE, RESPONSE] }),
      { kind: 'unknown' },
    ],
    ['refused', one({ status: 'Failed', errorMessage: 'x' }), { kind: 'declined' }],
    [
      'refused number',
      one({ status: 'UnsupportedPhoneNumber' }),
      { kind: 'declined', failureCode: 'invalid_account' },
    ],
    [
      'our float is empty',
      one({ status: 'Failed', errorMessage: 'Insufficient Credit' }),
      { kind: 'not_sent', operatorPaused: true },
    ],
    ['an internal error', one({ status: 'InternalError', requestId: 'None' }), { kind: 'unknown' }],
    ['a status of tomorrow', one({ status: 'New' }), { kind: 'unknown', operatorHandle: ID }],
    ['a name of Object', one({ status: 'constructor' }), { kind: 'unknown' }],
    [
      'a duplicate',
      none('A duplicate request was received within the last 5 minutes'),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'a duplicate of the recipient',
      one({ status: 'Failed', errorMessage: 'Duplicate request' }),
      { kind: 'unknown' },
    ],
    [
      'not enabled',
      none('Airtime is not enabled for this account'),
      { kind: 'not_sent', operatorPaused: true },
    ],
    ['another refusal', none('Invalid currency'), { kind: 'declined' }],
    ['nobody, and no reason', none('None'), { kind: 'unknown' }],
    ['nobody, though one was sent', none('x', 1), { kind: 'unknown' }],
    [
      'a bad key',
      answered(401, 'The supplied authentication is invalid'),
      { kind: 'not_sent', operatorPaused: true },
    ],
    ['401 of a proxy', answered(401, '<html>'), { kind: 'unknown' }],
    ['too many', answered(429, { errorMessage: 'x' }), { kind: 'not_sent', operatorPaused: false }],
    ['429 of a proxy', answered(429, ''), { kind: 'unknown' }],
    ['500', answered(500, { errorMessage: 'x', numSent: 0, responses: [] }), { kind: 'unknown' }],
    ['no answer', { kind: 'no_answer', reason: 'x' }, { kind: 'unknown' }],
    ['nothing written', { kind: 'nothing_written', reason: 'x' }, { kind: 'not_sent' }],
  ])('%s', (_what, ending, outcome) => {
    expect(classifySend(ending, SENT)).toMatchObject(outcome);
  });
});

test.each<[string, Ending, object]>([
  [
    'delivered',
    answered(200, { status: 'Success' }),
    { kind: 'paid', operatorReference: ID, amountCents: 100_00n },
  ],
  [
    'the inner status counts',
    answered(200, { status: 'Success', data: { status: 'Sent' } }),
    { kind: 'unknown' },
  ],
  [
    'the query worked, but found nothing',
    answered(200, { status: 'Success', data: null }),
    { kind: 'unknown' },
  ],
  ['failed', answered(200, { status: 'Failed' }), { kind: 'declined' }],
  [
    'the query failed',
    answered(200, { status: 'Failed', errorMessage: 'Transaction not found' }),
    { kind: 'unknown' },
  ],
  [
    'another request',
    answered(200, { status: 'Failed', requestId: 'ATQid_other0000' }),
    { kind: 'unknown' },
  ],
  ['Sent', answered(200, { status: 'Sent' }), { kind: 'unknown', answered: true }],
  ['HTML', answered(200, '<html>'), { kind: 'unknown', answered: false }],
])('reads the answer to the query: %s', (_what, ending, outcome) => {
  expect(classifyFind(ending, { requestId: ID, amountCents: 100_00n })).toMatchObject(outcome);
});

test('the balance is in KES, rounded down', () => {
  const of = (balance: string) => classifyUser(answered(200, { UserData: { balance } }));
  expect(of('KES 1785.5099')).toEqual({ kind: 'balance', balanceCents: 1_785_50n });
  expect(of('KES 0.0000')).toEqual({ kind: 'balance', balanceCents: 0n });
  expect(of('USD 12.0000')).toMatchObject({ kind: 'unknown' });
});

test('a callback, in JSON or as a form, only makes us ask; about an unknown request it does nothing', async () => {
  const sent = {
    reference: 'REF1',
    attemptNumber: 1,
    billerCode: 'airtime',
    account: '0700000001',
    amountCents: 100_00n,
    operatorHandle: ID,
    isOpen: true,
  };
  const find = {
    byReference: async () => undefined,
    byHandle: async (handle: string) => (handle === ID ? sent : undefined),
  };
  const read = async (body: string) =>
    await callbacks.read({ headers: {}, path: '', body: Buffer.from(body) }, find);
  const hint = { reports: [{ reference: 'REF1', outcome: { kind: 'hint', says: null } }] };
  expect(await read(`requestId=${ID}&status=Failed`)).toMatchObject(hint);
  expect(await read(JSON.stringify({ requestId: ID, status: 'Success' }))).toMatchObject(hint);
  expect(await read('requestId=ATQid_unknown00&status=Success')).toMatchObject({ reports: [] });
  expect(await read('status=Success')).toMatchObject({ kind: 'refused' });
});

const SECRET = JSON.stringify({ api_key: 'key' });
const OPERATOR = {
  operatorCode: 'airtime',
  name: 'Airtime',
  connector: 'africastalking',
  baseUrl: 'https://api.africastalking.com',
  settings: { username: 'sandbox', billers: ['airtime'] } as Record<string, unknown>,
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};
const URL = 'https://m.example/callbacks/airtime';

test.each<[string, object, RegExp]>([
  ['without a username', { settings: { billers: ['airtime'] } }, /settings.*username/],
  ['without billers', { settings: { username: 'u', billers: [] } }, /settings\/billers/],
  ['with an unknown setting', { settings: { ...OPERATOR.settings, none: 1 } }, /none/],
  ['without a key', { secret: '{}' }, /secret.*api_key/],
])('an operator cannot be used %s', (_what, changes, message) => {
  expect(() => africastalking.create({ ...OPERATOR, ...changes }, URL)).toThrow(message);
});

test('a key that is used again after five minutes tops up again: nothing here relies on it', async () => {
  const options = { apiKey: 'key', callbackUrl: () => '', deliverAfterMs: 0, wrapsFound: false };
  const emulator = new AfricastalkingEmulator(options);
  const server = createServer(emulator.listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connector = africastalking.create({ ...OPERATOR, baseUrl }, URL);
  const { signal } = new AbortController();
  const given = {
    reference: 'REF1',
    attemptNumber: 1,
    billerCode: 'airtime',
    account: '0711000001',
    phone: null,
    amountCents: 100_00n,
    operatorHandle: null,
  };
  const first = await connector.pay(given, signal);
  expect(first).toMatchObject({
    kind: 'unknown',
    operatorHandle: expect.stringMatching(/^ATQid_/),
  });
  expect(await connector.pay(given, signal)).toMatchObject({
    kind: 'unknown',
    operatorHandle: null,
  });
  await emulator.later.quiet();
  expect(emulator.truth()).toHaveLength(1);
  emulator.skewClock(5 * 60_000);
  await connector.pay(given, signal);
  await emulator.later.quiet();
  expect(emulator.truth()).toHaveLength(2);
  for (const [changes, outcome] of [
    [{ billerCode: 'kplc' }, { kind: 'not_sent', operatorPaused: true }],
    [{ account: '12345' }, { kind: 'declined', failureCode: 'invalid_account' }],
    [{ amountCents: 4_99n }, { kind: 'declined', failureCode: 'amount_not_allowed' }],
    [{ amountCents: 10_000_01n }, { kind: 'declined', failureCode: 'amount_not_allowed' }],
  ] as const) {
    expect(await connector.pay({ ...given, ...changes }, signal)).toMatchObject(outcome);
  }
  await connector.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
