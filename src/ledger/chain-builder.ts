import type { Logger } from 'pino';
import { startPeriodicJob } from '../base/periodic-job.ts';
import type { PeriodicJob } from '../base/periodic-job.ts';
import type { Pool } from '../db/pool.ts';
import { completeChains } from './chain.ts';

/** Extends the hash chains every now and then, off the hot path. */
export function startChainBuilder(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  return startPeriodicJob({
    ...options,
    work: async (signal) => await completeChains(options.pool, { signal }),
    failureText: 'the hash chain could not be extended',
  });
}
