import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { http } from '../../../../../src/connectors/operators/http/protocol.ts';
import type { CallbackRequest } from '../../../../../src/connectors/operator-callbacks.ts';
import { EXAMPLE_FORMS_SETTINGS } from '../../../../conformance/subjects/example-forms.ts';
import { EXAMPLE_XML_SETTINGS } from '../../../../conformance/subjects/example-xml.ts';

// Signed callbacks, and settings about signatures, tokens and amounts that cannot be used.

const SECRET = { api_id: 'id', request_key: 'request', callback_key: 'new' };
const FORMER = { ...SECRET, callback_key: 'former' };
const SENT = {
  reference: 'REF1',
  attemptNumber: 1,
  billerCode: 'nairobi_water',
  account: '1',
  amountCents: 120_00n,
  operatorHandle: null,
  isOpen: true,
};
const find = {
  byReference: async (reference: string) => (reference === SENT.reference ? SENT : undefined),
  byHandle: async () => undefined,
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const connector of open.splice(0)) await connector.close();
});

function connect(settings: object, secrets: readonly object[] = [SECRET]) {
  const [newest = SECRET] = secrets;
  const connector = http.create(
    {
      operatorCode: 'op',
      connector: 'http',
      baseUrl: 'https://pay.example/base',
      settings: JSON.parse(JSON.stringify(settings)) as Record<string, unknown>,
      maxConcurrency: 1,
      secrets: secrets.map((secret, at) => ({
        secret: JSON.stringify(secret),
        validUntil: at === 0 ? null : new Date(Date.now() + (at === 1 ? 60_000 : -60_000)),
      })),
      secret: JSON.stringify(newest),
    },
    'https://m.example/callbacks/op',
  );
  open.push(connector);
  return connector;
}

const bill = (code: string, key = 'REF1') =>
  `<Bill><Key>${key}</Key><Code>${code}</Code><Receipt>R1</Receipt><Paid unit="cents">12000</Paid></Bill>`;

/** A callback signed like the provider’s, with the time of Nairobi. */
function callback(body: string, { key = 'new', ageMs = 0 } = {}): CallbackRequest {
  const local = new Date(Date.now() - ageMs + 3 * 3_600_000).toISOString();
  const time = local.replaceAll(/\D/g, '').slice(0, 14);
  const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('base64');
  const headers = { 'x-time': time, 'x-signature': signature };
  return { path: '', body: Buffer.from(body), headers };
}

const read = async (request: CallbackRequest, secrets?: readonly object[]) =>
  await connect(EXAMPLE_XML_SETTINGS, secrets).callbacks?.read(request, find);

const PAID = { kind: 'paid', operatorReference: 'R1', amountCents: 120_00n };

