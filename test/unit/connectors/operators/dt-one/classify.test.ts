import { describe, expect, test } from 'vitest';
import {
  classifyInstruction,
  classifyPrepare,
  classifyStatus,
} from '../../../../../src/connectors/operators/dt-one/classify.ts';

// The documented sample: OpenAPI 1.23, POST /async/transactions, 201.
const SAMPLE = {
  id: 7_000_000_001,
  external_id: 'p-0001-1',
  creation_date: '2026-01-05T07:15:30.000Z',
  status: { id: 20_000, message: 'CONFIRMED', class: { id: 2, message: 'CONFIRMED' } },
  operator_reference: null as string | null,
  pin: null as object | null,
  product: { id: 1001, name: 'Example Power', type: 'RANGED_VALUE_PAYMENT' },
  requested_values: { destination: { unit_type: 'CURRENCY', unit: 'KES', amount: 100 } },
  adjusted_values: null as object | null,
  credit_party_identifier: { account_number: '12345678901' },
};

const EXPECTED = {
  externalId: 'p-0001-1',
  productId: 1001,
  creditParty: { account_number: '12345678901' },
  amountCents: 100_00n,
  isFixed: false,
  attemptNumber: 1,
};

/** Two steps, and the external_id was not taken. */
const BY = { mayTryAgain: true, isTaken: false };

function answer(content: unknown, httpStatus = 200) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) } as const;
}

function inState(classId: number, message: string, changes: object = {}) {
  const status = { id: classId * 10_000, message, class: { id: classId, message } };
  return { ...SAMPLE, status, ...changes };
}

function errors(...codes: number[]) {
  return { errors: codes.map((code) => ({ code, message: 'Text' })) };
}

describe('the class of a state decides', () => {
  test.each<[number, string, string, string]>([
    [1, 'CREATED', 'unknown', 'unconfirmed'],
    [2, 'CONFIRMED', 'unknown', 'unknown'],
    [3, 'REJECTED-BARRED-CREDIT-PARTY', 'declined', 'declined'],
    [3, 'REJECTED-INSUFFICIENT-BALANCE', 'not_sent', 'not_found'],
    [4, 'CANCELLED', 'not_sent', 'not_found'],
    [5, 'SUBMITTED', 'unknown', 'unknown'],
    [6, 'COMPLETED', 'unknown', 'unknown'],
    [7, 'COMPLETED', 'paid', 'paid'],
    [8, 'REVERSED', 'unknown', 'reversed'],
    [9, 'DECLINED', 'declined', 'declined'],
    [70, 'COMPLETED', 'unknown', 'unknown'],
  ])('class %i, %s: %s, and as status %s', (classId, message, asAnswer, asStatus) => {
    const found = inState(classId, message);
    expect(classifyInstruction(answer(found, 201), EXPECTED).kind).toBe(asAnswer);
    expect(classifyStatus(answer(found), EXPECTED, BY).kind).toBe(asStatus);
    expect(classifyStatus(answer([found]), EXPECTED, BY).kind).toBe(asStatus);
  });

  test.each([
    ['DECLINED-INVALID-CREDIT-PARTY', 'invalid_account'],
    ['REJECTED-INELIGIBLE-CREDIT-PARTY', 'invalid_account'],
    ['DECLINED-LIMITATIONS-ON-CREDIT-PARTY-AMOUNT', 'amount_not_allowed'],
    ['DECLINED-LIMITATIONS-ON-OPERATOR-AMOUNT', 'amount_not_allowed'],
    ['DECLINED-BARRED-DEBIT-PARTY', 'operator_refused'],
    ['DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE', 'declined'],
    ['DECLINED-DUPLICATED-TRANSACTION', 'declined'],
  ])('%s: %s', (message, failureCode) => {
    const found = answer(inState(9, message));
    expect(classifyStatus(found, EXPECTED, BY)).toMatchObject({ kind: 'declined', failureCode });
  });

  test('a duplicate of a second attempt is evidence of the first, no decline', () => {
    const found = answer(inState(9, 'DECLINED-DUPLICATED-TRANSACTION'));
    const second = { ...EXPECTED, attemptNumber: 2 };
    expect(classifyStatus(found, second, BY).kind).toBe('unknown');
    expect(classifyInstruction(found, second).kind).toBe('unknown');
  });

  test('where an empty list proves nothing, a cancelled transaction is declined', () => {
    const found = answer(inState(4, 'CANCELLED'));
    expect(classifyStatus(found, EXPECTED, { ...BY, mayTryAgain: false })).toMatchObject({
      kind: 'declined',
    });
  });
});

