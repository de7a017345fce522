import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { DAY_MS } from '../base/days.ts';
import { startPeriodicJob } from './periodic-job.ts';
import type { PeriodicJob } from './periodic-job.ts';

export interface RetentionTiming {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Removes what is older than `days`: at the start, then periodically. */
export function startRetention(
  options: RetentionTiming & {
    /** Named in the log: `events`. */
    readonly what: string;
    readonly days: number;
    /** Returns how many were removed. Ends early when `stopping` is aborted. */
    readonly remove: (before: Date, stopping: AbortSignal) => Promise<number>;
  },
): PeriodicJob {
  const { what, days, remove, clock, everyMs, log } = options;
  return startPeriodicJob({
    everyMs,
    atOnce: true,
    work: async (stopping) => {
      const before = new Date(clock.now().getTime() - days * DAY_MS);
      const removed = await remove(before, stopping);
      if (removed > 0) log.info({ removed, before }, `${what} past retention were removed`);
    },
    failureText: `${what} past retention could not be removed`,
    log,
  });
}
