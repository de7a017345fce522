import type { Logger } from 'pino';
import type { Mac } from '../../platform/base/mac.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { ChainAlteredError, completeChain } from './chain.ts';
import type { Head } from './chain.ts';

/**
 * Extends the hash chain periodically, outside the hot path. Each new head is logged, so that
 * wherever the log is kept there is a head to compare the chain with.
 */
export function startChainBuilder(options: {
  readonly pool: Pool;
  readonly mac: Mac;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  const { pool, mac, log } = options;
  let expected: Head | undefined;
  const extend = async (signal: AbortSignal): Promise<void> => {
    const { head } = await completeChain(pool, mac, { signal, expected });
    if (head === undefined) return;
    expected = head;
    const hash = head.hash.toString('hex');
    log.info({ block: Number(head.blockNumber), head: hash }, 'the hash chain was extended');
  };
  return startPeriodicJob({
    ...options,
    work: async (signal) => {
      try {
        await extend(signal);
      } catch (error) {
        if (!(error instanceof ChainAlteredError)) throw error;
        log.error({ reason: error.message }, 'the hash chain was altered; nothing is added to it');
      }
    },
    failureText: 'the hash chain could not be extended',
  });
}
