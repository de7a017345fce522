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
 * ended. A failure is logged as a warning; the next run tries again.
 */
export function startPeriodicJob(options: {
  readonly everyMs: number;
  /** The first run is now. Default: after `everyMs`. */
  readonly atOnce?: boolean;
  /** @param stopping aborted at the stop, for work that can end early. */
  readonly work: (stopping: AbortSignal) => Promise<unknown>;
  /** Logged with the error. */
  readonly failureText: string;
  readonly log: Logger;
}): PeriodicJob {
  const { everyMs, atOnce = false, work, failureText, log } = options;
  const loop = startWakeLoop({
    firstMs: atOnce ? 0 : everyMs,
    turn: async (stopping) => {
      await work(stopping);
      return everyMs;
    },
    onFailure: (error) => {
      log.warn({ err: error }, failureText);
      return everyMs;
    },
    timers: systemTimers,
  });
  return { hurry: () => loop.wake(), stop: async () => await loop.stop() };
}
