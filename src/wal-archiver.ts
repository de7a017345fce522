import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { findArchiveGap } from './platform/backup/archive-gap.ts';
import { archiveWal, forgetArchive } from './platform/backup/wal-archive.ts';
import { systemTimers, within } from './platform/base/timers.ts';
import type { OpenDatabase } from './platform/db/open.ts';
import { createPool } from './platform/db/pool.ts';
import { startPeriodicJob } from './platform/jobs/periodic-job.ts';
import type { Pool } from './platform/db/pool.ts';
import { openStorage } from './platform/storage/open.ts';
import type { Storage } from './platform/storage/storage.ts';

const ARCHIVE_EVERY_MS = 60_000;
// A bucket lists a thousand files in a request.
const LOOK_EVERY_MS = 10 * 60_000;
const FAILURE = 'the WAL was not archived';

export interface WalArchiver {
  /** Since everything that was committed was in the archive, or since the start. */
  readonly ageSeconds: () => number;
  /** Number of segments that the archive lacks after the last backup; null until that is known. */
  readonly missingSegments: () => number | null;
  /** Archives what was written until now, and stops; gives up after the grace period. */
  stop(): Promise<void>;
}

/** Archives the WAL of an embedded database every minute, if `WAL_ARCHIVE` is set. */
export async function startWalArchiver(options: {
  readonly config: Pick<Config, 'walArchive' | 's3' | 'shutdownGraceMs'>;
  readonly database: OpenDatabase;
  readonly masterKey: Buffer;
  readonly log: Logger;
}): Promise<WalArchiver | undefined> {
  const { config, database, masterKey, log } = options;
  const { data, ownerUrl } = database;
  if (data === undefined) return undefined;
  const archive =
    config.walArchive === undefined ? undefined : await openStorage(config.walArchive, config.s3);
  const pool = createPool({ url: ownerUrl, max: 1, name: 'archive' });
  if (archive === undefined) {
    try {
      await forgetArchive(pool);
    } finally {
      await pool.end();
    }
    return undefined;
  }
  const gap = createGapWatch(pool, archive, log);
  let archivedAtMs = performance.now();
  const run = async (): Promise<void> => {
    const beganAtMs = performance.now();
    await archiveWal({ pool, data, archive, masterKey });
    archivedAtMs = beganAtMs;
    await gap.look();
  };
  const job = startPeriodicJob({
    everyMs: ARCHIVE_EVERY_MS,
    atOnce: true,
    work: run,
    failureText: FAILURE,
    log,
  });
  const finish = async (): Promise<void> => {
    await job.stop();
    await run();
  };
  return {
    ageSeconds: () => (performance.now() - archivedAtMs) / 1000,
    missingSegments: gap.missing,
    stop: async () => {
      const message = 'the archive did not answer within the grace period';
      const limit = { ms: config.shutdownGraceMs, message };
      const finishing = finish();
      await within(systemTimers, finishing, limit).catch((error: unknown) =>
        log.warn({ err: error }, FAILURE),
      );
      await archive.close();
      finishing.catch(() => undefined);
      // A call that was cut off may still have the connection; the process ends anyway.
      await within(systemTimers, pool.end(), { ...limit, ms: 1000 }).catch(() => undefined);
    },
  };
}

/** Looks for missing segments now and then, after the log was archived. */
function createGapWatch(pool: Pool, archive: Storage, log: Logger) {
  let missing: number | null = null;
  let lookAtMs = 0;
  return {
    missing: () => missing,
    look: async (): Promise<void> => {
      if (performance.now() < lookAtMs) return;
      const gap = await findArchiveGap(pool, archive);
      if (gap !== undefined) log.error(gap, 'the archive of the WAL lacks segments');
      missing = gap?.missing ?? 0;
      lookAtMs = performance.now() + LOOK_EVERY_MS;
    },
  };
}
