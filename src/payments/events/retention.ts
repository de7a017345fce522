import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { firstIdAt } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { deleteEventsBefore } from './store.ts';

/**
 * Deletes events past retention, at the start and then periodically: they hold accounts and tokens.
 */
export function startEventRetention(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  const { pool, clock, everyMs, log } = options;
  return startPeriodicJob({
    everyMs,
    atOnce: true,
    work: async (stopping) => {
      const before = new Date(clock.now().getTime() - LIMITS.eventRetentionDays * DAY_MS);
      const range = { before, firstIdAfter: firstIdAt(before) };
      const deleted = await deleteEventsBefore(pool, range, stopping);
      if (deleted > 0) log.info({ deleted, before }, 'events past retention were removed');
    },
    failureText: 'events past retention could not be removed',
    log,
  });
}
