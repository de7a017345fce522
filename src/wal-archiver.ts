import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { archiveWal, forgetArchive } from './platform/backup/wal-archive.ts';
import type { OpenDatabase } from './platform/db/open.ts';
import { createPool } from './platform/db/pool.ts';
import { startPeriodicJob } from './platform/jobs/periodic-job.ts';

const ARCHIVE_EVERY_MS = 60_000;

export interface WalArchiver {
  /** Archives what was written until now, and stops. */
  stop(): Promise<void>;
}

/** Archives the WAL of an embedded database every minute, if `WAL_ARCHIVE` is set. */
export async function startWalArchiver(options: {
  readonly config: Pick<Config, 'walArchive'>;
  readonly database: OpenDatabase;
  readonly masterKey: Buffer;
  readonly log: Logger;
}): Promise<WalArchiver | undefined> {
  const { config, database, masterKey, log } = options;
  const { walArchive: folder } = config;
  const { data, ownerUrl } = database;
  if (data === undefined) return undefined;
  const pool = createPool({ url: ownerUrl, max: 1, name: 'archive' });
  if (folder === undefined) {
    try {
      await forgetArchive(pool);
    } finally {
      await pool.end();
    }
    return undefined;
  }
  const archive = async (): Promise<unknown> => await archiveWal({ pool, data, folder, masterKey });
  const failureText = 'the WAL was not archived';
  const job = startPeriodicJob({
    everyMs: ARCHIVE_EVERY_MS,
    atOnce: true,
    work: archive,
    failureText,
    log,
  });
  return {
    stop: async () => {
      await job.stop();
      await archive().catch((error: unknown) => log.warn({ err: error }, failureText));
      await pool.end();
    },
  };
}
