import type { Logger } from 'pino';
import type { MasterKeys } from '../platform/base/sealing.ts';
import { LANE_DEADLINE_MS } from '../platform/db/lane.ts';
import type { OpenPool, Pool } from '../platform/db/pool.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { startSessionCleaner } from './people/sessions.ts';
import { createVendorDirectory } from './directory.ts';
import type { VendorDirectory } from './directory.ts';
import { createNonceStore, startNonceCleaner } from './nonces.ts';
import type { NonceStore } from './nonces.ts';

const NONCES_EVERY_MS = 30_000;
const SESSIONS_EVERY_MS = 3_600_000;

export interface Parties {
  /** Empty until its `reload` is called. */
  readonly directory: VendorDirectory;
  readonly nonces: NonceStore;
  /** Starts the background jobs, with the role `jobs`. */
  start(): void;
  /** Finishes current work. */
  stop(): Promise<void>;
}

/** Builds the parties wing of one process: who may sign requests, and which nonces were used. */
export function openParties(options: {
  readonly pool: Pool;
  readonly openPool: OpenPool;
  readonly masterKeys: MasterKeys;
  readonly roles: ReadonlySet<string>;
  readonly log: Logger;
}): Parties {
  const { pool, log } = options;
  const nonces = createNonceStore({
    pool: options.openPool({ name: 'nonces', max: 1, byIndexOnly: true }),
    deadlineMs: LANE_DEADLINE_MS,
  });
  const cleaners: PeriodicJob[] = [];
  return {
    directory: createVendorDirectory(pool, options.masterKeys),
    nonces,
    start: () => {
      if (options.roles.has('jobs')) {
        cleaners.push(
          startNonceCleaner({ pool, everyMs: NONCES_EVERY_MS, log }),
          startSessionCleaner({ pool, everyMs: SESSIONS_EVERY_MS, log }),
        );
      }
    },
    stop: async () => {
      await Promise.all(cleaners.map((cleaner) => cleaner.stop()));
      await nonces.idle();
    },
  };
}
