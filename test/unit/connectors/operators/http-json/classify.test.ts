import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  classifyAccount,
  classifyBalance,
  classifyPayment,
  classifyStatus,
} from '../../../../../src/connectors/operators/http-json/classify.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';

const PAID = {
  status: 'paid',
  reference: 'REF',
  operator_reference: 'OP-1',
  amount: '100.00',
  currency: 'KES',
  message: 'Payment received',
  paid_at: '2026-03-01T10:00:00.123+03:00',
  details: { token: '12345678901234567890', units: '4.20' },
};
const DECLINED = { status: 'declined', reference: 'REF', code: 'no_such_account', message: 'No' };
const ACCEPTED = { status: 'accepted', reference: 'REF', handle: 'H-1' };
const UNAVAILABLE = { status: 'unavailable', reference: 'REF', code: 'maintenance', message: 'No' };
const PROCESSING = { status: 'processing', reference: 'REF' };
const CONFLICT = { status: 'conflict', reference: 'REF' };
const NOT_FOUND = { status: 'not_found', reference: 'REF' };

function answered(content: unknown, httpStatus = 200): Ending {
  return { kind: 'answer', httpStatus, body: Buffer.from(JSON.stringify(content)) };
}

function text(body: string | Buffer): Ending {
  return { kind: 'answer', httpStatus: 200, body: Buffer.from(body) };
}

const paymentKind = (ending: Ending) => classifyPayment(ending, 'REF').kind;
const UNHEARD = { kind: 'unknown', operatorHandle: null, answered: false };

