import { firstIdAt } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { startRetention } from '../../platform/jobs/retention.ts';
import type { RetentionTiming } from '../../platform/jobs/retention.ts';
import { deleteEventsBefore } from './store.ts';

/** Deletes events past retention: they hold accounts and tokens. */
export function startEventRetention({
  pool,
  ...timing
}: RetentionTiming & { readonly pool: Pool }): PeriodicJob {
  return startRetention({
    ...timing,
    what: 'events',
    days: LIMITS.eventRetentionDays,
    remove: async (before, stopping) =>
      await deleteEventsBefore(pool, { before, firstIdAfter: firstIdAt(before) }, stopping),
  });
}
