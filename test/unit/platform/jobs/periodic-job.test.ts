import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPeriodicJob } from '../../../../src/platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../../../src/platform/jobs/periodic-job.ts';

const EVERY_MS = 1_000;
const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
let stopping: AbortSignal;
let turns: PromiseWithResolvers<void>[];

beforeEach(() => {
  vi.useFakeTimers();
  lines.length = 0;
  turns = [];
});
afterEach(() => vi.useRealTimers());

/** A job whose turns last until the test ends them. */
function start(atOnce?: boolean, fromStart?: boolean): PeriodicJob {
  return startPeriodicJob({
    everyMs: EVERY_MS,
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(fromStart === undefined ? {} : { fromStart }),
    work: async (signal) => {
      stopping = signal;
      const turn = Promise.withResolvers<void>();
      turns.push(turn);
      await turn.promise;
    },
    failureText: 'it could not be done',
    log,
  });
}

test.each([
  [undefined, 0],
  [true, 1],
])('begins at once: %s', async (atOnce, turnsAtOnce) => {
  const job = start(atOnce);
  expect(turns).toHaveLength(turnsAtOnce);
  turns[0]?.resolve();
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(turns).toHaveLength(turnsAtOnce + 1);
  turns.at(-1)?.resolve();
  await job.stop();
});

test.each([
  // How long the first run takes, and how long after it the second one begins.
  [false, 400, EVERY_MS],
  [true, 400, EVERY_MS - 400],
  [true, EVERY_MS + 1, 1],
])('counts from the start of a run: %s, after %i ms', async (fromStart, tookMs, pauseMs) => {
  const job = start(true, fromStart);
  await vi.advanceTimersByTimeAsync(tookMs);
  turns[0]?.resolve();
  await vi.advanceTimersByTimeAsync(pauseMs - 1);
  expect(turns).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve();
  await job.stop();
});

test('never runs twice at a time', async () => {
  const job = start(true);
  await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
  job.hurry();
  expect(turns).toHaveLength(1);
  turns[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  job.hurry();
  expect(turns).toHaveLength(2);
  turns[1]?.resolve();
  await job.stop();
});

test('logs a failure, and tries again', async () => {
  const job = start(true);
  turns[0]?.reject(new Error('no room'));
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'it could not be done', err: { message: 'no room' } },
  ]);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve();
  await job.stop();
});

test('stops after the current turn, which may end early, and begins no other', async () => {
  const job = start(true);
  let stopped = false;
  const stop = job.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
  expect([stopping.aborted, stopped]).toEqual([true, false]);
  turns[0]?.resolve();
  await stop;
  job.hurry();
  await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
  expect(turns).toHaveLength(1);
});
