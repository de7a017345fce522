import type { Logger } from 'pino';
import type { MasterKeys } from './platform/base/sealing.ts';
import { claimDatabase, refuseOtherMasterKey, refuseOthersDatabase } from './admission.ts';
import { SCHEMA, TABLE_CLASSES } from './schema.ts';
import { compose } from './service.ts';
import type { ComposeOptions, Service } from './service.ts';
import { connectionsOf } from './config.ts';
import type { Config } from './config.ts';
import { setEnquiryRetention } from './credit/enquiries/retention.ts';
import { refuseHalfDistributed } from './platform/cluster/tables.ts';
import { refuseDamage } from './platform/db/migrate.ts';
import { openDatabase } from './platform/db/open.ts';
import type { OpenDatabase } from './platform/db/open.ts';
import { createPool } from './platform/db/pool.ts';
import type { Pool } from './platform/db/pool.ts';
import { TURNS } from './platform/db/migration-turns.ts';
import { prepareDatabase } from './platform/db/prepare.ts';
import type { Prepared } from './platform/db/prepare.ts';
import { databaseOf, ensureRole } from './platform/db/runtime-role.ts';
import { sandboxRuntimeUrl } from './platform/db/sandbox-role.ts';
import { checkServer, checkTimeZone } from './platform/db/server-check.ts';
import { explainUnusable, requireLogin } from './platform/db/unusable.ts';
import { createLog } from './platform/log.ts';
import { openHistory } from './history.ts';
import { noteTimeZone } from './platform/history/store.ts';
import type { OpenHistory } from './history.ts';
import { startWalArchiver } from './wal-archiver.ts';
import type { WalArchiver } from './wal-archiver.ts';
import { enterAfterRestore } from './payments/quarantine/after-restore.ts';
import { openLedgerMac } from './parties/ledger-key.ts';
import { undoAndLog } from './payments/quarantine/forged.ts';
import { findOpenQuarantine } from './payments/quarantine/read-quarantine.ts';

/** A reason why the service cannot start, which the administrator can fix. */
export class StartError extends Error {
  readonly plain = true;
}

export interface RunningService {
  readonly service: Service;
  readonly log: Logger;
  readonly masterKeys: MasterKeys;
  readonly address: string;
  /** Stops everything in order. */
  readonly stop: () => Promise<void>;
}

export interface RunOptions {
  readonly config: Config;
  /** Called once the database may be used: the sandbox makes its own if it has none. */
  readonly openMasterKeys: (pool: Pool) => Promise<MasterKeys>;
  readonly log: Logger;
  /** Adds the sandbox's data, between migrations and serving. May be cut off: the next start continues. */
  readonly prepare?: (pool: Pool, masterKeys: MasterKeys) => Promise<void>;
  /** Around the handlers of the API: the sandbox's faults. */
  readonly around?: ComposeOptions['around'];
  /** Adds routes before the service listens: the sandbox's controls. */
  readonly extend?: (service: Service, masterKeys: MasterKeys) => Promise<void>;
}

/**
 * Database → admission → migrations and grants → mark → quarantine of a restored one → preparation →
 * service → listening → work. If a step fails, everything started before is stopped.
 */
