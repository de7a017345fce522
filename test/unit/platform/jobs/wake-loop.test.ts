import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemTimers } from '../../../../src/platform/base/timers.ts';
import { createTasks } from '../../../../src/platform/jobs/tasks.ts';
import { startWakeLoop } from '../../../../src/platform/jobs/wake-loop.ts';

const NEXT_MS = 1_000;
const RETRY_MS = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A loop whose turns last until the test ends them. */
function start(): {
  readonly loop: ReturnType<typeof startWakeLoop>;
  readonly turns: PromiseWithResolvers<number>[];
} {
  const turns: PromiseWithResolvers<number>[] = [];
  const loop = startWakeLoop({
    turn: async () => {
      const turn = Promise.withResolvers<number>();
      turns.push(turn);
      return await turn.promise;
    },
    onFailure: () => RETRY_MS,
    timers: systemTimers,
  });
  return { loop, turns };
}

test.each([
  ['when it is due', NEXT_MS, NEXT_MS],
  ['at once', 0, 0],
])('begins the next turn %s', async (_, returned, afterMs) => {
  const { loop, turns } = start();
  turns[0]?.resolve(returned);
  if (afterMs > 0) {
    await vi.advanceTimersByTimeAsync(afterMs - 1);
    expect(turns).toHaveLength(1);
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve(NEXT_MS);
  await loop.stop();
});

test('ends a wait when woken', async () => {
  const { loop, turns } = start();
  turns[0]?.resolve(NEXT_MS);
  await vi.advanceTimersByTimeAsync(1);
  loop.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve(NEXT_MS);
  await loop.stop();
});

test('woken during a turn, begins one more right after it, and only one', async () => {
  const { loop, turns } = start();
  loop.wake();
  loop.wake();
  turns[0]?.resolve(NEXT_MS);
  await vi.advanceTimersByTimeAsync(0);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve(NEXT_MS);
  await vi.advanceTimersByTimeAsync(NEXT_MS - 1);
  expect(turns).toHaveLength(2);
  await loop.stop();
});

test('waits after a failure', async () => {
  const { loop, turns } = start();
  turns[0]?.reject(new Error('no room'));
  await vi.advanceTimersByTimeAsync(RETRY_MS - 1);
  expect(turns).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve(NEXT_MS);
  await loop.stop();
});

test('a stop ends the wait, and no turn follows', async () => {
  const { loop, turns } = start();
  turns[0]?.resolve(NEXT_MS);
  await vi.advanceTimersByTimeAsync(1);
  await loop.stop();
  loop.wake();
  await vi.advanceTimersByTimeAsync(2 * NEXT_MS);
  expect(turns).toHaveLength(1);
});

test('tasks are waited for within the grace period, then cut off', async () => {
  const tasks = createTasks(systemTimers);
  const ended: string[] = [];
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  tasks.start(untilAborted, () => ended.push(`slow, ${tasks.size} left`));
  tasks.start(
    () => Promise.resolve(),
    () => ended.push(`quick, ${tasks.size} left`),
  );
  const finished = tasks.finish(NEXT_MS).then(() => ended.push('all'));
  await vi.advanceTimersByTimeAsync(NEXT_MS - 1);
  expect([tasks.cutOff, ended]).toEqual([false, ['quick, 1 left']]);
  await vi.advanceTimersByTimeAsync(1);
  await finished;
  expect(ended).toEqual(['quick, 1 left', 'slow, 0 left', 'all']);
  expect(tasks.cutOff).toBe(true);
});
