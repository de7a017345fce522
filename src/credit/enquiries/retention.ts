import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { startRetention } from '../../platform/jobs/retention.ts';
import type { RetentionTiming } from '../../platform/jobs/retention.ts';
import { erasePayloads, readEnquiryRetention } from './retention-store.ts';

/** Erases the personal data of enquiries past retention. */
export function startEnquiryRetention({
  pool,
  retentionDays,
  ...timing
}: RetentionTiming & { readonly pool: Pool; readonly retentionDays: number }): PeriodicJob {
  return startRetention({
    ...timing,
    what: 'personal data of enquiries',
    days: retentionDays,
    remove: async (before, stopping) => {
      await warnOfLongerRetention(pool, retentionDays, timing.log);
      return await erasePayloads(pool, before, stopping);
    },
  });
}

async function warnOfLongerRetention(
  pool: Pool,
  retentionDays: number,
  log: Logger,
): Promise<void> {
  const minDays = await readEnquiryRetention(pool);
  if (minDays > 0 && minDays <= retentionDays) return;
  log.warn(
    { minDays, retentionDays },
    'the database keeps enquiries longer than CREDIT_ENQUIRY_RETENTION_DAYS; run `malipo migrate` with it and DATABASE_OWNER_URL',
  );
}
