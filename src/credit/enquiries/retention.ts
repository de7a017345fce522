import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { erasePayloads, readEnquiryRetention } from './retention-store.ts';

/** Erases personal data of enquiries past retention: at the start, then periodically. */
export function startEnquiryRetention(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly retentionDays: number;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  const { pool, clock, everyMs, log } = options;
  return startPeriodicJob({
    everyMs,
    atOnce: true,
    work: async (stopping) => {
      const minDays = await readEnquiryRetention(pool);
      if (minDays === 0 || minDays > options.retentionDays) {
        log.warn(
          { minDays, retentionDays: options.retentionDays },
          'the database keeps enquiries longer than CREDIT_ENQUIRY_RETENTION_DAYS; run `malipo migrate` with it and DATABASE_OWNER_URL',
        );
      }
      const before = new Date(clock.now().getTime() - options.retentionDays * DAY_MS);
      const erased = await erasePayloads(pool, before, stopping);
      if (erased > 0) log.info({ erased, before }, 'enquiries past retention were erased');
    },
    failureText: 'enquiries past retention could not be erased',
    log,
  });
}
