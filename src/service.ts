import { startPeriodicJob } from './platform/jobs/periodic-job.ts';
import { createProposals } from './proposal-kinds.ts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createApi, createMetricsServer } from './api.ts';
import type { ApiOptions } from './api.ts';
import type { Config } from './config.ts';
import { openCredit } from './credit/credit.ts';
import type { Credit } from './credit/credit.ts';
import { batchRules } from './credit/operations/batch-rules.ts';
import { creditKeysOf } from './credit/registry/vault.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics, NamedPool, ProcessState } from './metrics.ts';
import type { AuthenticationDeps } from './parties/http/authenticate.ts';
import { openLedgerMac } from './parties/ledger-key.ts';
import { openParties } from './parties/parties.ts';
import type { Parties } from './parties/parties.ts';
import { CREATE_LANE } from './payments/create/create.ts';
import type { AcknowledgedPayments } from './payments/dispatch/acknowledged.ts';
import { openPayments } from './payments/payments.ts';
import type { Payments } from './payments/payments.ts';
import { PRODUCTION_TIMING, SANDBOX_TIMING } from './payments/timing.ts';
import type { UploadDeps } from './payments/uploads/accepted.ts';
import { takeUnfinished } from './payments/uploads/unfinished.ts';
import { createWireTime, systemClock } from './platform/base/clock.ts';
import { createEnds } from './platform/base/ends.ts';
import type { Ends } from './platform/base/ends.ts';
import { createGrace } from './platform/base/grace.ts';
import type { Mac } from './platform/base/mac.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { sleep, systemTimers, within } from './platform/base/timers.ts';
import { SCHEMA } from './schema.ts';
import { createPool } from './platform/db/pool.ts';
import type { OpenPool, Pool, PoolOptions } from './platform/db/pool.ts';
import type { OnBatch } from './platform/db/lane.ts';
import { watchSettings } from './platform/db/settings-watch.ts';
import type { Restores } from './platform/history/keeper.ts';
import { createTasks } from './platform/jobs/tasks.ts';
import { createReadiness } from './platform/http/readiness.ts';
import type { ReadinessCheck } from './platform/http/readiness.ts';
import { LaneTallies } from './platform/lane-tallies.ts';
import type { Background } from './staff/forms.ts';
import { deleteOldAnswers } from './platform/http/answer-store.ts';
import { deleteOldJobs } from './platform/jobs/job-store.ts';
import { createRateLimits } from './platform/http/rate-limits.ts';

const SETTINGS_POLL_MS = 2_000;
const CONSOLE_CONNECTIONS = 4;
const SELF_SERVICE_CONNECTIONS = 4;
const STAFF_CONNECTIONS = 2;
/** One for each job that runs, and one to show how far they have come. */
const JOB_CONNECTIONS = 3;

export interface Service {
  readonly app: FastifyInstance;
  readonly pool: Pool;
  readonly directory: Parties['directory'];
  /** The keys that operations verify signatures with. */
  readonly authentication: AuthenticationDeps;
  readonly catalogue: Payments['catalogue'];
  readonly create: Payments['create'];
  /** Returns the work that a stop would wait for now. */
  readonly workUnderWay: () => WorkUnderWay;
  /**
   * Starts listening, and then the work: an operator may answer an instruction by callback at once.
   * Returns the address.
   */
  start(): Promise<string>;
  /**
   * Accepts no more work, finishes current work within the grace period, and frees all resources.
   */
  stop(): Promise<void>;
}

export interface WorkUnderWay {
  /** Calls to operators. */
  readonly operatorCalls: number;
  /** Payments that are not committed yet. */
  readonly waitingCreates: number;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly masterKeys: MasterKeys;
  readonly log: Logger;
  /** The sandbox's faults. */
  readonly around?: ApiOptions['around'];
  /** Called for every new connection to the database. */
  readonly verifyConnection?: NonNullable<PoolOptions['verify']>;
  /** Remembers payments that were committed. */
  readonly acknowledged?: AcknowledgedPayments;
  /** Restores of the database that this process has found. */
  readonly restores?: Restores;
  /** Since the state of the database was recorded outside of it; null: this process does not need that. */
  readonly witnessAgeSeconds?: ProcessState['witnessAgeSeconds'];
  /** Undefined without an archive of the write-ahead log. */
  readonly walArchive?: ProcessState['walArchive'];
}

