import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { AcknowledgedPayments } from './payments/dispatch/acknowledged.ts';
import { enterOnChange, leaveWhenConfirmed } from './payments/quarantine/after-restore.ts';
import type { Mac } from './platform/base/mac.ts';
import { PlainError } from './platform/base/plain-error.ts';
import { createPool } from './platform/db/pool.ts';
import type { Pool } from './platform/db/pool.ts';
import { createKeeper, inspectHistory } from './platform/history/keeper.ts';
import type { Keeper } from './platform/history/keeper.ts';
import { openStorage } from './platform/storage/open.ts';
import type { Storage } from './platform/storage/storage.ts';

export interface OpenHistory extends Pick<Keeper, 'verify' | 'restores' | 'stop'> {
  /** Records of what this process answered and sent. After a promotion the database must have them. */
  readonly acknowledged: AcknowledgedPayments;
  /**
   * Since the state of the database was recorded outside of it. Null unless this process sends payments and
   * needs that (`REQUIRE_DATABASE_WITNESS`).
   */
  readonly witnessAgeSeconds: () => number | null;
  /** Keeps checking, on a connection of its own. */
  start(): void;
}

/** Where the state of the database is recorded. */
async function openWitnesses({ databaseWitness, walArchive, s3 }: Config): Promise<Storage[]> {
  const places = new Set([databaseWitness, ...(walArchive === undefined ? [] : [walArchive])]);
  return await Promise.all([...places].map(async (place) => await openStorage(place, s3)));
}

/**
 * Enters quarantine if the database was restored or replaced since it was last used.
 * Throws: `PlainError` if nothing outside the database could show that, and this process sends payments.
 */
export async function openHistory(options: {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Used by the first check. */
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly log: Logger;
}): Promise<OpenHistory> {
  const { config, databaseUrl, log } = options;
  const witnesses = await openWitnesses(config);
  const own = createPool({
    url: databaseUrl,
    max: 1,
    name: 'history',
    onError: (error) => log.debug({ reason: error.message }, 'a database connection was lost'),
  });
  const acknowledged = new AcknowledgedPayments();
  const keeper = createKeeper({
    processName: `${hostname()} ${process.pid} (${[...config.roles].join(', ')})`,
    witnesses,
    acknowledged,
    onChange: enterOnChange(own),
    onConfirmed: leaveWhenConfirmed({ pool: own, ledgerMac: options.ledgerMac }, log),
    log,
  });
  const needsWitness = config.requireDatabaseWitness && config.roles.has('dispatcher');
  const stop = async (): Promise<void> => {
    await keeper.stop();
    await own.end();
  };
  try {
    await keeper.check(options.pool);
    if (needsWitness && keeper.recordedAtMs() === undefined) throw noWitness(config);
  } catch (error) {
    await stop();
    throw error;
  }
  const { verify, restores } = keeper;
  const witnessAgeSeconds = (): number | null =>
    needsWitness ? (performance.now() - (keeper.recordedAtMs() ?? 0)) / 1_000 : null;
  const start = (): void => keeper.start(own);
  return { acknowledged, verify, restores, witnessAgeSeconds, start, stop };
}

function noWitness({ databaseWitness, walArchive }: Config): PlainError {
  const places = [databaseWitness, ...(walArchive === undefined ? [] : [walArchive])].join(', ');
  return new PlainError(
    `The state of the database cannot be recorded (${places}; the log says why), so a copy that is put back would not be noticed, and payments would be sent a second time. Set DATABASE_WITNESS to a folder that this process can write, on another disk than the database, or to a bucket. To send payments without it: REQUIRE_DATABASE_WITNESS=false`,
  );
}

/**
 * Commands use this: it acts on what the database itself shows, and leaves no trace if nothing has
 * changed.
 */
export async function enterIfChanged(pool: Pool): Promise<void> {
  await inspectHistory(pool, enterOnChange(pool));
}
