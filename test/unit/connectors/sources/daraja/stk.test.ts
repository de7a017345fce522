import { expect, test } from 'vitest';
import { readPushSent, readPushState } from '../../../../../src/connectors/sources/daraja/stk.ts';
import type { Ending } from '../../../../../src/platform/outbound/exchange.ts';

function answer(httpStatus: number, content: unknown): Ending {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return { kind: 'answer', httpStatus, headers: {}, body } as unknown as Ending;
}

test.each([
  ...['1', '2', '3', '4', '8', '17', '26', '1001', '1019', '1025'],
  ...['1032', '1037', '2001', '8006', '9999', 'SFC_IC0003'],
])('the documented result %s says that nothing was paid', (ResultCode) => {
  const said = { ResponseCode: '0', ResultCode, ResultDesc: 'no' };
  expect(readPushState(answer(200, said))).toEqual({
    kind: 'failed',
    reason: `${ResultCode}: no`,
  });
});

test('0 says that it was paid, as text or as a number', () => {
  for (const ResultCode of ['0', 0]) {
    expect(readPushState(answer(200, { ResultCode }))).toEqual({ kind: 'paid' });
  }
});

test.each([
  // Observed while the customer has not answered yet.
  ['a result that is not documented', answer(200, { ResultCode: '4999' })],
  ['still being processed', answer(500, { errorCode: '500.001.1001', errorMessage: 'processed' })],
  ['a result with an error status', answer(500, { ResultCode: '1032' })],
  ['an accepted query without a result', answer(200, { ResponseCode: '0' })],
  ['HTML', answer(200, '<html>')],
  ['no answer', { kind: 'no_answer', reason: 'timed out' } as const],
  ['nothing sent', { kind: 'nothing_written', reason: 'refused' } as const],
])('%s leaves the prompt open', (_, ending) => {
  expect(readPushState(ending)).toMatchObject({ kind: 'open' });
});

test.each([
  ['sent', answer(200, { ResponseCode: '0', CheckoutRequestID: 'ws_CO_1' })],
  ['unknown', answer(200, { ResponseCode: '0' })],
  ['unknown', answer(200, { ResponseCode: '0', CheckoutRequestID: "x'--" })],
  ['refused', answer(200, { ResponseCode: '1', ResponseDescription: 'no' })],
  ['refused', answer(400, { errorCode: '400.002.02', errorMessage: 'Invalid PhoneNumber' })],
  ['unknown', answer(400, '<html>')],
  ['unknown', answer(500, { errorCode: '500.001.1001' })],
  ['unknown', { kind: 'no_answer', reason: 'timed out' } as const],
  ['refused', { kind: 'nothing_written', reason: 'refused' } as const],
])('a prompt is %s', (kind, ending) => {
  expect(readPushSent(ending)).toMatchObject({ kind });
});