/** Builds the service from its wings. If one of them fails, those already opened are stopped. */
export async function compose(options: ComposeOptions): Promise<Service> {
  const ends = createEnds();
  try {
    const { leave, ...service } = await assemble(options, ends);
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await leave();
      await endInTime(ends, options);
    };
    return { ...service, stop: async () => await (stopping ??= stop()) };
  } catch (error) {
    await ends.stop();
    throw error;
  }
}

/** Stops everything. What has not ended by then is left: killing the process loses nothing either. */
async function endInTime(ends: Ends, { config, log }: ComposeOptions): Promise<void> {
  const ms = config.shutdownGraceMs;
  const message = 'the grace period is over: work that had not ended is cut off';
  const ending = ends.stop().then(() => true);
  const hasEnded = await within(systemTimers, ending, { ms, message }).catch((error: unknown) => {
    if (!(error instanceof Error) || error.message !== message) throw error;
    log.warn(message);
    return false;
  });
  // Its errors are of no interest any more.
  if (!hasEnded) ending.catch(() => undefined);
}

interface Assembled extends Omit<Service, 'stop'> {
  /** Has load balancers send their requests elsewhere, before anything ends. */
  readonly leave: () => Promise<void>;
}

/** Database → wings → settings → HTTP. Stopped in the reverse order. */
async function assemble(options: ComposeOptions, ends: Ends): Promise<Assembled> {
  const { config, log, masterKeys } = options;
  const pools: NamedPool[] = [];
  const openPool = createPools(options, pools, ends);
  const pool = openPool({ name: 'main', max: config.databasePoolSize });
  const graceLeftMs = createGrace(callGraceMs(config));
  const readiness = createReadiness({ pool, schema: SCHEMA, log });
  const lanes = new LaneTallies();
  const ledgerMac = await openLedgerMac(pool, masterKeys);

  const shared = { pool, openPool, masterKeys, roles: config.roles, onBatch: lanes.note, log };
  const parties = openParties(shared);
  ends.add(() => parties.stop());
  const payments = composePayments(shared, { ...options, parties, ledgerMac });
  ends.add(() => payments.stop(graceLeftMs));
  const deriveKeys = config.mode === 'sandbox' && config.masterKey === undefined;
  const keys = creditKeysOf(config, masterKeys, deriveKeys);
  const { bucketOf } = parties.directory;
  const rules = batchRules({ ...parties, clock: systemClock, timeZone: config.timeZone });
  const credit = await openCredit({ ...shared, keys, bucketOf, rules, settings: config });
  ends.add(() => credit.stop());

  await followSettings({ pool, parties, payments, credit, log }, ends);
  const consolePool = openPool({ name: 'console', max: CONSOLE_CONNECTIONS, serial: false });
  const staffPool = openPool({ name: 'staff-api', max: STAFF_CONNECTIONS, serial: false });
  const selfServicePool = openPool({ name: 'self-service', max: SELF_SERVICE_CONNECTIONS });
  const { listen, ...http } = await composeHttp(
    {
      ...{ config, log, pool, consolePool, staffPool, selfServicePool, masterKeys, ledgerMac },
      ...{ parties, payments, credit, readiness, lanes, pools },
      background: openBackground(openPool, log, ends),
      walArchive: options.walArchive,
      witnessAgeSeconds: options.witnessAgeSeconds,
      around: options.around,
    },
    ends,
  );
  // The first step of a stop: the grace period begins.
  ends.add(() => void graceLeftMs());
  const workUnderWay = (): WorkUnderWay => ({
    operatorCalls: payments.dispatcher?.underWay ?? 0,
    waitingCreates: payments.waitingCreates,
  });
  const { directory } = parties;
  const start = async (): Promise<string> => {
    const address = await listen();
    for (const wing of [parties, payments, credit]) wing.start();
    const { timeZone } = config;
    if (config.roles.has('jobs')) startProposalJobs({ pool, ledgerMac, log }, timeZone, ends);
    return address;
  };
  const leave = async (): Promise<void> => {
    readiness.endForGood();
    http.app.endConnectionsGently();
    if (config.roles.has('api')) await sleep(systemTimers, config.shutdownDelayMs);
  };
  const { catalogue } = payments;
  const create: Service['create'] = (...asked) => payments.create(...asked);
  return { ...http, pool, directory, catalogue, create, workUnderWay, start, leave };
}

