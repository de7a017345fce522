import { describe, expect, test } from 'vitest';
import {
  classifyReport,
  classifyTopUp,
  refusesToken,
} from '../../../../../src/connectors/operators/reloadly/classify.ts';
import type { Asked } from '../../../../../src/connectors/operators/reloadly/classify.ts';
import { parseHandle } from '../../../../../src/connectors/operators/reloadly/handle.ts';
import {
  convertedCents,
  wholeCentsOf,
} from '../../../../../src/connectors/operators/reloadly/transaction.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';

const NOW = 1_800_000_000_000;
const HALF_HOUR = 1_800_000;
const ASKED: Asked = {
  reference: 'REF1',
  account: '0700000001',
  amountsIn: 'recipient',
  handle: { networkId: null, refused: null },
  nowMs: NOW,
  settlesAfterMs: HALF_HOUR,
};

function answered(httpStatus: number, content: unknown): Ending {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) };
}
const error = (httpStatus: number, errorCode: string): Ending =>
  answered(httpStatus, { timeStamp: 'x', message: 'no', path: '/', errorCode, details: [] });

/** The documented sample. */
const ROW = {
  transactionId: 900_001,
  status: 'SUCCESSFUL',
  operatorTransactionId: 'OT-1',
  customIdentifier: 'REF1',
  recipientPhone: '254700000001',
  countryCode: 'KE',
  operatorId: 1,
  operatorName: 'Example Kenya',
  requestedAmount: 0.78,
  requestedAmountCurrencyCode: 'USD',
  deliveredAmount: 100,
  deliveredAmountCurrencyCode: 'KES',
  transactionDate: '2026-01-05 10:15:30',
  pinDetail: null,
};
const report = (...rows: readonly object[]): Ending =>
  answered(200, { content: rows, totalElements: rows.length });

describe('an instruction', () => {
  test.each<[string, Ending, object]>([
    ['nothing written', { kind: 'nothing_written', reason: 'x' }, { kind: 'not_sent' }],
    ['no answer', { kind: 'no_answer', reason: 'x' }, { kind: 'unknown', answered: false }],
    [
      'paid',
      answered(200, ROW),
      { kind: 'paid', operatorReference: '900001', amountCents: 100_00n },
    ],
    ['a status of tomorrow', answered(200, { ...ROW, status: 'NEW' }), { kind: 'unknown' }],
    [
      'of another instruction',
      answered(200, { ...ROW, customIdentifier: 'REF2' }),
      { kind: 'unknown' },
    ],
    ['of another case', answered(200, { ...ROW, customIdentifier: 'ref1' }), { kind: 'unknown' }],
    [
      'to another number',
      answered(200, { ...ROW, recipientPhone: '254700000002' }),
      { kind: 'unknown' },
    ],
    [
      'in another currency',
      answered(200, { ...ROW, deliveredAmountCurrencyCode: 'UGX' }),
      { kind: 'unknown' },
    ],
    ['without an amount', answered(200, { ...ROW, deliveredAmount: null }), { kind: 'unknown' }],
    ['refunded at once', answered(200, { ...ROW, status: 'REFUNDED' }), { kind: 'declined' }],
    [
      'failed',
      answered(200, { ...ROW, status: 'FAILED' }),
      { kind: 'unknown', operatorHandle: `;FAILED@${NOW}` },
    ],
    [
      'refused',
      error(400, 'INVALID_RECIPIENT_PHONE'),
      { kind: 'declined', failureCode: 'invalid_account' },
    ],
    [
      'wallet empty',
      error(400, 'INSUFFICIENT_BALANCE'),
      { kind: 'not_sent', operatorPaused: true },
    ],
    [
      'wallet empty, 409',
      error(409, 'INSUFFICIENT_WALLET_BALANCE'),
      { kind: 'not_sent', operatorPaused: true },
    ],
    ['too many', error(429, 'RATE_LIMIT_REACHED'), { kind: 'not_sent', operatorPaused: false }],
    [
      'network down',
      error(503, 'OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE'),
      { kind: 'not_sent' },
    ],
    ['a refusal under 500', error(500, 'INVALID_AMOUNT'), { kind: 'unknown' }],
    [
      'a duplicate',
      error(400, 'CUSTOM_IDENTIFIER_ALREADY_USED'),
      { kind: 'unknown', answered: true },
    ],
    [
      'after an attempt',
      error(400, 'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT'),
      { kind: 'unknown' },
    ],
    ['an error of tomorrow', error(400, 'SOMETHING_NEW'), { kind: 'unknown' }],
    ['a name of Object', error(400, 'constructor'), { kind: 'unknown' }],
    [
      'the framework',
      answered(400, { timestamp: 'x', status: 400, error: 'Bad Request' }),
      { kind: 'unknown' },
    ],
    ['a redirect', answered(302, ''), { kind: 'unknown', answered: false }],
    ['HTML', answered(400, '<html>'), { kind: 'unknown', answered: false }],
  ])('%s', (_what, ending, outcome) => {
    expect(classifyTopUp(ending, ASKED)).toMatchObject(outcome);
  });
});

