import { expect, test } from 'vitest';
import { secondsToWait } from '../../../../src/parties/people/wait.ts';

const failedAt = new Date('2026-01-01T00:00:00Z');

test.each([
  [0, 0],
  [4, 0],
  [5, 5],
  [6, 10],
  [10, 160],
  [13, 900],
  [1_000_000, 900],
])('right after %i failures, the next sign-in waits %i seconds', (failedCount, seconds) => {
  expect(secondsToWait({ failedCount, failedAt }, failedAt)).toBe(seconds);
});

test('the time since the last failure counts', () => {
  const at = (ms: number): Date => new Date(failedAt.getTime() + ms);
  expect(secondsToWait({ failedCount: 6, failedAt }, at(3500))).toBe(7);
  expect(secondsToWait({ failedCount: 6, failedAt }, at(10_000))).toBe(0);
});
