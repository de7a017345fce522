import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createWireTime, systemClock } from './platform/base/clock.ts';
import type { WireTime } from './platform/base/clock.ts';
import { createGrace } from './platform/base/grace.ts';
import type { Mac } from './platform/base/mac.ts';
import type { PeriodicJob } from './platform/jobs/periodic-job.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { createBillerCatalogue } from './payments/billers/catalogue.ts';
import type { BillerCatalogue } from './payments/billers/catalogue.ts';
import { createBulkProcessor } from './payments/bulk/processor.ts';
import type { BulkProcessor } from './payments/bulk/processor.ts';
import type { Config } from './config.ts';
import { createMetropolBureau } from './credit/bureaus/metropol/bureau.ts';
import { createConnectorRegistry } from './payments/connectors/registry.ts';
import { createRegistryBureau } from './credit/bureaus/registry.ts';
import { createEnquiryService } from './credit/enquiries/service.ts';
import type { EnquiryService } from './credit/enquiries/service.ts';
import { startEnquiryRetention } from './credit/enquiries/retention.ts';
import { openRegistryVault } from './credit/registry/open-vault-store.ts';
import { creditKeysOf } from './credit/registry/vault.ts';
import { createPool } from './platform/db/pool.ts';
import type { Pool } from './platform/db/pool.ts';
import { watchSettings } from './platform/db/settings-watch.ts';
import { createAvailabilities } from './payments/dispatch/availability.ts';
import { createCapacity } from './payments/dispatch/capacity.ts';
import type { Capacity } from './payments/dispatch/capacity.ts';
import { createCallbackReceiver } from './payments/dispatch/callbacks.ts';
import type { Connector } from './payments/dispatch/connector.ts';
import type { RetryPolicy } from './payments/dispatch/decide.ts';
import { startDispatcher } from './payments/dispatch/dispatcher.ts';
import type { Dispatcher } from './payments/dispatch/dispatcher.ts';
import { WEBHOOK_POLICY } from './payments/events/decide.ts';
import { startEventRetention } from './payments/events/retention.ts';
import { startWebhookSender } from './payments/events/sender.ts';
import { createApi, createMetricsServer } from './api.ts';
import { createMetrics } from './metrics.ts';
import { createRateLimits } from './platform/http/rate-limits.ts';
import { startChainBuilder } from './payments/ledger/chain-builder.ts';
import { createBalanceReader } from './payments/ledger/balance-reader.ts';
import { createCreateLanes } from './payments/create/create.ts';
import type { CreateLanes } from './payments/create/create.ts';
import { createSettler } from './payments/settle/settle.ts';
import type { Settler } from './payments/settle/settle.ts';
import { requireOneVendorCalls } from './payments/create/store.ts';
import { createStatusReader } from './payments/create/status-reader.ts';
import type { NewPayment } from './payments/create/payment.ts';
import { createVendorDirectory } from './parties/directory.ts';
import type { AuthenticationDeps } from './parties/http/authenticate.ts';
import type { VendorDirectory } from './parties/directory.ts';
import { openOperatorKeys } from './parties/keys.ts';
import { openLedgerMac } from './parties/ledger-key.ts';
import { createNonceStore, startNonceCleaner } from './parties/nonces.ts';

/** How long a batch is retried over lost connections before its callers are told. */
const LANE_DEADLINE_MS = 8_000;
/** The same of a read, which its sender can repeat at once. */
const READ_DEADLINE_MS = 3_000;
const SETTINGS_POLL_MS = 2_000;
const QUEUE_POLL_MS = 500;
const CHAIN_EVERY_MS = 10_000;
const BULK_POLL_MS = 2_000;
const BULK_LEASE_MS = 5_000;
const NONCES_EVERY_MS = 30_000;
const WEBHOOK_POLL_MS = 500;
const RETENTION_EVERY_MS = 3_600_000;

