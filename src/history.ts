import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { AcknowledgedPayments } from './payments/dispatch/acknowledged.ts';
import { enterOnChange, leaveWhenConfirmed } from './payments/quarantine/after-restore.ts';
import { createPool } from './platform/db/pool.ts';
import type { Pool } from './platform/db/pool.ts';
import { createKeeper, inspectHistory } from './platform/history/keeper.ts';
import type { Keeper } from './platform/history/keeper.ts';
import { openStorage } from './platform/storage/storage.ts';
import type { Storage } from './platform/storage/storage.ts';

export interface OpenHistory extends Pick<Keeper, 'verify' | 'restores' | 'stop'> {
  /** What this process answered and sent. After a promotion the database must have it. */
  readonly acknowledged: AcknowledgedPayments;
  /** Keeps checking, on a connection of its own. */
  start(): void;
}

/** Where the state of the database is recorded. */
function witnessesOf({ databaseWitness, walArchive, s3 }: Config): Storage[] {
  const places = new Set([databaseWitness, ...(walArchive === undefined ? [] : [walArchive])]);
  return [...places].map((place) => openStorage(place, s3));
}

/** Enters quarantine if the database was restored or replaced since it was last used. */
export async function openHistory(options: {
  readonly config: Config;
  readonly databaseUrl: string;
  /** For the first check. */
  readonly pool: Pool;
  readonly log: Logger;
}): Promise<OpenHistory> {
  const { config, databaseUrl, log } = options;
  const own = createPool({
    url: databaseUrl,
    max: 1,
    name: 'history',
    onError: (error) => log.debug({ reason: error.message }, 'a database connection was lost'),
  });
  const acknowledged = new AcknowledgedPayments();
  const keeper = createKeeper({
    processName: `${hostname()} ${process.pid} (${[...config.roles].join(', ')})`,
    witnesses: witnessesOf(config),
    acknowledged,
    onChange: enterOnChange(own),
    onConfirmed: leaveWhenConfirmed(own, log),
    log,
  });
  const stop = async (): Promise<void> => {
    await keeper.stop();
    await own.end();
  };
  try {
    await keeper.check(options.pool);
  } catch (error) {
    await stop();
    throw error;
  }
  const { verify, restores } = keeper;
  return { acknowledged, verify, restores, start: () => keeper.start(own), stop };
}

/**
 * For a command: acts on what the database itself shows, and leaves no trace if nothing has changed.
 */
export async function enterIfChanged(pool: Pool): Promise<void> {
  await inspectHistory(pool, enterOnChange(pool));
}