/** Where the jobs of staff run. A stop interrupts them at once: somebody begins them again. */
function openBackground(openPool: OpenPool, log: Logger, ends: Ends): Background {
  const pool = openPool({ name: 'staff-jobs', max: JOB_CONNECTIONS, serial: false });
  const tasks = createTasks(systemTimers);
  ends.add(() => tasks.finish(0));
  return { pool, tasks, log };
}

/** Interval of ending proposals whose time is over or that were overtaken, and of taking statements that were left. */
const EXPIRY_MS = 60_000;

function startProposalJobs(
  parts: Omit<UploadDeps, 'wireTime'>,
  timeZone: string,
  ends: Ends,
): void {
  const { log } = parts;
  const deps = { ...parts, wireTime: createWireTime(timeZone) };
  const proposals = createProposals(deps);
  const every = (work: () => Promise<void>, failureText: string, atOnce = false): void => {
    const job = startPeriodicJob({ everyMs: EXPIRY_MS, work, failureText, log, atOnce });
    ends.add(() => job.stop());
  };
  every(async () => {
    await proposals.expire();
    await proposals.withdrawOver();
  }, 'proposals that nobody can approve any more could not be ended');
  every(async () => {
    await deleteOldAnswers(deps.pool, systemClock.now());
    await deleteOldJobs(deps.pool, systemClock.now());
  }, 'old answers of the staff API and old jobs could not be removed');
  const unfinished = async (): Promise<void> => await takeUnfinished(deps);
  every(unfinished, 'accepted bank statements could not be taken', true);
}

/** Loads what the wings hold in memory, and loads it again when it changes. */
async function followSettings(
  {
    pool,
    parties,
    payments,
    credit,
    log,
  }: Pick<HttpParts, 'pool' | 'parties' | 'payments' | 'credit' | 'log'>,
  ends: Ends,
): Promise<void> {
  const settings = await watchSettings({
    pool,
    pollMs: SETTINGS_POLL_MS,
    reload: {
      vendors: parties.directory.reload,
      billers: async () => {
        await payments.catalogue.reload();
        await payments.receipts?.reload();
      },
      scorecards: credit.reloadCards,
    },
    onError: (error) => log.error({ err: error }, 'settings could not be reloaded'),
  });
  ends.add(() => settings.stop());
}

/** Time for saving how calls to operators ended, before the grace period is over. */
const MAX_SAVE_MS = 2_000;

function callGraceMs({ shutdownGraceMs }: Config): number {
  return shutdownGraceMs - Math.min(MAX_SAVE_MS, shutdownGraceMs / 4);
}

/** Creates pools, which are closed after everything else has stopped. */
function createPools(
  { databaseUrl, log, verifyConnection }: ComposeOptions,
  pools: NamedPool[],
  ends: Ends,
): OpenPool {
  ends.add(() => Promise.all(pools.map(({ pool }) => pool.end())));
  // Only the console reads many rows at once.
  return ({ name, max, byIndexOnly = false, serial = true }) => {
    const pool = createPool({
      url: databaseUrl,
      max,
      name,
      onError: (error) =>
        log.warn({ reason: error.message }, 'an idle database connection was lost'),
      byIndexOnly,
      serial,
      ...(verifyConnection === undefined ? {} : { verify: verifyConnection }),
    });
    pools.push({ name, max, pool });
    return pool;
  };
}