describe('paid', () => {
  const pin = { code: '00001111222233334444', serial: 'S1' };
  test('a payment is paid with token, receipt and the adjusted amount', () => {
    const adjusted_values = { destination: { unit_type: 'CURRENCY', unit: 'KES', amount: 90.5 } };
    const found = inState(7, 'COMPLETED', { pin, operator_reference: 'OP1', adjusted_values });
    expect(classifyStatus(answer(found), EXPECTED, BY)).toEqual({
      kind: 'paid',
      operatorReference: 'OP1',
      amountCents: 90_50n,
      message: 'Paid',
      details: { token: '00001111222233334444', serial: 'S1' },
    });
  });

  test('an id of 19 digits keeps all of them', () => {
    const text = JSON.stringify(inState(7, 'COMPLETED')).replace(
      '7000000001',
      '9223372036854775807',
    );
    expect(classifyStatus(answer(text), EXPECTED, BY)).toMatchObject({
      operatorReference: '9223372036854775807',
    });
  });

  test('a fixed product has the amount of its product', () => {
    const found = inState(7, 'COMPLETED', { requested_values: null });
    const fixed = { ...EXPECTED, isFixed: true };
    expect(classifyStatus(answer(found), fixed, BY)).toMatchObject({ amountCents: 100_00n });
    expect(classifyStatus(answer(found), EXPECTED, BY).kind).toBe('unknown');
  });

  test.each([
    ['another external_id', { external_id: 'p-0001-2' }],
    ['another product', { product: { id: 1002 } }],
    ['another account', { credit_party_identifier: { account_number: '1' } }],
    ['no id', { id: 'x' }],
    [
      'another currency',
      { requested_values: { destination: { unit_type: 'CURRENCY', unit: 'USD', amount: 100 } } },
    ],
  ])('the outcome is unknown: %s', (_what, changes) => {
    const found = inState(7, 'COMPLETED', changes);
    expect(classifyStatus(answer(found), EXPECTED, BY).kind).toBe('unknown');
    expect(classifyInstruction(answer(found, 201), EXPECTED).kind).toBe('unknown');
    expect(classifyPrepare(answer(found, 201), EXPECTED).kind).not.toBe('prepared');
  });
});

describe('errors', () => {
  test.each<[number, number[], string, string]>([
    [400, [1_007_001], 'unknown', 'prepared'],
    [400, [1_003_002, 1_007_001], 'unknown', 'prepared'],
    [400, [1_007_002], 'unknown', 'not_sent'],
    [400, [1_007_004], 'unknown', 'not_sent'],
    [400, [1_007_005], 'not_sent', 'not_sent'],
    [400, [1_007_007], 'unknown', 'not_sent'],
    [400, [1_003_002], 'declined', 'declined'],
    [400, [1_005_003], 'declined', 'declined'],
    [404, [1_003_001], 'declined', 'declined'],
    [400, [1_006_001], 'not_sent', 'not_sent'],
    [401, [1_000_401], 'not_sent', 'not_sent'],
    [404, [1_000_404], 'not_sent', 'not_sent'],
    [429, [1_000_429], 'not_sent', 'not_sent'],
    [500, [1_009_001], 'unknown', 'not_sent'],
    [503, [1_009_503], 'unknown', 'not_sent'],
    [400, [], 'unknown', 'not_sent'],
  ])('HTTP %i with %j means %s, and on prepare %s', (httpStatus, codes, asAnswer, asPrepare) => {
    const ending = answer(errors(...codes), httpStatus);
    expect(classifyInstruction(ending, EXPECTED).kind).toBe(asAnswer);
    expect(classifyPrepare(ending, EXPECTED).kind).toBe(asPrepare);
    expect(classifyStatus(ending, EXPECTED, BY).kind).toBe('unknown');
  });

  test('an external_id that is taken is not confirmed under another transaction’s id', () => {
    expect(classifyPrepare(answer(errors(1_007_001), 400), EXPECTED)).toEqual({
      kind: 'prepared',
      operatorHandle: 'p-0001-1',
    });
  });

  test.each([
    ['HTML', answer('<html>', 400)],
    ['empty', answer('', 202)],
    ['a list', answer([], 201)],
    ['errors in another form', answer({ errors: 'x' }, 400)],
    ['no answer', { kind: 'no_answer', reason: 'cut' } as const],
  ])('the outcome is unknown, and not sent where nothing was confirmed: %s', (_what, ending) => {
    expect(classifyInstruction(ending, EXPECTED).kind).toBe('unknown');
    expect(classifyPrepare(ending, EXPECTED).kind).toBe('not_sent');
  });

  test('nothing written is proof', () => {
    const ending = { kind: 'nothing_written', reason: 'x' } as const;
    expect(classifyInstruction(ending, EXPECTED).kind).toBe('not_sent');
    expect(classifyStatus(ending, EXPECTED, BY).kind).toBe('unknown');
  });
});
