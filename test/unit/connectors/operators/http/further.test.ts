import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { SentPayment } from '../../../../../src/connectors/operator-callbacks.ts';
import { http } from '../../../../../src/connectors/operators/http/protocol.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';
import { MTN_MOMO_SETTINGS } from '../../../../conformance/subjects/mtn-momo.ts';

// What only some operators need: handles in headers, two steps, encrypted fields, shared secrets.

const SECRET = { api_user: 'user', api_key: 'key', hook: 'shared-1', pin: '4711' };
const INSTRUCTION = {
  reference: 'R1',
  attemptNumber: 1,
  billerCode: 'airtime_top_up',
  account: '254700000001',
  phone: null,
  amountCents: 100_00n,
  operatorHandle: null,
};
const BASE = {
  ...MTN_MOMO_SETTINGS,
  auth: { kind: 'none' },
  handle: undefined,
  headers: undefined,
  constants: { currency: 'KES' },
};
const PAY = {
  path: '/pay',
  json: "{ 'ref': reference, 'currency': constants.currency }",
  answer: { about: 'true', code: 'body.status', classes: { OK: 'unknown' } },
};
const STATUS = {
  method: 'GET',
  path: '/pay/{{ handle }}',
  answer: {
    about: 'body.ref = reference',
    code: 'body.status',
    operator_reference: 'body.receipt',
    amount: 'body.amount',
    classes: { DONE: 'paid' },
  },
};
const never = new AbortController().signal;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function connect(settings: object, baseUrl = 'https://pay.example', secret: object = SECRET) {
  const text = JSON.stringify(secret);
  const operator = {
    ...{ operatorCode: 'op', name: 'Op', connector: 'http', baseUrl },
    settings: settings as Record<string, unknown>,
    ...{ maxConcurrency: 1, maxPerSecond: null, secret: text },
    secrets: [{ secret: text, validUntil: null }],
  };
  const connector = http.create(operator, 'https://m.example/callbacks/op');
  cleanups.push(async () => await connector.close());
  return connector;
}

async function listen(...by: Parameters<typeof startRecordingServer>) {
  const server = await startRecordingServer(...by);
  cleanups.push(async () => await server.close());
  return server;
}

test('the handle is read from a header of an answer without a body', async () => {
  const server = await listen(() => undefined, 201, { location: 'https://x.example/pay/P-77' });
  const answer = {
    ...{ http_status: [201], may_be_empty: true, about: 'true', code: 'http_status' },
    ...{ classes: {}, handle: "$split(headers.location, '/')[-1]" },
  };
  const connector = connect({ ...BASE, pay: { ...PAY, answer }, status: STATUS }, server.origin);
  expect(await connector.pay(INSTRUCTION, never)).toEqual({
    ...{ kind: 'unknown', reason: '201', answered: true },
    operatorHandle: 'P-77',
  });
});

test('an answer without a body is none if the settings do not expect it', async () => {
  const server = await listen(() => undefined, 200);
  const connector = connect({ ...BASE, pay: PAY, status: undefined }, server.origin);
  expect(await connector.pay(INSTRUCTION, never)).toMatchObject({
    kind: 'unknown',
    answered: false,
  });
});

describe('two steps', () => {
  const prepare = {
    path: '/quote',
    json: "{ 'account': account }",
    answer: {
      ...{ about: 'true', code: 'body.status', handle: 'body.quote', message: 'body.text' },
      classes: {
        READY: 'prepared',
        NO: 'declined:invalid_account',
        FULL: 'not_sent:operator_paused',
      },
    },
  };
  const settings = { ...BASE, prepare, pay: { ...PAY, path: '/pay/{{ handle }}' }, status: STATUS };

  test.each([
    [
      { status: 'READY', quote: 'Q1' },
      { kind: 'prepared', operatorHandle: 'Q1' },
    ],
    [
      { status: 'NO', text: 'no' },
      { kind: 'declined', failureCode: 'invalid_account' },
    ],
    [{ status: 'FULL' }, { kind: 'not_sent', operatorPaused: true }],
    // Nothing before the second step moves money.
    [{ status: 'READY' }, { kind: 'not_sent' }],
    [{ status: 'SOMETHING', quote: 'Q1' }, { kind: 'not_sent' }],
    ['<html>', { kind: 'not_sent' }],
  ])('the first is answered %j', async (content, outcome) => {
    const server = await listen(() => content);
    const { prepare: preparation } = connect(settings, server.origin);
    expect(await preparation?.prepare(INSTRUCTION, never)).toMatchObject(outcome);
  });

  test('the second names the first', async () => {
    const server = await listen(() => ({ status: 'OK' }));
    const connector = connect(settings, server.origin);
    await connector.pay({ ...INSTRUCTION, operatorHandle: 'Q1' }, never);
    expect(server.requests).toMatchObject([{ line: 'POST /pay/Q1' }]);
  });

  test.each<[object, RegExp]>([
    [{ handle: 'nonce' }, /both given/],
    [
      { prepare: { ...prepare, answer: { ...prepare.answer, classes: { A: 'paid' } } } },
      /cannot be paid/,
    ],
    [{ prepare: { ...prepare, answer: { ...prepare.answer, classes: {} } } }, /means prepared/],
    [
      { prepare: { ...prepare, answer: { ...prepare.answer, handle: 'nonce' } } },
      /must read the answer/,
    ],
    [
      { pay: { ...PAY, answer: { ...PAY.answer, classes: { A: 'prepared' } } } },
      /cannot be prepared/,
    ],
  ])('settings that contradict themselves are refused (%#)', (changes, error) => {
    expect(() => connect({ ...settings, ...changes })).toThrow(error);
  });
});