export async function runService(options: RunOptions): Promise<RunningService> {
  const { config, log, around } = options;
  const { databaseUrl: url, databaseOwnerUrl, dataDir } = config;
  const database = await openDatabase({
    ...{ databaseUrl: url, databaseOwnerUrl, dataDir, share: false },
    log: (line) => log.debug({ postgres: line }, 'postgres'),
  });
  let service: Service | undefined;
  let archiver: WalArchiver | undefined;
  let history: OpenHistory | undefined;
  let endTracing: (() => Promise<void>) | undefined;
  const stop = async (): Promise<void> => {
    await service?.stop();
    await history?.stop();
    await archiver?.stop();
    await endTracing?.();
    await database.close();
  };
  try {
    endTracing = await beginTracing(config);
    const { url: databaseUrl, masterKeys } = await prepareAsOwner(options, database).catch(
      (error: unknown) => {
        throw explainUnusable(error, database.ownerUrl, ownerVariable(database));
      },
    );
    const pool = createPool({ url: databaseUrl, max: 2, name: 'start', patient: true });
    try {
      await refuseDamage(pool);
      await refuseHalfDistributed(pool, TABLE_CLASSES);
      await claimDatabase(pool, config);
      await enterAfterRestore(pool, database.data);
      history = await beginHistory({ config, databaseUrl, pool, log }, masterKeys);
      await options.prepare?.(pool, masterKeys);
    } catch (error) {
      throw explainUnusable(error, databaseUrl, 'DATABASE_URL');
    } finally {
      await pool.end();
    }
    archiver = await startWalArchiver({ config, database, masterKey: masterKeys.current, log });
    service = await compose({
      ...{ config, databaseUrl, masterKeys, log, around },
      verifyConnection: history.verify,
      acknowledged: history.acknowledged,
      restores: history.restores,
      witnessAgeSeconds: history.witnessAgeSeconds,
      walArchive: archiver,
    });
    await options.extend?.(service, masterKeys);
    history.start();
    const address = await start(service, config);
    database.onUnexpectedExit((reason) => {
      log.fatal({ reason }, 'the embedded database ended');
      process.exit(1);
    });
    return { service, log, masterKeys, address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Its libraries are loaded only if it is on. */
async function beginTracing(config: Config): Promise<(() => Promise<void>) | undefined> {
  const { roles, traceRatio: ratio } = config;
  if (ratio === undefined) return undefined;
  const { startTracing } = await import('./platform/tracing-sdk.ts');
  return startTracing({ roles, ratio });
}

function ownerVariable({ url, ownerUrl }: OpenDatabase): 'DATABASE_URL' | 'DATABASE_OWNER_URL' {
  return url === ownerUrl ? 'DATABASE_URL' : 'DATABASE_OWNER_URL';
}

/**
 * Migrates and grants, if the owner is known and the database is this program's. Returns the URL to serve
 * with.
 */
async function prepareAsOwner(
  options: RunOptions,
  database: OpenDatabase,
): Promise<{ readonly url: string; readonly masterKeys: MasterKeys }> {
  const { config, log } = options;
  const pools: Pool[] = [];
  const open = (url: string): Pool => {
    const pool = createPool({ url, max: 2, name: 'start', patient: true });
    pools.push(pool);
    return pool;
  };
  try {
    const owner = open(database.ownerUrl);
    let { url } = database;
    const runtime = open(url);
    // Before anything else, so that the error can name the variable.
    await requireLogin(runtime, url, 'DATABASE_URL');
    await refuseOthersDatabase(owner, config);
    const masterKeys = await options.openMasterKeys(owner);
    await refuseOtherMasterKey(owner, masterKeys);
    await refuseUnfitServer(runtime, config, log);
    const onWait = (sessions: readonly string[]): void =>
      log.warn({ sessions }, 'the upgrade of the database waits for a lock');
    let prepared = await prepareDatabase(owner, runtime, SCHEMA, { ...TURNS, onWait });
    if (prepared.applied.length > 0) log.info({ applied: prepared.applied }, 'migrated');
    if (prepared.asOwner) await setEnquiryRetention(owner, config.creditEnquiryRetentionDays);
    if (prepared.oneRole && config.mode === 'sandbox') {
      try {
        const own = sandboxRuntimeUrl(url, await databaseOf(owner), masterKeys.current);
        await ensureRole(owner, own);
        prepared = await prepareDatabase(owner, open(own), SCHEMA);
        url = own;
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'no runtime role could be created');
      }
    }
    checkRole(prepared, config, log);
    return { url, masterKeys };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** Throws: `StartError` if the server's settings would break a guarantee of the service. */
async function refuseUnfitServer(pool: Pool, config: Config, log: Logger): Promise<void> {
  const { refusals, warnings } = await checkServer(pool, connectionsOf(config));
  for (const warning of warnings) log.warn(`the database server: ${warning}`);
  const problems = [...refusals, (await checkTimeZone(pool, config.timeZone)) ?? []].flat();
  if (problems.length > 0) {
    throw new StartError(`The database server cannot be used: ${problems.join('; ')}.`);
  }
}

function checkRole({ oneRole, roleProblems }: Prepared, config: Config, log: Logger): void {
  if (roleProblems.length === 0) return;
  const problems = roleProblems.slice(0, 5).join('; ');
  const advice =
    'Create two roles with deploy/roles.sql; set DATABASE_OWNER_URL to the owner and DATABASE_URL to the runtime role.';
  if (!oneRole || config.requireRuntimeRole) {
    throw new StartError(
      `The role of DATABASE_URL is not restricted as the runtime role must be: ${problems}. ${advice}`,
    );
  }
  log.warn(
    { problems },
    `the service can change what should be append-only, because one database role is used for everything. ${advice}`,
  );
}

/** Tells in the log whether the service is in quarantine. */
async function beginHistory(
  deps: Omit<Parameters<typeof openHistory>[0], 'ledgerMac'>,
  masterKeys: MasterKeys,
): Promise<OpenHistory> {
  const ledgerMac = await openLedgerMac(deps.pool, masterKeys);
  const history = await openHistory({ ...deps, ledgerMac });
  const { pool, config, log } = deps;
  const former = await noteTimeZone(pool, config.timeZone);
  if (former !== undefined) {
    log.warn({ former, time_zone: config.timeZone }, 'TIME_ZONE is another one than before');
  }
  await undoAndLog({ ...deps, ledgerMac });
  await tellQuarantine(deps);
  return history;
}

async function tellQuarantine({ pool, log }: Parameters<typeof beginHistory>[0]): Promise<void> {
  const quarantine = await findOpenQuarantine(pool);
  if (quarantine === undefined) return;
  const { lostFrom, lostUntil, reason } = quarantine;
  log.error({ lostFrom, lostUntil, reason }, 'in quarantine: nothing is sent to operators');
}

async function start(service: Service, config: Config): Promise<string> {
  try {
    return await service.start();
  } catch (error) {
    const port = (error as { readonly port?: number }).port ?? config.port;
    const variable = port === config.metricsPort ? 'METRICS_PORT' : 'PORT';
    const location = `Port ${port} on ${config.host}`;
    switch ((error as NodeJS.ErrnoException).code) {
      case 'EADDRINUSE':
        throw new StartError(
          `${location} is in use by another program. Stop it, or set ${variable} to a free one.`,
          { cause: error },
        );
      case 'EACCES':
        throw new StartError(
          `${location} is not allowed for this user. Set ${variable} to one above 1023.`,
          {
            cause: error,
          },
        );
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new StartError(`${config.host} is not an address of this machine. Correct HOST.`, {
          cause: error,
        });
      default:
        throw error;
    }
  }
}

/** npm passes a Ctrl-C on to the process, which has received it from the terminal already. */
const SAME_SIGNAL_MS = 1_000;

/**
 * The first SIGINT or SIGTERM stops the service in order, the second at once; then the process
 * exits.
 */
export function stopOnSignals(
  running: Pick<RunningService, 'service' | 'log' | 'stop'>,
  now: () => number = () => performance.now(),
): void {
  const { service, log } = running;
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt !== undefined) {
      if (now() - askedAt < SAME_SIGNAL_MS) return;
      log.warn({ signal }, 'second stop signal: stopped without waiting');
      process.exit(1);
    }
    askedAt = now();
    log.info({ signal, waitingFor: service.workUnderWay() }, 'stopping');
    running.stop().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/**
 * An uncaught exception leaves the process in an undefined state, so the process logs it and ends,
 * and its supervisor starts it again. Nothing is lost, just as a kill loses nothing.
 */
export function endOnUnforeseen(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught exception');
    process.exit(1);
  });
}

/**
 * Production: no demo data, no simulated operators. Throws what keeps it from starting, which is in the
 * log as well.
 */
export async function serve(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, roles: config.roles, destination: 1 });
  endOnUnforeseen(log);
  try {
    await startServing(config, log);
  } catch (error) {
    log.fatal({ err: error }, 'the start failed');
    throw error;
  }
}

/** Throws: `StartError`. */
async function startServing(config: Config, log: Logger): Promise<void> {
  const { masterKey: current, masterKeyPrevious: previous } = config;
  if (current === undefined) throw new StartError('MASTER_KEY is required');
  const running = await runService({
    config,
    openMasterKeys: async () => ({ current, previous }),
    log,
  });
  stopOnSignals(running);
  log.info({ address: running.address, roles: [...config.roles] }, 'serving');
}