describe('an instruction', () => {
  test.each([
    ['paid', answered(PAID), 'paid'],
    ['paid, the currency understood', answered({ ...PAID, currency: undefined }), 'paid'],
    ['paid with names of tomorrow', answered({ ...PAID, fee: { amount: 1 } }), 'paid'],
    ['declined', answered(DECLINED), 'declined'],
    ['declined as 400', answered(DECLINED, 400), 'declined'],
    ['declined as 401', answered(DECLINED, 401), 'declined'],
    ['declined as 403', answered(DECLINED, 403), 'declined'],
    ['declined as 404', answered(DECLINED, 404), 'declined'],
    ['declined as 422', answered(DECLINED, 422), 'declined'],
    ['unavailable', answered(UNAVAILABLE), 'not_sent'],
    ['unavailable as 429', answered(UNAVAILABLE, 429), 'not_sent'],
    ['unavailable as 503', answered(UNAVAILABLE, 503), 'not_sent'],
  ])('%s', (_what, ending, kind) => {
    expect(paymentKind(ending)).toBe(kind);
  });

  test.each([
    ['no_such_account', 200, 'declined'],
    ['invalid_account', 200, 'invalid_account'],
    ['invalid_account', 403, 'invalid_account'],
    ['amount_not_allowed', 422, 'amount_not_allowed'],
    ['operator_refused', 200, 'operator_refused'],
    ['bad_signature', 401, 'operator_refused'],
    ['bad_signature', 403, 'operator_refused'],
    ['bad_signature', 400, 'declined'],
    // Only our own corrections have this code.
    ['corrected', 200, 'declined'],
    ['other', 200, 'declined'],
  ])('declined with %s as %i means %s', (code, httpStatus, failureCode) => {
    const ending = answered({ ...DECLINED, code }, httpStatus);
    const expected = { kind: 'declined', code, failureCode };
    expect(classifyPayment(ending, 'REF')).toMatchObject(expected);
    expect(classifyStatus(ending, 'REF')).toMatchObject(expected);
  });

  test.each([
    ['accepted', answered(ACCEPTED), 'accepted by the operator', 'H-1'],
    [
      'accepted without a handle',
      answered({ ...ACCEPTED, handle: undefined }),
      'accepted by the operator',
      null,
    ],
    ['processing', answered(PROCESSING), 'being processed by the operator', null],
    [
      'conflict',
      answered(CONFLICT, 409),
      'the operator has this reference with different content',
      null,
    ],
  ])('the outcome is unknown, but answered: %s', (_what, ending, reason, operatorHandle) => {
    const outcome = { kind: 'unknown', reason, operatorHandle, answered: true };
    expect(classifyPayment(ending, 'REF')).toEqual(outcome);
  });

  test.each([
    ['another reference', answered({ ...PAID, reference: 'REF2' })],
    ['another reference, declined', answered({ ...DECLINED, reference: 'REF2' }, 400)],
    ['another reference, unavailable', answered({ ...UNAVAILABLE, reference: 'REF2' }, 503)],
    ['no reference', answered({ ...DECLINED, reference: undefined })],
    ['paid as 500', answered(PAID, 500)],
    ['paid as 201', answered(PAID, 201)],
    ['declined as 500', answered(DECLINED, 500)],
    ['declined as 409', answered(DECLINED, 409)],
    ['unavailable as 500', answered(UNAVAILABLE, 500)],
    ['unavailable as 400', answered(UNAVAILABLE, 400)],
    ['conflict as 200', answered(CONFLICT)],
    ['not found', answered(NOT_FOUND, 404)],
    ['a status nobody knows', answered({ ...PAID, status: 'PAID' })],
    ['another currency', answered({ ...PAID, currency: 'USD' })],
    ['a negative amount', answered({ ...PAID, amount: '-100.00' })],
    ['no amount', answered({ ...PAID, amount: '0.00' })],
    ['a number as amount', answered({ ...PAID, amount: 100 })],
    ['three decimals', answered({ ...PAID, amount: '100.000' })],
    ['an amount with a newline', answered({ ...PAID, amount: '100.00\n' })],
    ['an empty operator reference', answered({ ...PAID, operator_reference: '' })],
    ['a long operator reference', answered({ ...PAID, operator_reference: 'x'.repeat(101) })],
    ['a control character', answered({ ...PAID, operator_reference: 'OP\u0000' })],
    ['half a surrogate pair', answered({ ...PAID, operator_reference: 'OP\ud800' })],
    ['a list as message', answered({ ...PAID, message: ['x'] })],
    ['no time', answered({ ...PAID, paid_at: 'yesterday' })],
    ['a number in the details', answered({ ...PAID, details: { token: 1 } })],
    ['a long detail', answered({ ...PAID, details: { token: 'x'.repeat(201) } })],
    ['a detail with a strange name', answered({ ...PAID, details: { 'a b': 'x' } })],
    ['__proto__ in the details', text(JSON.stringify(PAID).replace('"token"', '"__proto__"'))],
    ['17 details', answered({ ...PAID, details: manyDetails(17) })],
    ['a list as details', answered({ ...PAID, details: ['x'] })],
    ['a code with spaces', answered({ ...DECLINED, code: 'no such account' })],
    ['null', answered(null)],
    ['two answers', text(JSON.stringify(PAID) + JSON.stringify(PAID))],
    ['a broken byte', text(Buffer.concat([Buffer.from(JSON.stringify(PAID)), Buffer.of(0xff)]))],
    ['no answer', { kind: 'no_answer', reason: 'the connection was closed' } as const],
    ['a name twice', text(JSON.stringify(DECLINED).replace('{', '{"status":"paid",'))],
    ['a name twice, inside', text(JSON.stringify(PAID).replace('"units"', '"token"'))],
  ])('the outcome is unknown, and not answered: %s', (_what, ending) => {
    expect(classifyPayment(ending, 'REF')).toMatchObject(UNHEARD);
  });

  test('an answer with a byte order mark, and one with a broken byte in its message, are read', () => {
    const body = JSON.stringify({ ...PAID, message: '~' });
    const broken = Buffer.from(body);
    broken[broken.indexOf('~')] = 0xe9;
    expect(classifyPayment(text(`\ufeff${body}`), 'REF')).toMatchObject({ kind: 'paid' });
    expect(classifyPayment(text(broken), 'REF')).toMatchObject({ kind: 'paid' });
  });

  test('paid has the operator’s details', () => {
    expect(classifyPayment(answered(PAID), 'REF')).toEqual({
      kind: 'paid',
      operatorReference: 'OP-1',
      amountCents: 100_00n,
      message: 'Payment received',
      details: PAID.details,
    });
    const sixteen = manyDetails(16);
    expect(classifyPayment(answered({ ...PAID, details: sixteen }), 'REF')).toMatchObject({
      details: sixteen,
    });
    expect(classifyPayment(answered({ ...PAID, details: undefined }), 'REF')).toMatchObject({
      details: {},
    });
  });

  test('only an empty float pauses the operator', () => {
    const empty = { ...UNAVAILABLE, code: 'operator_float_empty' };
    expect(classifyPayment(answered(empty), 'REF')).toEqual({
      kind: 'not_sent',
      reason: 'operator_float_empty: No',
      operatorPaused: true,
      answered: true,
    });
    expect(classifyPayment(answered(UNAVAILABLE), 'REF')).toMatchObject({ operatorPaused: false });
  });

  test('nothing written is proof', () => {
    expect(classifyPayment({ kind: 'nothing_written', reason: 'x' }, 'REF')).toEqual({
      kind: 'not_sent',
      reason: 'x',
      operatorPaused: false,
      answered: false,
    });
  });

  test('messages cannot change the direction of surrounding text', () => {
    const outcome = classifyPayment(answered({ ...DECLINED, message: 'a\u202eb\u2066c' }), 'REF');
    expect(outcome).toMatchObject({ message: 'a b c' });
  });

  test('messages are short enough for the database and for people', () => {
    const message = `a\u0000b\nc\ud800${'x'.repeat(493)}\u{1f600}`;
    const outcome = classifyPayment(answered({ ...DECLINED, message }), 'REF');
    expect(outcome).toMatchObject({ message: `a b c\ufffd${'x'.repeat(493)}` });
  });
});

