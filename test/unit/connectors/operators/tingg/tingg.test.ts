import { describe, expect, test } from 'vitest';
import { createCallbacks } from '../../../../../src/connectors/operators/tingg/callbacks.ts';
import {
  classifyAccount,
  classifyBalance,
  classifyPayment,
  classifyStatus,
} from '../../../../../src/connectors/operators/tingg/classify.ts';
import { tingg } from '../../../../../src/connectors/operators/tingg/protocol.ts';
import {
  accountPacket,
  envelope,
  paymentPacket,
  statusPacket,
  transactionIdOf,
} from '../../../../../src/connectors/operators/tingg/requests.ts';
import { createSecretPaths } from '../../../../../src/connectors/secret-path.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';

// Source of the documented requests and answers: docs.tingg.africa/reference/postpayment,
// querypaymentstatus, querybill, validateaccount, queryfloatbalance. Compared field by field.

const SENT = { transactionId: 'p-0001-1', amountCents: 500_00n };

test('a payment is sent as BEEP.postPayment', () => {
  const packet = paymentPacket({
    serviceCode: 'KPLC-PRE',
    phone: '254700000001',
    account: '01234567890',
    transactionId: 'p-0001-1',
    amountCents: 500_50n,
    at: new Date('2026-01-05T21:15:30Z'),
    callbackUrl: 'https://m.example/callbacks/bills/r/K1',
  });
  expect(envelope('BEEP.postPayment', { username: 'u', password: 'p' }, packet)).toEqual({
    function: 'BEEP.postPayment',
    countryCode: 'KE',
    payload: {
      credentials: { username: 'u', password: 'p' },
      packet: [
        {
          serviceCode: 'KPLC-PRE',
          MSISDN: '254700000001',
          accountNumber: '01234567890',
          payerTransactionID: 'p-0001-1',
          amount: 500.5,
          currencyCode: 'KES',
          datePaymentReceived: '2026-01-06 00:15:30',
          narration: 'p-0001-1',
          extraData: { callbackUrl: 'https://m.example/callbacks/bills/r/K1' },
        },
      ],
    },
  });
});

test('questions', () => {
  expect(statusPacket('p-0001-1', null)).toEqual({ payerTransactionID: 'p-0001-1' });
  expect(statusPacket('p-0001-1', '9000000001')).toEqual({
    payerTransactionID: 'p-0001-1',
    beepTransactionID: '9000000001',
  });
  const account = {
    serviceCode: 'KPLC',
    account: '1',
    phone: '254700000001',
    transactionId: 'q-1',
  };
  expect(accountPacket(account)).toEqual({
    serviceCode: 'KPLC',
    accountNumber: '1',
    MSISDN: '254700000001',
    payerTransactionID: 'q-1',
  });
  expect(transactionIdOf({ reference: 'R', attemptNumber: 2 })).toBe('R-2');
});

function answered(content: unknown, httpStatus = 200): Ending {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) };
}
const result = (statusCode: unknown, more: object = {}): Ending =>
  answered({
    authStatus: { authStatusCode: 131 },
    results: [{ statusCode, statusDescription: 'x', ...more }],
  });
const refusedCredentials = answered({ authStatus: { authStatusCode: 132 }, results: [] });

