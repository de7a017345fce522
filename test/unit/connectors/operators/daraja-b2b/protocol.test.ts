import { describe, expect, test } from 'vitest';
import type { PaymentInstruction } from '../../../../../src/connectors/operator-outcomes.ts';
import { darajaB2b } from '../../../../../src/connectors/operators/daraja-b2b/protocol.ts';

const SECRET = darajaB2b.exampleSecret;
const OPERATOR = {
  operatorCode: 'paybills',
  name: 'Pay bills',
  connector: 'daraja-b2b',
  // Nothing listens there: an instruction that is not refused earlier would be "not sent".
  baseUrl: 'http://127.0.0.1:9',
  settings: {
    short_code: '600100',
    initiator: 'apiop01',
    billers: {
      nairobi_water: { pay_bill: '600200' },
      school: { pay_bill: '600300', account_reference: 'F#{account}' },
    },
  } as Record<string, unknown>,
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};
const URL = 'https://m.example/callbacks/paybills';
const INSTRUCTION: PaymentInstruction = {
  reference: 'R1',
  attemptNumber: 1,
  billerCode: 'nairobi_water',
  account: '12345678901',
  phone: null,
  amountCents: 190_00n,
  operatorHandle: null,
};

describe('an operator cannot be used', () => {
  test.each<[string, object, string, RegExp]>([
    ['without settings', { settings: {} }, URL, /settings.*short_code/],
    [
      'with an invalid pay bill',
      { settings: { ...OPERATOR.settings, billers: { a: { pay_bill: 'x' } } } },
      URL,
      /billers/,
    ],
    [
      'with a biller that has neither a pay bill nor a till',
      { settings: { ...OPERATOR.settings, billers: { a: {} } } },
      URL,
      /billers\.a needs pay_bill, or till/,
    ],
    [
      'with a biller that has a pay bill and a till',
      {
        settings: { ...OPERATOR.settings, billers: { a: { pay_bill: '600200', till: '600201' } } },
      },
      URL,
      /billers\.a needs pay_bill, or till/,
    ],
    [
      'with the identifier type of a till for a pay bill',
      {
        settings: {
          ...OPERATOR.settings,
          billers: { a: { pay_bill: '600200', identifier_type: '2' } },
        },
      },
      URL,
      /billers\.a needs pay_bill, or till/,
    ],
    ['with an unknown setting', { settings: { ...OPERATOR.settings, none: 1 } }, URL, /none/],
    ['with a shared secret', { secret: 'whsec_x' }, URL, /must be a JSON object/],
    [
      'without a credential',
      { secret: '{"consumer_key":"a","consumer_secret":"b"}' },
      URL,
      /security_credential/,
    ],
    ['with a callback URL that Daraja refuses', {}, 'https://m.example/callbacks/mpesa', /“mpesa”/],
    ['with plain http callbacks', {}, 'http://m.example/callbacks/x', /https only/],
    ['with plain http', { baseUrl: 'http://api.example' }, URL, /https/],
  ])('%s', (_what, changes, url, message) => {
    expect(() => darajaB2b.create({ ...OPERATOR, ...changes }, url)).toThrow(message);
  });
});

test.each<[string, Partial<PaymentInstruction>, object]>([
  ['cents', { amountCents: 190_50n }, { kind: 'declined', failureCode: 'amount_not_allowed' }],
  [
    'an account that is too long',
    { account: '12345678901234' },
    { kind: 'declined', failureCode: 'invalid_account' },
  ],
  [
    'a biller without a pay bill number',
    { billerCode: 'gotv' },
    { kind: 'not_sent', operatorPaused: true, answered: true },
  ],
  [
    'a rule that makes the account too long',
    { billerCode: 'school', account: '123456789012' },
    { kind: 'declined' },
  ],
  ['no connection', {}, { kind: 'not_sent', answered: false }],
])('%s: nothing is sent', async (_what, changes, outcome) => {
  const connector = darajaB2b.create(OPERATOR, URL);
  const signal = new AbortController().signal;
  expect(await connector.pay({ ...INSTRUCTION, ...changes }, signal)).toMatchObject(outcome);
  await connector.close();
});

test('a Result and a status query that say that our float is too low pause the operator', async () => {
  const connector = darajaB2b.create(OPERATOR, URL);
  const query = { ...INSTRUCTION, operatorHandle: 'AG_1:::1:over' };
  expect(await connector.status?.(query, new AbortController().signal)).toMatchObject({
    kind: 'not_sent',
    operatorPaused: true,
  });
  await connector.close();
});

test('without a ConversationID nothing is asked', async () => {
  const connector = darajaB2b.create(OPERATOR, URL);
  const asked = await connector.status?.(INSTRUCTION, new AbortController().signal);
  expect(asked).toMatchObject({ kind: 'unknown', answered: true });
  await connector.close();
});