describe('a status query', () => {
  test.each([
    ['paid', answered(PAID), { kind: 'paid' }],
    ['declined', answered(DECLINED), { kind: 'declined' }],
    ['not found', answered(NOT_FOUND), { kind: 'not_found' }],
    ['not found as 404', answered(NOT_FOUND, 404), { kind: 'not_found' }],
    ['accepted', answered(ACCEPTED), { kind: 'unknown', operatorHandle: 'H-1', answered: true }],
    ['processing', answered(PROCESSING), { kind: 'unknown', answered: true }],
    ['unavailable', answered(UNAVAILABLE, 503), { kind: 'unknown', answered: true }],
    ['conflict', answered(CONFLICT, 409), UNHEARD],
    ['a 404 of something else', answered({ error: 'not found' }, 404), UNHEARD],
    ['another is not found', answered({ ...NOT_FOUND, reference: 'REF2' }), UNHEARD],
    ['nothing written', { kind: 'nothing_written', reason: 'x' } as const, UNHEARD],
    ['no answer', { kind: 'no_answer', reason: 'x' } as const, UNHEARD],
  ])('%s', (_what, ending, outcome) => {
    expect(classifyStatus(ending, 'REF')).toMatchObject(outcome);
  });
});

describe('an account query', () => {
  test.each([
    [
      { status: 'valid', name: ' Amani\u0007 Bahari ', amount_due: '12.5' },
      { kind: 'valid', name: 'Amani  Bahari', amountDueCents: 12_50n, dueDate: null },
    ],
    [
      { status: 'valid', amount_due: '0' },
      { kind: 'valid', name: null, amountDueCents: 0n, dueDate: null },
    ],
    [
      { status: 'valid', name: '  ' },
      { kind: 'valid', name: null, amountDueCents: null, dueDate: null },
    ],
    [
      { status: 'invalid', message: 'No' },
      { kind: 'invalid', message: 'No' },
    ],
  ])('reads %j as the answer to an account query', (content, answer) => {
    expect(classifyAccount(answered(content))).toEqual(answer);
  });

  test.each([
    ['a negative amount due', answered({ status: 'valid', amount_due: '-1.00' })],
    ['a number as name', answered({ status: 'valid', name: 7 })],
    ['valid as 500', answered({ status: 'valid' }, 500)],
    ['nothing', text('')],
    ['no answer', { kind: 'no_answer', reason: 'x' } as const],
    ['nothing written', { kind: 'nothing_written', reason: 'x' } as const],
  ])('%s is no answer', (_what, ending) => {
    expect(classifyAccount(ending)).toMatchObject({ kind: 'unknown' });
  });
});

test.each([
  [answered({ status: 'ok', balance: '12.34', currency: 'KES' }), 12_34n],
  [answered({ status: 'ok', balance: '0', currency: 'KES' }), 0n],
  [answered({ status: 'ok', balance: '12.34', currency: 'USD' }), null],
  [answered({ status: 'ok', balance: 12.34, currency: 'KES' }), null],
  [answered({ status: 'ok', balance: '12.34', currency: 'KES' }, 500), null],
  [text('ok'), null],
  [{ kind: 'no_answer', reason: 'x' } as const, null],
])('reads a balance: %#', (ending, balance) => {
  expect(classifyBalance(ending)).toMatchObject(
    balance === null ? { kind: 'unknown' } : { kind: 'balance', balanceCents: balance },
  );
});

test('no body of any kind throws, and a nearly valid one is not accepted', () => {
  const broken = fc
    .record({ index: fc.nat(JSON.stringify(PAID).length - 1), byte: fc.nat(255) })
    .map(({ index, byte }) => {
      const body = Buffer.from(JSON.stringify({ ...PAID, message: '' }));
      body[index % body.length] = byte;
      return body;
    });
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((json) => Buffer.from(json)),
    broken,
  );
  fc.assert(
    fc.property(anything, fc.constantFrom(200, 400, 404, 409, 500, 503), (body, httpStatus) => {
      const ending: Ending = { kind: 'answer', httpStatus, body };
      const outcome = classifyPayment(ending, 'REF');
      // A changed byte may change the payment's texts, but cannot make it declined or not sent.
      expect(['paid', 'unknown']).toContain(outcome.kind);
      if (outcome.kind === 'paid') expect(outcome.amountCents).toBeGreaterThan(0n);
      expect(['paid', 'unknown']).toContain(classifyStatus(ending, 'REF').kind);
      classifyAccount(ending);
      classifyBalance(ending);
    }),
    { numRuns: 2000 },
  );
});

function manyDetails(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, 'x']));
}
