import type { Logger } from 'pino';
import { systemTimers } from '../base/timers.ts';
import { startWakeLoop } from './wake-loop.ts';

/** Work that is done again and again while the process lives. */
export interface PeriodicJob {
  /** Begins a turn now, or right after the one under way, unless the job is stopped. */
  hurry(): void;
  /** Begins no more turns; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work`, never twice at a time, and again `everyMs` after it ended. A failure is logged as a
 * warning, and the next turn tries again.
 */
export function startPeriodicJob(options: {
  readonly everyMs: number;
  /** The first turn is now. Default: after `everyMs`. */
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