describe('a signed callback', () => {
  test.each([
    ['00', PAID],
    ['22', { kind: 'declined', code: '22', failureCode: 'operator_refused' }],
    ['70', { kind: 'reversed' }],
    ['01', { kind: 'hint', says: null }],
    ['90', { kind: 'hint', says: null }],
    ['constructor', { kind: 'hint', says: null }],
  ])('reads the code %s of a signed callback', async (code, outcome) => {
    expect(await read(callback(bill(code)))).toMatchObject({
      kind: 'reports',
      reports: [{ reference: 'REF1', outcome }],
    });
  });

  test('keeps a callback about an unknown payment for people', async () => {
    const settings = {
      ...EXAMPLE_XML_SETTINGS,
      callback: {
        ...(EXAMPLE_XML_SETTINGS['callback'] as object),
        outcome: { code: 'body.Bill.Code', classes: { '22': 'declined' } },
      },
    };
    const reading = await connect(settings).callbacks?.read(callback(bill('22', 'OTHER')), find);
    expect(reading).toMatchObject({
      reports: [{ reference: 'OTHER', outcome: { kind: 'declined' } }],
    });
  });

  test('settles nothing if the handle of a callback looks like our reference', async () => {
    const { reference, ...others } = EXAMPLE_XML_SETTINGS['callback'] as Record<string, unknown>;
    const outcome = { code: 'body.Bill.Code', classes: { '22': 'declined' } };
    const settings = {
      ...EXAMPLE_XML_SETTINGS,
      callback: { ...others, outcome, handle: reference },
    };
    const readBy = async (code: string, handle: string) => {
      const byHandle = async (named: string) => (named === 'H1' ? SENT : undefined);
      const request = callback(bill(code, handle));
      return await connect(settings).callbacks?.read(request, { ...find, byHandle });
    };
    const says = { kind: 'declined' };
    expect(await readBy('22', 'H1')).toMatchObject({
      reports: [{ reference: 'REF1', outcome: says }],
    });
    const unknown = { kind: 'mismatch', reason: 'no payment has this handle' };
    expect(await readBy('22', 'REF1')).toMatchObject({
      reports: [{ outcome: { ...unknown, says } }],
    });
    // It may be about money that we do not know about.
    expect(await readBy('01', 'REF1')).toMatchObject({
      reports: [{ outcome: { ...unknown, says: null } }],
    });
  });

  test.each([
    ['paid, with an amount that cannot be read', bill('00').replace('12000', '120.00 KES')],
    ['no code', bill('00').replace('<Code>00</Code>', '')],
  ])('is kept with its bytes for people: %s', async (_, body) => {
    const reading = { kind: 'unreadable', reference: 'REF1', problem: expect.any(String) };
    expect(await read(callback(body))).toEqual(reading);
  });

  test('may have a byte that is not UTF-8 if the signature is of the bytes', async () => {
    const { signature, ...others } = EXAMPLE_XML_SETTINGS['callback'] as Record<string, object>;
    const ofBytes = { ...signature, text: 'body_text' };
    const settings = { ...EXAMPLE_XML_SETTINGS, callback: { ...others, signature: ofBytes } };
    const body = Buffer.concat([
      Buffer.from('<Bill><Name>Nj'),
      Buffer.from([0xe9]),
      Buffer.from(`</Name>${bill('00').slice(6)}`),
    ]);
    const signed = (bytes: Buffer) => {
      const { headers } = callback('');
      const mac = createHmac('sha256', 'new').update(bytes).digest('base64');
      return { path: '', body: bytes, headers: { ...headers, 'x-signature': mac } };
    };
    expect(await connect(settings).callbacks?.read(signed(body), find)).toMatchObject({
      reports: [{ reference: 'REF1', outcome: PAID }],
    });
    const altered = { ...signed(body), body: Buffer.from(body.toString()) };
    expect(await connect(settings).callbacks?.read(altered, find)).toMatchObject({
      kind: 'refused',
    });
  });

  test('keeps handles if it names its payment only by them', async () => {
    const { reference, signature, ...others } = EXAMPLE_XML_SETTINGS['callback'] as Record<
      string,
      unknown
    >;
    const keepsHandles = (changes: object) =>
      connect({ ...EXAMPLE_XML_SETTINGS, callback: { ...others, ...changes } }).callbacks
        ?.keepsHandles;
    expect(keepsHandles({ signature, handle: reference })).toBe(true);
    expect(keepsHandles({ signature, reference })).toBe(false);
    // Nothing of it is believed.
    expect(keepsHandles({ handle: reference })).toBe(false);
  });

  test.each<[string, CallbackRequest]>([
    ['signed with another key', callback(bill('00'), { key: 'other' })],
    ['changed', { ...callback(bill('00')), body: Buffer.from(bill('70')) }],
    ['without a signature', { ...callback(bill('00')), headers: {} }],
    ['without its time', { ...callback(bill('00')), headers: { 'x-signature': 'AAAA' } }],
    ['ten minutes old', callback(bill('00'), { ageMs: 600_000 })],
    ['ten minutes ahead', callback(bill('00'), { ageMs: -600_000 })],
    ['not UTF-8', { ...callback(bill('00')), body: Buffer.from([0xff, 0xfe]) }],
  ])('%s is refused', async (_what, request) => {
    expect(await read(request)).toMatchObject({ kind: 'refused' });
  });

  test.each<[string, CallbackRequest]>([
    ['not XML', callback('<Bill>')],
    ['without a key', callback('<Bill><Code>00</Code></Bill>')],
    ['with two keys', callback(bill('00').replace('<Key>', '<Key>A</Key><Key>'))],
  ])('%s is authentic, and cannot be read', async (_what, request) => {
    expect(await read(request)).toMatchObject({ kind: 'unreadable', reference: null });
  });

  test('may be signed with a former key until that expires', async () => {
    const former = callback(bill('00'), { key: 'former' });
    expect(await read(former, [SECRET, FORMER])).toMatchObject({ kind: 'reports' });
    expect(await read(former, [SECRET, SECRET, FORMER])).toMatchObject({ kind: 'refused' });
    // A former secret from settings without this part.
    expect(await read(callback(bill('00')), [SECRET, { api_id: 'id' }])).toMatchObject({
      kind: 'reports',
    });
  });
});