describe('an encrypted value', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const pin = {
    text: 'secret.pin',
    public_key: publicKey,
    padding: 'oaep-sha256',
    encoding: 'base64',
  };
  const settings = {
    ...BASE,
    pay: { ...PAY, json: "{ 'pin': encrypted.pin }" },
    status: undefined,
  };

  test('is made anew for each request, and only the operator can read it', async () => {
    const server = await listen(() => ({ status: 'OK' }));
    const connector = connect({ ...settings, encrypted: { pin } }, server.origin);
    for (let times = 0; times < 2; times += 1) await connector.pay(INSTRUCTION, never);
    const sent = server.requests.map(({ body }) => (JSON.parse(body) as { pin: string }).pin);
    expect(new Set(sent).size).toBe(2);
    const by = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    for (const text of sent) {
      expect(privateDecrypt(by, Buffer.from(text, 'base64')).toString()).toBe('4711');
    }
  });

  test('that cannot be made is not sent, and its text is not in the reason', async () => {
    const server = await listen(() => ({ status: 'OK' }));
    const long = { ...SECRET, pin: '4711'.repeat(200) };
    const connector = connect({ ...settings, encrypted: { pin } }, server.origin, long);
    const outcome = await connector.pay(INSTRUCTION, never);
    expect(outcome).toMatchObject({ kind: 'not_sent' });
    expect(JSON.stringify(outcome)).not.toContain('4711');
    expect(server.requests).toEqual([]);
  });

  test('with a private key is refused', () => {
    const encrypted = { pin: { ...pin, public_key: privateKey } };
    expect(() => connect({ ...settings, encrypted })).toThrow(
      /encrypted.pin.public_key is a private/,
    );
  });
});

describe('a callback with a shared secret', () => {
  const callback = {
    reference: 'body.ref',
    signature: {
      ...{ algorithm: 'shared-secret', key: 'hook', value: 'headers.`verif-hash`', time: null },
    },
    outcome: STATUS.answer,
  };
  const sent: SentPayment = { ...INSTRUCTION, isOpen: true };
  const find = { byReference: async () => sent, byHandle: async () => undefined };
  const body = { ref: 'R1', status: 'DONE', receipt: 'X1', amount: '100.00' };
  const read = async (settings: object, given: string | undefined) =>
    await connect({ ...BASE, pay: PAY, callback, ...settings }).callbacks?.read(
      {
        ...{ path: '', body: Buffer.from(JSON.stringify(body)) },
        headers: given === undefined ? {} : { 'verif-hash': given },
      },
      find,
    );

  test('makes the service ask, if the operator can be asked', async () => {
    const status = { ...STATUS, path: '/pay/{{ reference }}' };
    expect(await read({ status }, 'shared-1')).toMatchObject({
      reports: [{ reference: 'R1', outcome: { kind: 'hint', says: null } }],
    });
  });

  test('is believed, if the operator cannot be asked', async () => {
    expect(await read({ status: undefined }, 'shared-1')).toMatchObject({
      reports: [{ reference: 'R1', outcome: { kind: 'paid', operatorReference: 'X1' } }],
    });
  });

  test.each([undefined, '', 'shared-2', 'SHARED-1', 'shared-1 '])(
    'is refused with %j',
    async (given) => {
      expect(await read({ status: undefined }, given)).toMatchObject({ kind: 'refused' });
    },
  );
});

describe('a name that does not exist is refused', () => {
  test.each<[object, RegExp]>([
    [{ pay: { ...PAY, json: "{ 'ref': refrence }" } }, /pay\.json: there is no value refrence/],
    [{ pay: { ...PAY, path: '/pay/{{ acount }}' } }, /pay\.path: there is no value acount/],
    [{ pay: { ...PAY, json: "{ 'c': constants.curency }" } }, /constants has no curency/],
    [{ pay: { ...PAY, answer: { ...PAY.answer, code: '$string(bdy.status)' } } }, /no value bdy/],
  ])('%#', (changes, error) => {
    expect(() => connect({ ...BASE, pay: PAY, status: undefined, ...changes })).toThrow(error);
  });

  test('but the names within lists of an answer are the operator’s own', () => {
    const code = "body.list[kind = 'a' and nested.x = reference].(status & other)[0]";
    const pay = { ...PAY, answer: { ...PAY.answer, code } };
    expect(() => connect({ ...BASE, pay, status: undefined })).not.toThrow();
  });
});
