import { describe, expect, test } from 'vitest';
import {
  classifyCommit,
  classifyPrepare,
} from '../../../../../src/connectors/operators/jambopay/classify.ts';
import { STREAMS } from '../../../../../src/connectors/operators/jambopay/streams.ts';
import type { StreamName } from '../../../../../src/connectors/operators/jambopay/streams.ts';

const SOLD = `{"Customer":{"ReferenceNumber":"01234567890","Names":"TEST CUSTOMER","Address":"NAIROBI"},
  "TransactionID":"JP1","ReceiptNumber":"JPR1","Amount":500.0,"MeterNumber":"01234567890",
  "Charges":[{"Name":"VAT","Amount":68.97,"Tax":0.0,"Category":"TAX"}],
  "Tokens":[{"Token":"00001111222233334444","Units":19.8,"UnitType":"kWh","Tarrif":"DOMESTIC"}]}`;

function answer(body: string | object, httpStatus = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) } as const;
}

function expected(stream: StreamName = 'kplc', codeField: string | null = 'ErrorCode') {
  const about = { account: '01234567890', amountCents: 500_00n, transactionId: 'JP1' };
  return { ...about, stream: STREAMS[stream], codeField };
}

describe('prepare', () => {
  const prepared = { TransactionID: 'JP1', Amount: 500, MeterNumber: '01234567890' };
  test.each<[string, object | string, number, object]>([
    ['prepared', prepared, 200, { kind: 'prepared', operatorHandle: 'JP1' }],
    [
      'a meter number as a number',
      '{"TransactionID":"JP1","Amount":500.0,"MeterNumber":1234567890}',
      200,
      { kind: 'prepared' },
    ],
    ['another account', { ...prepared, MeterNumber: '9' }, 200, { kind: 'not_sent' }],
    ['another amount', { ...prepared, Amount: 50 }, 200, { kind: 'declined' }],
    ['an invalid id', { ...prepared, TransactionID: 'a:1' }, 200, { kind: 'not_sent' }],
    ['account not found', { ErrorCode: 1040 }, 200, { failureCode: 'invalid_account' }],
    ['float too low', { ErrorCode: 1060 }, 200, { kind: 'not_sent', operatorPaused: true }],
    ['an internal error', { ErrorCode: 4440 }, 200, { kind: 'not_sent', operatorPaused: false }],
    ['a code that is not listed', { ErrorCode: 7 }, 200, { kind: 'declined' }],
    ['a refusal without a code', { Message: 'No' }, 400, { kind: 'declined' }],
    ['HTML', '<html>', 200, { kind: 'not_sent', answered: false }],
    ['a failure', { ErrorCode: 1040 }, 500, { kind: 'not_sent', answered: false }],
  ])('%s', (_what, body, httpStatus, outcome) => {
    expect(classifyPrepare(answer(body, httpStatus), expected())).toMatchObject(outcome);
  });

  test('no answer is not sent: nothing was committed', () => {
    const ending = { kind: 'no_answer', reason: 'cut' } as const;
    expect(classifyPrepare(ending, expected())).toMatchObject({ kind: 'not_sent' });
  });
});

describe('commit', () => {
  test('paid, with token, units and name', () => {
    expect(classifyCommit(answer(SOLD), expected())).toEqual({
      kind: 'paid',
      operatorReference: 'JPR1',
      amountCents: 500_00n,
      message: 'Paid',
      details: { token: '00001111222233334444', units: '19.8 kWh', receiver: 'TEST CUSTOMER' },
    });
  });

  test('a token that came as a number keeps all digits and its zeros; several are all kept', () => {
    const one = SOLD.replace('"00001111222233334444"', '1111222233334444');
    expect(classifyCommit(answer(one), expected())).toMatchObject({
      details: { token: '00001111222233334444' },
    });
    const two = SOLD.replace('"Tokens":[', '"Tokens":[{"Token":98765432109876543210},');
    expect(classifyCommit(answer(two), expected())).toMatchObject({
      details: { token: '98765432109876543210, 00001111222233334444' },
    });
  });

  test.each([
    ['another transaction', SOLD.replace('JP1', 'JP2')],
    ['another meter', SOLD.replace('"MeterNumber":"01234567890"', '"MeterNumber":"5"')],
    ['no receipt', SOLD.replace('"JPR1"', 'null')],
    ['no amount', SOLD.replace('500.0', '"?"')],
    ['a refusal with a receipt', SOLD.replace('{', '{"ErrorCode":1010,')],
  ])('the outcome is unknown: %s', (_what, body) => {
    expect(classifyCommit(answer(body), expected())).toMatchObject({ kind: 'unknown' });
  });

  // The tables of the airtime and the water pages; the kplc page has no table.
  const PROOF: Readonly<Record<StreamName, readonly string[]>> = {
    kplc: ['1010', '1011'],
    nairobiwater: ['1010', '1011', '1040', '1120', '2020'],
    credit: ['1010', '1011', '1012', '1050', '1051', '1060'],
  };
  const ALL =
    '1000 1010 1011 1012 1040 1050 1051 1052 1053 1054 1060 1120 2020 4440 9999 toString'.split(
      ' ',
    );
  test.each(Object.keys(PROOF) as StreamName[])('%s: only its own codes are proof', (stream) => {
    const proof = ALL.filter(
      (code) => classifyCommit(answer({ ErrorCode: code }), expected(stream)).kind !== 'unknown',
    );
    expect(proof).toEqual(PROOF[stream]);
    // Without a known field no code is believed, and a failing server proves nothing.
    for (const code of ALL) {
      const body = answer({ ErrorCode: code });
      expect(classifyCommit(body, expected(stream, null)).kind).toBe('unknown');
      expect(classifyCommit({ ...body, httpStatus: 500 }, expected(stream)).kind).toBe('unknown');
    }
  });

  test.each<[string, object, object]>([
    ['nothing written', { kind: 'nothing_written', reason: 'x' }, { kind: 'not_sent' }],
    ['no answer', { kind: 'no_answer', reason: 'x' }, { kind: 'unknown', answered: false }],
    ['401 of a proxy', answer('<html>', 401), { kind: 'unknown' }],
    ['401 without words', answer('{}', 401), { kind: 'unknown' }],
    ['401 of JamboPay', answer({ Message: 'Denied' }, 401), { kind: 'not_sent' }],
    ['429 of JamboPay', answer({ Message: 'Too many' }, 429), { kind: 'not_sent' }],
    ['400 without a code', answer({ Message: 'No' }, 400), { kind: 'unknown' }],
    ['empty', answer(''), { kind: 'unknown' }],
  ])('%s', (_what, ending, outcome) => {
    const given = ending as Parameters<typeof classifyCommit>[0];
    expect(classifyCommit(given, expected())).toMatchObject(outcome);
  });
});
