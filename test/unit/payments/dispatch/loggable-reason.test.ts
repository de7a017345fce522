import { expect, test } from 'vitest';
import { loggableReason } from '../../../../src/payments/dispatch/loggable-reason.ts';

test.each([
  ['the host name is not known', 'the host name is not known'],
  ['no token: HTTP 401 without a token', 'no token: HTTP 401 without a token'],
  ['HTTP 401 without a valid answer', 'HTTP 401 without a valid answer'],
  ['HTTP 500: Amani Baraka has no account', 'HTTP 500'],
  ['HTTP 400 404.001.04: 254700000001 is unknown', 'HTTP 400 404.001.04'],
  ['the answer does not fit: "Amani" is no amount', 'the answer does not fit'],
  ['account 0700-123-456 of meter 14250000001', 'account … of meter …'],
])('the reason %j is logged as %j', (reason, logged) => {
  expect(loggableReason(reason)).toBe(logged);
});

test('a long reason is shortened', () => {
  expect(loggableReason('x'.repeat(1_000))).toHaveLength(200);
});