describe('an instruction', () => {
  test.each<[string, Ending, object]>([
    ['139', result(139), { kind: 'unknown', answered: true, operatorHandle: null }],
    [
      '139 with the id that the query needs',
      result(139, { beepTransactionID: 9_000_000_001 }),
      { kind: 'unknown', operatorHandle: '9000000001' },
    ],
    ['183 as text: the query brings the receipt', result('183'), { kind: 'unknown' }],
    ['167', result(167), { kind: 'declined', code: '167' }],
    ['231', result('231'), { kind: 'declined', failureCode: 'amount_not_allowed' }],
    ['230', result(230), { kind: 'not_sent', operatorPaused: true }],
    ['174', result(174), { kind: 'unknown' }],
    ['180', result(180), { kind: 'unknown' }],
    ['a code of tomorrow', result(999), { kind: 'unknown' }],
    ['a name of Object', result('constructor'), { kind: 'unknown' }],
    ['another payment', result(167, { payerTransactionID: 'p-0002-1' }), { kind: 'unknown' }],
    [
      'two results',
      answered({
        authStatus: { authStatusCode: 131 },
        results: [{ statusCode: 167 }, { statusCode: 139 }],
      }),
      { kind: 'unknown' },
    ],
    [
      'no result',
      answered({ authStatus: { authStatusCode: 131 }, results: [] }),
      { kind: 'unknown' },
    ],
    ['credentials refused', refusedCredentials, { kind: 'not_sent', operatorPaused: true }],
    [
      'credentials refused, with a result',
      answered({ authStatus: { authStatusCode: 132 }, results: [{ statusCode: 139 }] }),
      { kind: 'unknown' },
    ],
    [
      'not 200',
      answered({ authStatus: { authStatusCode: 132 }, results: [] }, 500),
      { kind: 'unknown' },
    ],
    ['HTML', answered('<html>'), { kind: 'unknown', answered: false }],
    ['no answer', { kind: 'no_answer', reason: 'x' }, { kind: 'unknown' }],
    ['nothing written', { kind: 'nothing_written', reason: 'x' }, { kind: 'not_sent' }],
  ])('%s', (_what, ending, outcome) => {
    expect(classifyPayment(ending, SENT)).toMatchObject(outcome);
  });
});

const RECEIPT = { receiptNumber: 'TG1', payerTransactionID: 'p-0001-1' };
describe('the query', () => {
  test.each<[string, Ending, object]>([
    ['183', result(183, RECEIPT), { kind: 'paid', operatorReference: 'TG1', amountCents: 500_00n }],
    [
      '183 with receipts in JSON text, as documented',
      result(183, { ...RECEIPT, receiptNumber: '["KPLC55231"]' }),
      { kind: 'paid', operatorReference: 'KPLC55231' },
    ],
    [
      '183 with an empty receipt in JSON text',
      result(183, { ...RECEIPT, receiptNumber: '[""]', beepTransactionID: '9000000001' }),
      { kind: 'paid', operatorReference: '9000000001' },
    ],
    ['217: accepted by hand', result(217, RECEIPT), { kind: 'paid' }],
    ['183 without a receipt', result(183, { receiptNumber: '' }), { kind: 'unknown' }],
    ['183 of another', result(183, { ...RECEIPT, payerTransactionID: 'p-2' }), { kind: 'unknown' }],
    ['180', result(180), { kind: 'declined' }],
    ['216: rejected by hand', result(216), { kind: 'declined' }],
    ['180 of another', result(180, { payerTransactionID: 'p-2' }), { kind: 'unknown' }],
    ['143', result(143), { kind: 'not_found' }],
    ...[139, 148, 178, 219, 167, 174, 230].map((code): [string, Ending, object] => [
      String(code),
      result(code),
      { kind: 'unknown', answered: true },
    ]),
    ['credentials refused', refusedCredentials, { kind: 'unknown' }],
    ['nothing written', { kind: 'nothing_written', reason: 'x' }, { kind: 'unknown' }],
  ])('%s', (_what, ending, outcome) => {
    expect(classifyStatus(ending, SENT)).toMatchObject(outcome);
  });

  test('the token is found in the text for people, with its leading zeros', () => {
    const narration = 'Token: 0000-1111-2222-3333-4444 Units: 19.8 kWh';
    expect(
      classifyStatus(result(183, { ...RECEIPT, receiverNarration: narration }), SENT),
    ).toMatchObject({
      details: { narration, token: '00001111222233334444', units: '19.8' },
    });
    const other = classifyStatus(
      result(183, { ...RECEIPT, receiverNarration: 'Thank you 123' }),
      SENT,
    );
    expect(other).toMatchObject({ details: { narration: 'Thank you 123' } });
  });
});