test('an amount that the operator does not take is declined and never sent', async () => {
  const instruction = { ...SENT, phone: null, amountCents: 120_50n };
  const connector = connect(EXAMPLE_XML_SETTINGS);
  const signal = new AbortController().signal;
  expect(await connector.pay(instruction, signal)).toMatchObject({
    kind: 'declined',
    failureCode: 'amount_not_allowed',
    message: 'The operator takes multiples of 1.00 only',
  });
  const other = { ...instruction, amountCents: 120_00n, billerCode: 'constructor' };
  expect(await connector.pay(other, signal)).toMatchObject({
    kind: 'not_sent',
    operatorPaused: true,
    reason: 'the settings have no biller constructor',
  });
});

describe('settings that cannot be used are named', () => {
  const {
    callback: xmlCallback,
    signing,
    pay,
  } = EXAMPLE_XML_SETTINGS as unknown as {
    callback: { signature: object };
    signing: object;
    pay: object;
  };
  const signed = (changes: object) => ({
    callback: { ...xmlCallback, signature: { ...xmlCallback.signature, ...changes } },
  });
  test.each<[object, RegExp]>([
    [
      { signing: { ...signing, key: 'none' } },
      /settings\.signing\.key names no part of the secret: none/,
    ],
    [{ signing: { ...signing, key: undefined } }, /settings\.signing needs key/],
    [{ signing: { ...signing, algorithm: 'md5' } }, /settings\/signing\/algorithm/],
    [{ signing: { ...signing, text: '$now(' } }, /settings\.signing\.text, character/],
    [
      { signing: { ...signing, headers: { 'x-a': 'b.' } } },
      /settings\.signing\.headers\.x-a, character/,
    ],
    [signed({ key: 'none' }), /settings\.callback\.signature\.key names no part/],
    [
      signed({ key: undefined }),
      /callback\.signature needs key, a part of the secret, for hmac-sha256/,
    ],
    [signed({ algorithm: 'rsa-sha256' }), /callback\.signature needs public_key for rsa-sha256/],
    [
      signed({ algorithm: 'rsa-sha256', key: undefined, public_key: 'x' }),
      /settings\.callback\.signature\.public_key is not an RSA public key/,
    ],
    [signed({ time: undefined }), /callback\/signature.*time/],
    [{ status: undefined }, /callback needs outcome/],
    [{ pay: { ...pay, headers: { a: '(' } } }, /settings\.pay\.headers\.a, character/],
    [{ headers: { 'a b': "'x'" } }, /settings\/headers/],
    [{ billers: {} }, /settings\/billers/],
    [{ amounts: { step: '0.00' } }, /settings\.amounts\.step must be above 0/],
    [{ amounts: { step: '1.000' } }, /settings\/amounts\/step/],
    [{ answer_format: 'yaml' }, /settings\/answer_format/],
    [{ auth: { kind: 'token' } }, /settings\/auth/],
  ])('%#: %s', (changes, message) => {
    expect(() => connect({ ...EXAMPLE_XML_SETTINGS, ...changes })).toThrow(message);
  });

  test('a token address must be https', () => {
    const { auth } = EXAMPLE_FORMS_SETTINGS as unknown as { auth: object };
    const settings = { ...EXAMPLE_XML_SETTINGS, auth: { ...auth, base_url: 'http://a.example' } };
    expect(() => connect(settings)).toThrow(/operator op: settings\.auth\.base_url must be https/);
  });
});
