import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { readMonths } from './months.ts';
import { storeMonths } from './months-store.ts';

/** The longest period of observation is 12 months, so older months no longer change. */
const MONTHS = 14;

/** Measures the cards in use, so that the metrics show it. */
export function startMonitoring(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeZone: string;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  const { pool, clock, timeZone, everyMs, log } = options;
  return startPeriodicJob({
    everyMs,
    work: async () => await measureMonths(pool, { now: clock.now(), timeZone }),
    failureText: 'the scorecards in use could not be measured',
    log,
  });
}

export async function measureMonths(
  pool: Pool,
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): Promise<void> {
  const months = await readMonths(pool, { months: MONTHS, now, timeZone });
  if (months.length > 0) await storeMonths(pool, months, now);
}
