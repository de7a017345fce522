import { describe, expect, test } from 'vitest';
import { classifyInstruction } from '../../../../../src/connectors/operators/daraja-b2b/classify.ts';
import { availableBalance } from '../../../../../src/connectors/operators/daraja-b2b/result.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';

function answered(httpStatus: number, content: unknown): Ending {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { kind: 'answer', httpStatus, body: Buffer.from(text) };
}
const refusal = (errorCode: string, errorMessage = 'no') => ({
  requestId: '1',
  errorCode,
  errorMessage,
});

const fault = (errorcode: string) => ({ fault: { faultstring: 'no', detail: { errorcode } } });

describe('an instruction', () => {
  test.each<[string, Ending, object]>([
    [
      'accepted',
      answered(200, { ConversationID: 'AG_1', ResponseCode: '0', ResponseDescription: 'ok' }),
      { kind: 'unknown', operatorHandle: 'AG_1', answered: true },
    ],
    [
      'accepted with both ids',
      answered(200, {
        ConversationID: 'AG_1',
        OriginatorConversationID: '5118-1',
        ResponseCode: '0',
      }),
      { kind: 'unknown', operatorHandle: 'AG_1:5118-1' },
    ],
    [
      'accepted with HTTP 201',
      answered(201, { ConversationID: 'AG_1', ResponseCode: '0' }),
      { kind: 'unknown', operatorHandle: 'AG_1' },
    ],
    [
      'refused with HTTP 201, which no document has',
      answered(201, { ResponseCode: '1' }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'accepted without an id',
      answered(200, { ResponseCode: 0 }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'accepted with an invalid id',
      answered(200, { ConversationID: 'a:b', ResponseCode: '0' }),
      { kind: 'unknown', operatorHandle: null },
    ],
    [
      'refused in a 200',
      answered(200, { ResponseCode: '1', ResponseDescription: 'x' }),
      { kind: 'declined' },
    ],
    [
      'a bad payload',
      answered(400, refusal('400.002.02')),
      { kind: 'declined', code: '400.002.02' },
    ],
    [
      'a bad token',
      answered(404, refusal('404.001.03')),
      { kind: 'not_sent', operatorPaused: false },
    ],
    ['a bad token in a 400', answered(400, refusal('400.003.01')), { kind: 'not_sent' }],
    [
      'no subscription',
      answered(403, refusal('403.002.1001')),
      { kind: 'not_sent', operatorPaused: true },
    ],
    [
      'spike arrest as 429',
      answered(429, refusal('500.003.02')),
      { kind: 'not_sent', answered: true, operatorPaused: true },
    ],
    [
      'spike arrest as 500',
      answered(500, refusal('500.003.02')),
      { kind: 'not_sent', operatorPaused: true },
    ],
    ['quota as 500', answered(500, refusal('500.003.03')), { kind: 'not_sent' }],
    [
      'spike arrest of the Apigee in front',
      answered(429, fault('policies.ratelimit.SpikeArrestViolation')),
      { kind: 'not_sent', operatorPaused: true },
    ],
    [
      'an app without the product: another token would not help',
      answered(401, refusal('401.003.01', 'Invalid API call as no apiproduct match found')),
      { kind: 'not_sent', operatorPaused: true },
    ],
    [
      'another fault of the Apigee',
      answered(500, fault('messaging.adaptors.x')),
      { kind: 'unknown' },
    ],
    ['an internal error', answered(500, refusal('500.002.1001')), { kind: 'unknown' }],
    ['maintenance in a 200', answered(200, { errorCode: '00.002.1001' }), { kind: 'unknown' }],
    ['HTML in a 403', answered(403, '<html>'), { kind: 'unknown', answered: false }],
    ['an empty 200', answered(200, ''), { kind: 'unknown', answered: false }],
    ['an empty 404', answered(404, ''), { kind: 'unknown' }],
    [
      'both codes',
      answered(400, { ResponseCode: '1', errorCode: '400.002.02' }),
      { kind: 'unknown' },
    ],
    ['a lost answer', { kind: 'no_answer', reason: 'x' }, { kind: 'unknown', answered: false }],
    [
      'nothing written',
      { kind: 'nothing_written', reason: 'x' },
      { kind: 'not_sent', answered: false },
    ],
  ])('%s', (_what, ending, outcome) => {
    expect(classifyInstruction(ending)).toMatchObject(outcome);
  });
});

test.each([
  [
    'Working Account|KES|700000.00|600000.50|0.00|0.00&Utility Account|KES|1.00|1.00|0|0',
    60_000_050n,
  ],
  ['Utility Account|KES|1.00|1.00|0|0', undefined],
  ['Working Account|USD|1.00|1.00|0|0', undefined],
  ['Working Account|KES|1.00|-1.00|0|0', undefined],
  ['', undefined],
])('reads the float from %j', (text, cents) => {
  expect(availableBalance(text, 'Working Account')).toBe(cents);
});
