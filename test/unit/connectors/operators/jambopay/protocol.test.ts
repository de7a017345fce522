import { expect, test } from 'vitest';
import { jambopay } from '../../../../../src/connectors/operators/jambopay/protocol.ts';

const SECRET = jambopay.exampleSecret;
const OPERATOR = {
  operatorCode: 'jambo',
  name: 'JamboPay',
  connector: 'jambopay',
  baseUrl: 'http://127.0.0.1:9/JamboPayServices',
  settings: { billers: { kplc_prepaid: { stream: 'kplc' } }, phone_number: '254700000001' },
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};
const URL = 'https://m.example/callbacks/jambo';

test.each<[string, object, RegExp]>([
  ['without settings', { settings: {} }, /settings.*billers/],
  [
    'with an unknown stream',
    { settings: { ...OPERATOR.settings, billers: { tv: { stream: 'gotv' } } } },
    /billers\/tv/,
  ],
  [
    'with airtime of no network',
    { settings: { ...OPERATOR.settings, billers: { airtime: { stream: 'credit' } } } },
    /billers\/airtime/,
  ],
  [
    'with an invalid phone number',
    { settings: { ...OPERATOR.settings, phone_number: '0700000001' } },
    /phone_number/,
  ],
  ['with an unknown setting', { settings: { ...OPERATOR.settings, none: 1 } }, /none/],
  ['with a shared secret', { secret: 'whsec_x' }, /must be a JSON object/],
  ['without an app key', { secret: '{"username":"a","password":"b"}' }, /secret.*app_key/],
  ['with plain http', { baseUrl: 'http://api.example' }, /https/],
])('an operator %s cannot be used', (_what, changes, message) => {
  expect(() => jambopay.create({ ...OPERATOR, ...changes }, URL)).toThrow(message);
  expect(() => jambopay.create({ ...OPERATOR, ...changes }, URL)).not.toThrow(/whsec_x|"b"/);
});

test('nothing is sent without a connection, at either step, nor for a biller without a stream', async () => {
  const connector = jambopay.create(OPERATOR, URL);
  const signal = new AbortController().signal;
  const instruction = {
    reference: 'R1',
    attemptNumber: 1,
    billerCode: 'kplc_prepaid',
    account: '1',
    phone: null,
    amountCents: 500_00n,
    operatorHandle: 'JP1',
  };
  const prepared = await connector.prepare?.prepare(instruction, signal);
  expect(prepared).toMatchObject({ kind: 'not_sent', answered: false });
  expect(await connector.pay(instruction, signal)).toMatchObject({ kind: 'not_sent' });
  const other = { ...instruction, billerCode: 'gotv' };
  expect(await connector.pay(other, signal)).toMatchObject({ operatorPaused: true });
  expect(await connector.pay({ ...instruction, operatorHandle: null }, signal)).toMatchObject({
    kind: 'not_sent',
  });
  await connector.close();
});