function composePayments(
  shared: {
    readonly pool: Pool;
    readonly openPool: OpenPool;
    readonly masterKeys: MasterKeys;
    readonly onBatch: OnBatch;
    readonly log: Logger;
  },
  by: Pick<ComposeOptions, 'config' | 'acknowledged' | 'restores'> & {
    readonly parties: Parties;
    readonly ledgerMac: Mac;
  },
): Payments {
  const { config, ledgerMac, restores } = by;
  const { masterKeys } = shared;
  return openPayments({
    ...shared,
    directory: by.parties.directory,
    acknowledged: by.acknowledged,
    roles: config.roles,
    settings: config,
    timing: config.mode === 'sandbox' ? SANDBOX_TIMING : PRODUCTION_TIMING,
    operators: { masterKeys, callbackBase: `${config.publicUrl}/callbacks` },
    ledgerMac,
    receipts: { masterKeys, ledgerMac, callbackBase: `${config.publicUrl}/receipts` },
    jobs: {
      masterKeys,
      ledgerMac,
      wireTime: createWireTime(config.timeZone),
      clock: systemClock,
      ...(restores === undefined ? {} : { restores }),
    },
  });
}

interface HttpParts extends Pick<
  ApiOptions,
  | 'log'
  | 'pool'
  | 'consolePool'
  | 'staffPool'
  | 'selfServicePool'
  | 'background'
  | 'masterKeys'
  | 'ledgerMac'
> {
  readonly config: Config;
  readonly parties: Parties;
  readonly payments: Payments;
  readonly credit: Credit;
  readonly readiness: ReadinessCheck;
  readonly lanes: LaneTallies;
  readonly pools: readonly NamedPool[];
  readonly walArchive: ComposeOptions['walArchive'];
  readonly witnessAgeSeconds: ComposeOptions['witnessAgeSeconds'];
  readonly around: ComposeOptions['around'];
}

function composeMetrics(parts: HttpParts): Metrics {
  const { config, log, pool, payments, readiness, lanes, pools } = parts;
  return createMetrics({
    pool,
    process: {
      roles: config.roles,
      isReady: async () => (await readiness.read()).missing === undefined,
      pools: () => pools,
      lanes,
      requestLog: parts.parties.requestLog,
      walArchive: parts.walArchive,
      witnessAgeSeconds: parts.witnessAgeSeconds,
    },
    payments,
    log,
  });
}

async function composeHttp(
  parts: HttpParts,
  ends: Ends,
): Promise<Pick<Service, 'app' | 'authentication'> & { readonly listen: Service['start'] }> {
  const { config, log, parties, payments, readiness } = parts;
  const metrics = composeMetrics(parts);
  const authentication = {
    directory: parties.directory,
    nonces: parties.nonces,
    clock: systemClock,
    limits: createRateLimits({
      signerPerSecond: config.signerRequestsPerSecond,
      strangerPerSecond: config.strangerRequestsPerSecond,
    }),
    explainsSignatures: config.mode === 'sandbox',
  };
  const { metricsPort, host } = config;
  const metricsApp =
    metricsPort === undefined ? undefined : await createMetricsServer({ log, metrics, readiness });
  ends.add(() => metricsApp?.close());
  const app = await createApi({
    ...parts,
    ...authentication,
    ...payments,
    ...parts.credit,
    schema: SCHEMA,
    serverLimits: {
      connectionsPerAddress: config.connectionsPerAddress,
      requestsPerAddress: config.requestsPerAddress,
      unfinishedPerAddress: config.unfinishedRequestsPerAddress,
      // The remaining connections are for calls to operators.
      stopGraceMs: config.shutdownGraceMs / 2,
    },
    creates: () => parts.lanes.batchesOf(CREATE_LANE),
    servesMetrics: metricsApp === undefined || config.mode === 'sandbox',
    metrics,
    requestLog: parties.requestLog,
    wireTime: createWireTime(config.timeZone),
  });
  ends.add(() => app.close());
  return {
    app,
    authentication,
    listen: async () => {
      await metricsApp?.listen({ port: metricsPort ?? 0, host });
      return await app.listen({ port: config.port, host });
    },
  };
}
