import { expect, test } from 'vitest';
import { createRetryTurns } from '../../../../src/platform/db/retry-turns.ts';
import type { Timers } from '../../../../src/platform/base/timers.ts';

/** Timers without waiting, which record how long each pause would have been. */
function instantTimers(pauses: number[]): Timers {
  return {
    nowMs: () => 0,
    after: (delayMs, call) => {
      pauses.push(delayMs);
      queueMicrotask(call);
      return () => {};
    },
  };
}

const failed = (made: string): boolean => made === 'failed';

test('calls of failing parts take turns with growing pauses, others are made at once', async () => {
  const pauses: number[] = [];
  const turns = createRetryTurns(instantTimers(pauses));
  const make = async (part: number, answer: string): Promise<string> =>
    await turns.make(part, async () => answer, failed);
  await make(1, 'failed');
  expect(pauses).toEqual([]);
  await make(1, 'failed');
  await make(1, 'failed');
  await make(2, 'done');
  expect(pauses).toEqual([20, 40]);
  // When one part answers again, it does not wait for the others, and the pauses end.
  await make(1, 'done');
  await make(1, 'done');
  expect(pauses).toEqual([20, 40, 80]);
  expect(turns.pauseMs()).toBe(0);
});

test('two failing parts never call at the same time', async () => {
  const turns = createRetryTurns(instantTimers([]));
  let running = 0;
  let most = 0;
  const call = async (): Promise<string> => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return 'failed';
  };
  await turns.make(1, async () => 'failed', failed);
  await turns.make(2, async () => 'failed', failed);
  await Promise.all([1, 2, 1, 2].map(async (part) => await turns.make(part, call, failed)));
  expect(most).toBe(1);
});

test('parts take turns faster if more of them fail', async () => {
  const pauses: number[] = [];
  const turns = createRetryTurns(instantTimers(pauses));
  const parts = Array.from({ length: 20 }, (_, part) => part);
  for (const part of parts) await turns.make(part, async () => 'failed', failed);
  await turns.make(0, async () => 'failed', failed);
  expect(pauses).toEqual([50]);
});

test('a call whose turn comes too late is not made', async () => {
  const turns = createRetryTurns(instantTimers([]));
  const calls: string[] = [];
  const make = async (answer: string, tooLate?: () => string | undefined): Promise<string> =>
    await turns.make(1, async () => (calls.push(answer), answer), failed, tooLate);
  // It did not have to wait.
  expect(await make('failed', () => 'too late')).toBe('failed');
  expect(await make('done', () => 'too late')).toBe('too late');
  expect(await make('done', () => undefined)).toBe('done');
  expect(calls).toEqual(['failed', 'done']);
});
