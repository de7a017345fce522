import { expect, test } from 'vitest';
import {
  remembered,
  secondsToWait,
  secondsToWaitAsStranger,
} from '../../../../src/parties/people/wait.ts';

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

test('strangers together have a hundred guesses a day, and one place never uses them up', () => {
  const at = (seconds: number): Date => new Date(failedAt.getTime() + seconds * 1000);
  expect(secondsToWaitAsStranger({ failedCount: 99, failedAt }, failedAt)).toBe(0);
  expect(secondsToWaitAsStranger({ failedCount: 100, failedAt }, failedAt)).toBe(864);
  expect(secondsToWaitAsStranger({ failedCount: 100, failedAt }, at(864))).toBe(0);
  expect(remembered({ failedCount: 100, failedAt }, at(2000))).toEqual({
    failedCount: 98,
    failedAt: at(1728),
  });
  expect(remembered({ failedCount: 100, failedAt }, at(86_400))).toEqual({
    failedCount: 0,
    failedAt: at(86_400),
  });

  let all = { failedCount: 0, failedAt };
  let own = { failedCount: 0, failedAt };
  for (let now = failedAt; now < at(7 * 86_400);) {
    expect(secondsToWaitAsStranger(all, now)).toBe(0);
    const left = remembered(all, now);
    all = { ...left, failedCount: left.failedCount + 1 };
    own = { failedCount: own.failedCount + 1, failedAt: now };
    now = new Date(now.getTime() + Math.max(1, secondsToWait(own, now)) * 1000);
  }
  expect(own.failedCount).toBeGreaterThan(600);
});