test('a wallet in our currency: what was requested counts, and what was delivered is shown', () => {
  const row = {
    ...ROW,
    requestedAmount: 100,
    requestedAmountCurrencyCode: 'KES',
    deliveredAmount: 2_871.5,
    deliveredAmountCurrencyCode: 'UGX',
  };
  const asked = { ...ASKED, amountsIn: 'wallet' as const };
  expect(classifyTopUp(answered(200, row), asked)).toMatchObject({
    kind: 'paid',
    amountCents: 100_00n,
    details: { delivered: 'UGX 2871.5' },
  });
});

describe('the report', () => {
  const refusedAt = (code: string, firstSeenMs: number): Asked => ({
    ...ASKED,
    handle: { networkId: '341', refused: { code, firstSeenMs } },
  });
  test.each<[string, Ending, Asked, object]>([
    ['paid', report(ROW), ASKED, { kind: 'paid' }],
    ['refunded', report({ ...ROW, status: 'REFUNDED' }), ASKED, { kind: 'reversed' }],
    ['nothing', report(), ASKED, { kind: 'not_found' }],
    [
      'nothing on this page',
      answered(200, { content: [], totalElements: 7 }),
      ASKED,
      { kind: 'unknown' },
    ],
    ['nothing, no count', answered(200, { content: [] }), ASKED, { kind: 'unknown' }],
    [
      'only others: the filter was not applied',
      report({ ...ROW, customIdentifier: 'X' }),
      ASKED,
      { kind: 'unknown' },
    ],
    ['another case only', report({ ...ROW, customIdentifier: 'ref1' }), ASKED, { kind: 'unknown' }],
    [
      'ours and another case',
      report({ ...ROW, customIdentifier: 'ref1' }, ROW),
      ASKED,
      { kind: 'paid' },
    ],
    [
      'two of ours: executed twice',
      report(ROW, { ...ROW, transactionId: 900_002 }),
      ASKED,
      { kind: 'unknown', answered: true },
    ],
    ['not found as an error', error(404, 'TRANSACTION_NOT_FOUND'), ASKED, { kind: 'unknown' }],
    ['a refused question', error(401, 'TOKEN_EXPIRED'), ASKED, { kind: 'unknown' }],
    ['HTML', answered(200, '<html>'), ASKED, { kind: 'unknown', answered: false }],
    [
      'failed, just now',
      report({ ...ROW, status: 'FAILED' }),
      ASKED,
      { kind: 'unknown', operatorHandle: `;FAILED@${NOW}` },
    ],
    [
      'failed, too early',
      report({ ...ROW, status: 'FAILED' }),
      refusedAt('FAILED', NOW - HALF_HOUR + 1),
      { kind: 'unknown' },
    ],
    [
      'failed for 30 minutes',
      report({ ...ROW, status: 'FAILED' }),
      refusedAt('FAILED', NOW - HALF_HOUR),
      { kind: 'declined' },
    ],
    ['failed, then paid', report(ROW), refusedAt('FAILED', 0), { kind: 'paid' }],
    [
      'refused by the network, too early',
      report(),
      refusedAt('PHONE_BANNED_BY_OPERATOR', NOW),
      { kind: 'unknown' },
    ],
    [
      'refused by the network',
      report(),
      refusedAt('PHONE_BANNED_BY_OPERATOR', 0),
      { kind: 'declined', failureCode: 'invalid_account' },
    ],
    [
      'a used identifier, too early',
      report(),
      refusedAt('CUSTOM_IDENTIFIER_ALREADY_USED', NOW),
      { kind: 'unknown' },
    ],
    [
      'a used identifier that left nothing',
      report(),
      refusedAt('CUSTOM_IDENTIFIER_ALREADY_USED', 0),
      { kind: 'declined' },
    ],
    [
      'a used identifier, paid',
      report(ROW),
      refusedAt('CUSTOM_IDENTIFIER_ALREADY_USED', 0),
      { kind: 'paid' },
    ],
  ])('%s', (_what, ending, asked, outcome) => {
    expect(classifyReport(ending, asked)).toMatchObject(outcome);
  });

  test('the first sight of a failure is kept', () => {
    const failed = report({ ...ROW, status: 'FAILED' });
    const first = refusedAt('FAILED', NOW - 60_000);
    const outcome = classifyReport(failed, first);
    const handle = 'operatorHandle' in outcome ? outcome.operatorHandle : null;
    expect(parseHandle(handle)).toEqual(first.handle);
  });
});

test('a token is replaced after a refusal of Reloadly’s own only', () => {
  expect(refusesToken(error(401, 'TOKEN_EXPIRED'))).toBe(true);
  expect(refusesToken(error(401, 'INVALID_AUDIENCE'))).toBe(true);
  expect(refusesToken(error(401, 'INVALID_CREDENTIALS'))).toBe(false);
  expect(refusesToken(answered(401, { status: 401, error: 'Unauthorized' }))).toBe(false);
  expect(refusesToken(error(403, 'TOKEN_EXPIRED'))).toBe(false);
});

test('amounts are rounded down to cents, and converted without floating point', () => {
  expect(wholeCentsOf('99.9987')).toBe(99_99n);
  expect(wholeCentsOf('0.1')).toBe(10n);
  expect(wholeCentsOf('1e2')).toBeUndefined();
  expect(wholeCentsOf('-1')).toBeUndefined();
  expect(convertedCents('993.81', '128.2')).toBe(127_406_44n);
  expect(convertedCents('0.29', '100')).toBe(29_00n);
  expect(convertedCents('0.01', '0.33')).toBe(0n);
  expect(convertedCents('1', '0')).toBeUndefined();
});
