import type { Logger } from 'pino';
import { systemTimers } from '../base/timers.ts';
import { startWakeLoop } from './wake-loop.ts';

/** A job that runs repeatedly while the process lives. */
export interface PeriodicJob {
  /** Runs the job now, or right after the current run, unless it is stopped. */
  hurry(): void;
  /** Starts no further run; resolves when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` repeatedly, never twice at a time: each run starts `everyMs` after the previous one
 * ended, or with `fromStart` after it started. A failure is logged as a warning; the next run tries again.
 */
export function startPeriodicJob(options: {
  readonly everyMs: number;
  /** The first run is now. Default: after `everyMs`. */
  readonly atOnce?: boolean;
  /** Counts `everyMs` from the start of a run, for work that takes long on purpose. Default: false. */
  readonly fromStart?: boolean;
  /** @param stopping aborted at the stop, for work that can end early. */
  readonly work: (stopping: AbortSignal) => Promise<unknown>;
  /** Logged with the error. */
  readonly failureText: string;
  readonly log: Logger;
}): PeriodicJob {
  const { everyMs, atOnce = false, fromStart = false, work, failureText, log } = options;
  const timers = systemTimers;
  const loop = startWakeLoop({
    firstMs: atOnce ? 0 : everyMs,
    turn: async (stopping) => {
      const startedAtMs = timers.nowMs();
      await work(stopping);
      return fromStart ? Math.max(1, startedAtMs + everyMs - timers.nowMs()) : everyMs;
    },
    onFailure: (error) => {
      log.warn({ err: error }, failureText);
      return everyMs;
    },
    timers,
  });
  return { hurry: () => loop.wake(), stop: async () => await loop.stop() };
}
