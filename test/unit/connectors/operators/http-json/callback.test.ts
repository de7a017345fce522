import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSignedCallback } from '../../../../../src/connectors/operators/http-json/callback.ts';
import { createSigning } from '../../../../../src/connectors/operators/http-json/signing.ts';

const KEY_BYTES = Buffer.alloc(32, 'an operator’s key ');
const KEY = `whsec_${KEY_BYTES.toString('base64')}`;
const signing = createSigning(KEY);

const PAID = {
  status: 'paid',
  reference: 'REF',
  operator_reference: 'OP-1',
  amount: '100.00',
  currency: 'KES',
  message: 'Malipo yamepokelewa – asante',
  paid_at: '2026-03-01T10:00:00Z',
};

/** Headers as Standard Webhooks describes them, made without our code or the library. */
function headersFor(
  body: string | Buffer,
  changes: { readonly key?: Buffer; readonly ageSeconds?: number; readonly id?: string } = {},
) {
  const id = changes.id ?? 'msg_1';
  const timestamp = String(Math.floor(Date.now() / 1000) - (changes.ageSeconds ?? 0));
  const signature = createHmac('sha256', changes.key ?? KEY_BYTES)
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

function read(
  body: string | Buffer,
  headers: Record<string, string | undefined> = headersFor(body),
) {
  return readSignedCallback({ headers, path: '', body: Buffer.from(body) }, signing, 1024);
}

describe('a callback', () => {
  test('reports a paid payment', () => {
    expect(read(JSON.stringify(PAID))).toEqual({
      kind: 'reports',
      reports: [
        {
          reference: 'REF',
          outcome: {
            kind: 'paid',
            operatorReference: 'OP-1',
            amountCents: 100_00n,
            message: PAID.message,
            details: {},
          },
        },
      ],
    });
  });

  test('reports a declined payment', () => {
    const body = { status: 'declined', reference: 'REF', code: 'closed', message: 'Closed' };
    expect(read(JSON.stringify(body))).toEqual({
      kind: 'reports',
      reports: [
        {
          reference: 'REF',
          outcome: {
            kind: 'declined',
            code: 'closed',
            failureCode: 'declined',
            message: 'Closed',
          },
        },
      ],
    });
  });

  test.each([
    ['\u0000\u0000', '  '],
    ['a\nb\ud800', 'a b\ufffd'],
    ['é'.repeat(201), 'é'.repeat(200)],
  ])('about the reference %j is reported as it can be kept', (reference, kept) => {
    const reading = read(JSON.stringify({ status: 'declined', reference, code: 'c', message: '' }));
    expect(reading).toMatchObject({ kind: 'reports', reports: [{ reference: kept }] });
  });

  test.each([
    { status: 'accepted', reference: 'REF' },
    { status: 'processing', reference: 'REF' },
    { status: 'unavailable', reference: 'REF', code: 'busy', message: 'Later' },
  ])('$status reports nothing', (body) => {
    expect(read(JSON.stringify(body))).toEqual({ kind: 'reports', reports: [] });
  });

  test('keeps a callback with a repeated name for people, and settles nothing', () => {
    const body = JSON.stringify(PAID).replace('{', '{"amount":"1.00",');
    expect(read(body)).toMatchObject({
      kind: 'reports',
      reports: [{ reference: 'REF', outcome: { kind: 'mismatch', says: null } }],
    });
    expect(read(body, headersFor(JSON.stringify(PAID)))).toMatchObject({ kind: 'refused' });
  });

  test.each([
    ['is nobody’s', { status: 'not_found', reference: 'REF' }],
    ['is a conflict', { status: 'conflict', reference: 'REF' }],
    ['is an instruction of ours sent back', { reference: 'REF', biller: 'b', amount: '100.00' }],
    ['has no amount', { ...PAID, amount: undefined }],
  ])('cannot read a callback that %s', (_what, body) => {
    expect(read(JSON.stringify(body))).toEqual({
      kind: 'unreadable',
      problem: 'the body does not follow the protocol',
      reference: 'REF',
    });
  });
});

describe('a signature', () => {
  const body = JSON.stringify(PAID);
  const invalid = { kind: 'refused', reason: 'the signature is not valid' };

  test('a signature within the tolerance is accepted, one of several too', () => {
    expect(read(body, headersFor(body, { ageSeconds: 290 }))).toMatchObject({ kind: 'reports' });
    expect(read(body, headersFor(body, { ageSeconds: -290 }))).toMatchObject({ kind: 'reports' });
    const headers = headersFor(body);
    headers['webhook-signature'] = `v1a,x v1,eA== ${headers['webhook-signature']}`;
    expect(read(body, headers)).toMatchObject({ kind: 'reports' });
  });

  test.each([
    ['of another key', headersFor(body, { key: Buffer.alloc(32, 1) })],
    ['that is old', headersFor(body, { ageSeconds: 310 })],
    ['from the future', headersFor(body, { ageSeconds: -310 })],
    ['under another id', { ...headersFor(body), 'webhook-id': 'msg_2' }],
    ['under another time', { ...headersFor(body), 'webhook-timestamp': '1' }],
    ['of another version', replacedSignature('v2,')],
    ['that is empty', { ...headersFor(body), 'webhook-signature': '' }],
    ['that is missing', { ...headersFor(body), 'webhook-signature': undefined }],
    ['without any header', {}],
  ])('%s is refused', (_what, headers) => {
    expect(read(body, headers)).toEqual(invalid);
  });

  test('refuses a signature of other bytes, although they parse to the same content', () => {
    expect(read(body.replace('100.00', '900.00'), headersFor(body))).toEqual(invalid);
    expect(read(`${body} `, headersFor(body))).toEqual(invalid);
    const broken = Buffer.from(body.replace('yamepokelewa', 'yamepokelewa\ufffd'));
    const other = Buffer.from(
      broken.toString('latin1').replace('\u00ef\u00bf\u00bd', '\u00ff'),
      'latin1',
    );
    expect(read(other, headersFor(broken))).toEqual({
      kind: 'refused',
      reason: 'the body is not UTF-8',
    });
  });

  test('a signature over too large a body is not checked', () => {
    const large = JSON.stringify({ ...PAID, message: 'x'.repeat(1024) });
    expect(read(large)).toEqual({ kind: 'refused', reason: 'the body is too large' });
  });

  test('makes signatures as the standard defines them', () => {
    const headers = signing.headers(body);
    const timestamp = headers['webhook-timestamp'];
    const expected = createHmac('sha256', KEY_BYTES)
      .update(`${headers['webhook-id']}.${timestamp}.${body}`)
      .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(signing.headers(body)['webhook-id']).not.toBe(headers['webhook-id']);
  });

  function replacedSignature(version: string) {
    const headers = headersFor(body);
    return {
      ...headers,
      'webhook-signature': headers['webhook-signature'].replace('v1,', version),
    };
  }
});

describe('a key', () => {
  test.each([
    ['', 'bytes'],
    ['whsec_', 'bytes'],
    [Buffer.alloc(23, 1).toString('base64'), '24 to 64 bytes'],
    [Buffer.alloc(65, 1).toString('base64'), '24 to 64 bytes'],
    ['demo-security-key', 'base64'],
    [`${KEY} `, 'base64'],
  ])('%j is refused', (key, reason) => {
    expect(() => createSigning(key)).toThrow(reason);
  });

  test('may do without its prefix', () => {
    const bare = createSigning(KEY.slice('whsec_'.length));
    expect(signing.verify('{}', bare.headers('{}'))).toBe(true);
  });
});