test('accounts, bills and float', () => {
  const bill = { dueAmount: '2500.50', dueDate: '2026-01-31 00:00:00', customerName: 'A' };
  expect(classifyAccount(result(308, bill))).toEqual({
    kind: 'valid',
    name: 'A',
    amountDueCents: 2_500_50n,
    dueDate: '2026-01-31',
  });
  expect(classifyAccount(result(308, { ...bill, currency: 'UGX' }))).toMatchObject({
    amountDueCents: null,
  });
  expect(classifyAccount(result(307, { active: 'no' }))).toMatchObject({ kind: 'invalid' });
  expect(classifyAccount(result(306))).toMatchObject({ kind: 'invalid' });
  expect(classifyAccount(result(301))).toMatchObject({ kind: 'unknown' });
  expect(classifyBalance(result(418, { balance: 12.5, currencyCode: 'KES' }))).toEqual({
    kind: 'balance',
    balanceCents: 12_50n,
  });
  expect(classifyBalance(result(418, { balance: 1, currencyCode: 'USD' }))).toMatchObject({
    kind: 'unknown',
  });
});

test('a callback: only its secret URL counts, and it only makes us ask', async () => {
  const paths = createSecretPaths('bills', [{ secret: 's', validUntil: null }]);
  const callbacks = createCallbacks(paths);
  const sent = {
    reference: 'REF1',
    attemptNumber: 2,
    billerCode: 'kplc',
    account: '1',
    amountCents: 1n,
    operatorHandle: null,
    isOpen: true,
  };
  const find = { byReference: async () => sent, byHandle: async () => undefined };
  const read = async (path: string) =>
    await callbacks.read(
      { headers: {}, path, body: Buffer.from('{"results":[{"statusCode":180}]}') },
      find,
    );
  const path = (attemptNumber: number) =>
    paths.make({ kind: 'r', reference: 'REF1', attemptNumber });
  expect(await read(path(2))).toMatchObject({
    reports: [{ reference: 'REF1', outcome: { kind: 'hint', says: null } }],
  });
  expect(await read(path(1))).toMatchObject({ reports: [{ outcome: { kind: 'mismatch' } }] });
  expect(await read('r/1/2/00')).toMatchObject({ kind: 'refused' });
  // Anything else is sent again every 30 seconds for a day.
  expect(callbacks.acceptedBody).toMatchObject({ results: [{ statusCode: 183 }] });
});

const SECRET = JSON.stringify({ username: 'u', password: 'p' });
const OPERATOR = {
  operatorCode: 'bills',
  name: 'Bills',
  connector: 'tingg',
  baseUrl: 'https://api.tingg.africa',
  settings: {
    billers: { kplc: { service_code: 'KPLC' } },
    phone_number: '254700000001',
  } as Record<string, unknown>,
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};
const URL = 'https://m.example/callbacks/bills';

test.each<[string, object, RegExp]>([
  ['without billers', { settings: { phone_number: '254700000001' } }, /settings.*billers/],
  ['without a number', { settings: { billers: {} } }, /settings.*phone_number/],
  ['with an unknown setting', { settings: { ...OPERATOR.settings, none: 1 } }, /none/],
  ['without a password', { secret: '{"username":"u"}' }, /secret.*password/],
])('an operator cannot be used %s', (_what, changes, message) => {
  expect(() => tingg.create({ ...OPERATOR, ...changes }, URL)).toThrow(message);
});

test('a biller without a service pays nothing; not found is no proof unless it was promised', async () => {
  const connector = tingg.create(OPERATOR, URL);
  expect(connector.acceptanceWindowMs).toBeNull();
  const given = {
    reference: 'R',
    attemptNumber: 1,
    billerCode: 'none',
    account: '1',
    phone: null,
    amountCents: 1_00n,
    operatorHandle: null,
  };
  const outcome = await connector.pay(given, new AbortController().signal);
  expect(outcome).toMatchObject({ kind: 'not_sent', operatorPaused: true });
  await connector.close();
});