/** In the sandbox every suffix but 9909 must reach its end within 20 s. */
const SANDBOX_POLICY: RetryPolicy = {
  verifyFirstMs: 400,
  verifyMaxMs: 60_000,
  resendFirstMs: 400,
  resendMaxMs: 30_000,
};
const PRODUCTION_POLICY: RetryPolicy = {
  verifyFirstMs: 2_000,
  verifyMaxMs: 300_000,
  resendFirstMs: 1_000,
  resendMaxMs: 60_000,
};

export interface Service {
  readonly app: FastifyInstance;
  readonly pool: Pool;
  readonly directory: VendorDirectory;
  /** What its operations check signatures with. */
  readonly authentication: AuthenticationDeps;
  readonly catalogue: BillerCatalogue;
  /** Starts listening. Returns the address. */
  listen(): Promise<string>;
  /** Takes no more work, finishes what is under way within the grace period, frees everything. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly masterKeys: MasterKeys;
  readonly log: Logger;
}

/** Ends of what was started, in the order in which it was; ended in the reverse. */
type Ends = (() => unknown)[];

/**
 * Builds the service from its parts: the one place where they are wired, in order. When one of them
 * fails, those that were started are stopped again.
 */
export async function compose(options: ComposeOptions): Promise<Service> {
  const ends: Ends = [];
  const stopAll = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const parts = await assemble(options, ends);
    let stopping: Promise<void> | undefined;
    return { ...parts, stop: async () => await (stopping ??= stopAll()) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function assemble(options: ComposeOptions, ends: Ends): Promise<Omit<Service, 'stop'>> {
  const dependencies = createDependencies(options, ends);
  const { config, log, pool, wireTime } = dependencies;
  const settings = await composeSettings(dependencies);
  const { directory, catalogue, connectorOf } = settings;
  const ledgerMac = await openLedgerMac(pool, dependencies.masterKeys);
  const { settler, lanes, bulkProcessor, dispatcher, capacity } = await composePayments(
    dependencies,
    settings,
  );
  const nonces = createNonceStore({
    pool: dependencies.openPool('nonces', 1, true),
    deadlineMs: LANE_DEADLINE_MS,
  });
  dependencies.atStop(() => nonces.idle());
  const enquiryService = await composeCredit(dependencies);
  if (config.roles.has('jobs')) startJobs(dependencies, ledgerMac);

  const metrics = createMetrics({
    pool,
    waitingCreates: () => lanes.waiting,
    callsUnderWay: () => dispatcher?.underWay ?? 0,
  });
  const limits = createRateLimits({
    signerPerSecond: config.signerRequestsPerSecond,
    strangerPerSecond: config.strangerRequestsPerSecond,
  });
  const explainsSignatures = config.mode === 'sandbox';
  const authentication = { directory, nonces, clock: systemClock, limits, explainsSignatures };
  const reading = (name: string) => ({
    pool: dependencies.openPool(name, 1, true),
    deadlineMs: READ_DEADLINE_MS,
  });
  const { metricsPort, host } = config;
  const metricsApp =
    metricsPort === undefined ? undefined : await createMetricsServer({ log, metrics, pool });
  dependencies.atStop(() => metricsApp?.close());
  const app = await createApi({
    ...authentication,
    config,
    serverLimits: {
      connectionsPerAddress: config.connectionsPerAddress,
      requestsPerAddress: config.requestsPerAddress,
      unfinishedPerAddress: config.unfinishedRequestsPerAddress,
      // The rest is for calls to operators.
      stopGraceMs: config.shutdownGraceMs / 2,
    },
    servesMetrics: metricsApp === undefined || config.mode === 'sandbox',
    log,
    metrics,
    pool,
    ledgerMac,
    wireTime,
    catalogue,
    connectorOf,
    capacity,
    lanes,
    bulkProcessor,
    balances: createBalanceReader(reading('balances')),
    statuses: createStatusReader(reading('statuses')),
    callbackReceiver: createCallbackReceiver({ pool, catalogue, connectorOf, settler, log }),
    enquiryService,
  });
  dependencies.atStop(() => app.close());
  // First of all at the stop: the time begins.
  dependencies.atStop(() => void dependencies.graceLeftMs());
  return {
    app,
    pool,
    directory,
    authentication,
    catalogue,
    listen: async () => {
      await metricsApp?.listen({ port: metricsPort ?? 0, host });
      return await app.listen({ port: config.port, host });
    },
  };
}

/** What parts are made with. */
interface Dependencies extends Pick<ComposeOptions, 'config' | 'masterKeys' | 'log'> {
  /** For everything that is not a lane. */
  readonly pool: Pool;
  readonly wireTime: WireTime;
  /** Of connections of its own, which end with the service. */
  readonly openPool: (name: string, max: number, byIndexOnly?: boolean) => Pool;
  /** A pool of one connection for each lane. */
  readonly openLanes: (name: string) => Pool[];
  /** Ends something at the stop, before what was there when it began. */
  readonly atStop: (end: () => unknown) => void;
  /** What is left of the grace period, which begins when this is first called. */
  readonly graceLeftMs: () => number;
}

function createDependencies(options: ComposeOptions, ends: Ends): Dependencies {
  const { config, log } = options;
  const atStop: Dependencies['atStop'] = (end) => void ends.push(end);
  const openPool: Dependencies['openPool'] = (name, max, byIndexOnly = false) => {
    const pool = createPool({
      url: options.databaseUrl,
      max,
      name,
      onError: (error) =>
        log.warn({ reason: error.message }, 'an idle database connection was lost'),
      // Citus has to know the values of a statement to plan it.
      byIndexOnly: byIndexOnly && config.batches === 'many_vendors',
    });
    atStop(() => pool.end());
    return pool;
  };
  return {
    config,
    log,
    masterKeys: options.masterKeys,
    pool: openPool('main', config.databasePoolSize),
    wireTime: createWireTime(config.timeZone),
    openPool,
    openLanes: (name) =>
      Array.from({ length: config.laneCount }, (_, index) => openPool(`${name} ${index}`, 1, true)),
    atStop,
    graceLeftMs: createGrace(config.shutdownGraceMs),
  };
}

/** What every process holds in memory and follows as it is changed. */
interface Settings {
  readonly directory: VendorDirectory;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
}

async function composeSettings({
  config,
  log,
  masterKeys,
  pool,
  atStop,
}: Dependencies): Promise<Settings> {
  const directory = createVendorDirectory(pool, masterKeys);
  const connectors = createConnectorRegistry({
    callbackBase: `${config.publicUrl}/callbacks`,
    log,
  });
  const catalogue = createBillerCatalogue({
    pool,
    masterKeys,
    readSecrets: openOperatorKeys,
    onReload: () => connectors.update(catalogue.operators()),
  });
  atStop(() => connectors.close());
  const settings = await watchSettings({
    pool,
    pollMs: SETTINGS_POLL_MS,
    reload: { vendors: directory.reload, billers: catalogue.reload },
    onError: (error) => log.error({ err: error }, 'settings could not be reloaded'),
  });
  atStop(() => settings.stop());
  return { directory, catalogue, connectorOf: connectors.connectorOf };
}

/** From the create to the end of a payment, as far as the roles of this process go. */
interface Payments {
  readonly settler: Settler;
  readonly lanes: CreateLanes;
  readonly bulkProcessor: BulkProcessor | undefined;
  readonly dispatcher: Dispatcher | undefined;
  readonly capacity: Capacity;
}

async function composePayments(dependencies: Dependencies, settings: Settings): Promise<Payments> {
  const { config, log, pool, openPool, openLanes, atStop } = dependencies;
  const { directory, catalogue, connectorOf } = settings;
  const { batches } = config;
  const laneDeadlineMs = LANE_DEADLINE_MS;
  if (batches === 'one_vendor') await requireOneVendorCalls(pool);
  const settler = createSettler({
    pools: openLanes('settle'),
    deadlineMs: laneDeadlineMs,
    batches,
  });
  atStop(() => settler.idle());

  const capacity = createCapacity(() => performance.now());
  let dispatcher: Dispatcher | undefined;
  const onAccepted = (accepted: readonly NewPayment[]): void =>
    dispatcher?.hint(
      accepted.map(({ vendorId, billerCode }) => ({ vendorId, billerCode, stage: 'send' })),
    );
  const createPools = openLanes('create');
  const lanes = createCreateLanes({
    pools: createPools,
    deadlineMs: laneDeadlineMs,
    batches,
    onAccepted,
  });
  atStop(() => lanes.idle());
  const bulkProcessor = config.roles.has('api')
    ? createBulkProcessor({
        pool,
        lanePools: createPools,
        laneDeadlineMs,
        batches,
        rules: {
          vendorById: (vendorId) => directory.vendorById(vendorId),
          billerOf: (billerCode) => catalogue.biller(billerCode),
        },
        onAccepted,
        pollMs: BULK_POLL_MS,
        leaseMs: BULK_LEASE_MS,
        log,
      })
    : undefined;
  atStop(() => bulkProcessor?.stop());

  if (config.roles.has('dispatcher')) {
    const availabilities = createAvailabilities({
      pool,
      catalogue,
      connectorOf,
      openAfterFailures: config.breakerFailures,
      cooldownMs: config.breakerCooldownMs,
      log,
    });
    atStop(() => availabilities.idle());
    dispatcher = startDispatcher({
      pool: openPool('dispatch', 2, true),
      progressPool: openPool('progress', 1, true),
      catalogue,
      connectorOf,
      settler,
      availabilities,
      capacity,
      policy: config.mode === 'sandbox' ? SANDBOX_POLICY : PRODUCTION_POLICY,
      pollMs: QUEUE_POLL_MS,
      laneDeadlineMs,
      log,
    });
  }
  atStop(() => dispatcher?.stop(dependencies.graceLeftMs()));
  return { settler, lanes, bulkProcessor, dispatcher, capacity };
}

/** The enquiry desk with its bureau; undefined when the credit registry is not configured. */
async function composeCredit({
  config,
  masterKeys,
  pool,
  openLanes,
  atStop,
}: Dependencies): Promise<EnquiryService | undefined> {
  const derive = config.mode === 'sandbox' && config.masterKey === undefined;
  const keys = creditKeysOf(config, masterKeys, derive);
  if (keys === undefined) return undefined;
  const vault = await openRegistryVault(pool, keys);
  const shared = { pool, vault, clock: systemClock, timeZone: config.timeZone };
  const bureau =
    config.metropol === undefined
      ? createRegistryBureau({ ...shared, retentionDays: config.creditRetentionDays })
      : createMetropolBureau({ ...shared, ...config.metropol });
  atStop(() => bureau.close());
  const receiver = createEnquiryService({
    pool,
    lanePools: openLanes('enquiry'),
    laneDeadlineMs: LANE_DEADLINE_MS,
    vault,
    bureau,
    clock: systemClock,
    missesPerHour: config.creditMissesPerHour,
  });
  atStop(() => receiver.idle());
  return receiver;
}

/** What is done now and then, off every request's way. */
function startJobs(
  { config, log, masterKeys, pool, wireTime, openPool, atStop, graceLeftMs }: Dependencies,
  ledgerMac: Mac,
): void {
  const stopLater = (job: PeriodicJob): void => atStop(() => job.stop());
  stopLater(startChainBuilder({ pool, mac: ledgerMac, everyMs: CHAIN_EVERY_MS, log }));
  stopLater(startNonceCleaner({ pool, everyMs: NONCES_EVERY_MS, log }));
  const retention = { pool, clock: systemClock, everyMs: RETENTION_EVERY_MS, log };
  const retentionDays = config.creditEnquiryRetentionDays;
  if (retentionDays > 0) stopLater(startEnquiryRetention({ ...retention, retentionDays }));
  stopLater(startEventRetention(retention));
  const sender = startWebhookSender({
    pool: openPool('webhooks', 2, true),
    masterKeys,
    wireTime,
    policy: WEBHOOK_POLICY,
    pollMs: WEBHOOK_POLL_MS,
    log,
  });
  atStop(() => sender.stop(graceLeftMs()));
}
