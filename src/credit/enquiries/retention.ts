import type { Logger } from 'pino';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { startRetention } from '../../platform/jobs/retention.ts';
import type { RetentionTiming } from '../../platform/jobs/retention.ts';
import { eraseAnswers } from '../bureaus/upstream-store.ts';
import {
  erasePayloadsOf,
  listEnquiring,
  readEnquiryRetention,
  writeEnquiryRetention,
} from './retention-store.ts';

/** Rows changed in one commit. */
const BATCH_ROWS = 1_000;

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

/**
 * Erases the payloads (names, documents, answer) of enquiries made before an instant, and upstream
 * bureaus' answers to them, in small commits; the rows and the chain stay. Returns how many
 * enquiries.
 * @param signal stops it between two commits; the next call erases the rest.
 */
export async function erasePayloads(
  db: Queryable,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let erased = 0;
  for (const vendorId of await listEnquiring(db)) {
    const batch = { vendorId, before, limit: BATCH_ROWS };
    await eraseAll({ signal }, async () => await eraseAnswers(db, batch));
    erased += await eraseAll({ signal }, async () => await erasePayloadsOf(db, batch));
  }
  return erased;
}

async function eraseAll(
  until: { readonly signal: AbortSignal | undefined },
  eraseBatch: () => Promise<number>,
): Promise<number> {
  let erased = 0;
  // Terminates, because every batch but the last is full.
  while (until.signal?.aborted !== true) {
    const count = await eraseBatch();
    erased += count;
    if (count < BATCH_ROWS) break;
  }
  return erased;
}

/**
 * Records the minimum retention of enquiries, which the database enforces. For the owner.
 * @param days 0: forever.
 */
export async function setEnquiryRetention(owner: Queryable, days: number): Promise<void> {
  // On a cluster every node has the row: writing it fails while one of them is away.
  if ((await readEnquiryRetention(owner)) !== days) await writeEnquiryRetention(owner, days);
}
