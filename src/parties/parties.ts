import type { Logger } from 'pino';
import { systemClock } from '../platform/base/clock.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import { LANE_DEADLINE_MS } from '../platform/db/lane.ts';
import type { OpenPool, Pool } from '../platform/db/pool.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { startSessionCleaner } from './people/sessions.ts';
import { createVendorDirectory } from './directory.ts';
import type { VendorDirectory } from './directory.ts';
import { createNonceStore, startNonceCleaner } from './nonces.ts';
import type { NonceStore } from './nonces.ts';
import {
  createRequestLog,
  startRequestLogRetention,
  startRequestLogWriter,
} from './request-log.ts';
import type { RequestLog } from './request-log.ts';

const NONCES_EVERY_MS = 30_000;
const REQUESTS_EVERY_MS = 1_000;
const REQUEST_RETENTION_EVERY_MS = 600_000;
const SESSIONS_EVERY_MS = 3_600_000;

export interface Parties {
  /** Empty until its `reload` is called. */
  readonly directory: VendorDirectory;
  readonly nonces: NonceStore;
  readonly requestLog: RequestLog;
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
  const directory = createVendorDirectory(pool, options.masterKeys);
  const requestLog = createRequestLog({
    pool: options.openPool({ name: 'requests', max: 1, byIndexOnly: true }),
    directory,
    clock: systemClock,
  });
  const cleaners: PeriodicJob[] = [];
  return {
    directory,
    nonces,
    requestLog,
    start: () => {
      if (options.roles.has('api')) {
        cleaners.push(startRequestLogWriter(requestLog, { everyMs: REQUESTS_EVERY_MS, log }));
      }
      if (options.roles.has('jobs')) {
        cleaners.push(
          startNonceCleaner({ pool, everyMs: NONCES_EVERY_MS, log }),
          startSessionCleaner({ pool, everyMs: SESSIONS_EVERY_MS, log }),
          startRequestLogRetention({
            pool,
            clock: systemClock,
            everyMs: REQUEST_RETENTION_EVERY_MS,
            log,
          }),
        );
      }
    },
    stop: async () => {
      await Promise.all(cleaners.map((cleaner) => cleaner.stop()));
      await nonces.idle();
    },
  };
}
