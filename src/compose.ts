import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createWireTime, systemClock } from './base/clock.ts';
import type { MasterKeys } from './base/sealing.ts';
import { createBillerCatalogue } from './billers/catalogue.ts';
import type { OperatorSecret } from './billers/biller.ts';
import type { BillerCatalogue } from './billers/catalogue.ts';
import { createBulkDesk } from './bulk/desk.ts';
import type { BulkDesk } from './bulk/desk.ts';
import type { Config } from './config.ts';
import { createMetropolBureau } from './connectors/metropol/bureau.ts';
import { createConnectorRegistry } from './connectors/registry.ts';
import type { Bureau } from './credit/bureaus/bureau.ts';
import { createRegistryBureau } from './credit/bureaus/registry.ts';
import { createEnquiryDesk } from './credit/enquiries/desk.ts';
import type { EnquiryDesk } from './credit/enquiries/desk.ts';
import { startEnquiryRetention } from './credit/enquiries/retention.ts';
import { createVault, creditKeysOf } from './credit/registry/vault.ts';
import { createPool } from './db/pool.ts';
import type { Pool } from './db/pool.ts';
import { watchSettings } from './db/settings-watch.ts';
import { createAvailabilities } from './dispatch/availability.ts';
import { createCallbackDesk } from './dispatch/callbacks.ts';
import type { RetryPolicy } from './dispatch/decide.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import { WEBHOOK_POLICY } from './events/decide.ts';
import { startEventRetention } from './events/retention.ts';
import { startWebhookSender } from './events/sender.ts';
import { createApi } from './http/api.ts';
import { createMetrics } from './http/metrics.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { startChainBuilder } from './ledger/chain-builder.ts';
import { createBalanceReader } from './ledger/balance-reader.ts';
import { createCreateLanes } from './transactions/create.ts';
import { createSettler } from './transactions/settle.ts';
import { requireOneVendorCalls } from './transactions/store.ts';
import { createStatusReader } from './transactions/status-reader.ts';
import type { NewTransaction } from './transactions/transaction.ts';
import { createVendorDirectory } from './vendors/directory.ts';
import type { AuthenticationDeps } from './http/merchant/authenticate.ts';
import type { VendorDirectory } from './vendors/directory.ts';
import { openKeys } from './vendors/keys.ts';
import { createNonceDesk, startNonceCleaner } from './vendors/nonces.ts';

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
const ENQUIRY_RETENTION_EVERY_MS = 3_600_000;
const WEBHOOK_POLL_MS = 500;
const EVENT_RETENTION_EVERY_MS = 3_600_000;

/** In the sandbox every suffix but 9909 must reach its end within 20 s. */
const SANDBOX_POLICY: RetryPolicy = {
  verifyFirstMs: 400,
  verifyMostMs: 60_000,
  resendFirstMs: 400,
  resendMostMs: 30_000,
};
const PRODUCTION_POLICY: RetryPolicy = {
  verifyFirstMs: 2_000,
  verifyMostMs: 300_000,
  resendFirstMs: 1_000,
  resendMostMs: 60_000,
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
  const { config, log } = options;
  const openPool = (name: string, max: number, byIndexOnly = false): Pool => {
    const pool = createPool({
      url: options.databaseUrl,
      max,
      name,
      onError: (error) =>
        log.warn({ reason: error.message }, 'an idle database connection was lost'),
      // Citus has to know the values of a statement to plan it.
      byIndexOnly: byIndexOnly && config.batches === 'many_vendors',
    });
    ends.push(() => pool.end());
    return pool;
  };
  const openLanes = (name: string): Pool[] =>
    Array.from({ length: config.laneCount }, (_, index) => openPool(`${name} ${index}`, 1, true));

  const pool = openPool('main', config.databasePoolSize);
  const wireTime = createWireTime(config.timeZone);

  const directory = createVendorDirectory(pool, options.masterKeys);
  const connectors = createConnectorRegistry({
    callbackBase: `${config.publicUrl}/callbacks`,
    log,
  });
  const catalogue = createBillerCatalogue({
    pool,
    masterKeys: options.masterKeys,
    readSecrets: readOperatorSecrets,
    onReload: () => connectors.update(catalogue.operators()),
  });
  ends.push(() => connectors.close());
  const settings = await watchSettings({
    pool,
    pollMs: SETTINGS_POLL_MS,
    reload: { vendors: directory.reload, billers: catalogue.reload },
    onError: (error) => log.error({ err: error }, 'settings could not be reloaded'),
  });

  ends.push(() => settings.stop());

  const { batches } = config;
  if (batches === 'one_vendor') await requireOneVendorCalls(pool);
  const settler = createSettler({
    pools: openLanes('settle'),
    deadlineMs: LANE_DEADLINE_MS,
    batches,
  });
  ends.push(() => settler.idle());
  let dispatcher: Dispatcher | undefined;
  const onAccepted = (accepted: readonly NewTransaction[]): void =>
    dispatcher?.hint(
      accepted.map(({ vendorId, billerCode }) => ({ vendorId, billerCode, stage: 'send' })),
    );
  const createPools = openLanes('create');
  const lanes = createCreateLanes({
    pools: createPools,
    deadlineMs: LANE_DEADLINE_MS,
    batches,
    onAccepted,
  });
  ends.push(() => lanes.idle());
  const bulkDesk: BulkDesk | undefined = config.roles.has('api')
    ? createBulkDesk({
        pool,
        lanePools: createPools,
        laneDeadlineMs: LANE_DEADLINE_MS,
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
  ends.push(() => bulkDesk?.stop());
  const availabilities = createAvailabilities({
    pool,
    catalogue,
    connectorOf: connectors.connectorOf,
    openAfterFailures: config.breakerFailures,
    cooldownMs: config.breakerCooldownMs,
    log,
  });
  ends.push(() => availabilities.idle());
  if (config.roles.has('dispatcher')) {
    dispatcher = startDispatcher({
      pool: openPool('dispatch', 2, true),
      progressPool: openPool('progress', 1, true),
      catalogue,
      connectorOf: connectors.connectorOf,
      settler,
      availabilities,
      policy: config.mode === 'sandbox' ? SANDBOX_POLICY : PRODUCTION_POLICY,
      pollMs: QUEUE_POLL_MS,
      laneDeadlineMs: LANE_DEADLINE_MS,
      log,
    });
  }
  ends.push(() => dispatcher?.stop(config.shutdownGraceMs));
  const chainBuilder = config.roles.has('jobs')
    ? startChainBuilder({ pool, everyMs: CHAIN_EVERY_MS, log })
    : undefined;

  ends.push(() => chainBuilder?.stop());

  const nonces = createNonceDesk({
    pool: openPool('nonces', 1, true),
    deadlineMs: LANE_DEADLINE_MS,
  });
  ends.push(() => nonces.idle());
  const nonceCleaner = config.roles.has('jobs')
    ? startNonceCleaner({ pool, everyMs: NONCES_EVERY_MS, log })
    : undefined;

  ends.push(() => nonceCleaner?.stop());

  const credit = composeCredit(options, pool, openLanes);
  ends.push(
    () => credit?.bureau.close(),
    () => credit?.desk.idle(),
  );
  const enquiryRetention =
    config.roles.has('jobs') && config.creditEnquiryRetentionDays > 0
      ? startEnquiryRetention({
          pool,
          clock: systemClock,
          retentionDays: config.creditEnquiryRetentionDays,
          everyMs: ENQUIRY_RETENTION_EVERY_MS,
          log,
        })
      : undefined;
  ends.push(() => enquiryRetention?.stop());

  if (config.roles.has('jobs')) {
    const sender = startWebhookSender({
      pool: openPool('webhooks', 2, true),
      masterKeys: options.masterKeys,
      wireTime,
      policy: WEBHOOK_POLICY,
      pollMs: WEBHOOK_POLL_MS,
      log,
    });
    ends.push(() => sender.stop(config.shutdownGraceMs));
    const everyMs = EVENT_RETENTION_EVERY_MS;
    const eventRetention = startEventRetention({ pool, clock: systemClock, everyMs, log });
    ends.push(() => eventRetention.stop());
  }

  const metrics = createMetrics({
    pool,
    waitingCreates: () => lanes.waiting,
    callsUnderWay: () => dispatcher?.underWay ?? 0,
  });
  const limits = createRateLimits({
    signerPerSecond: config.signerRequestsPerSecond,
    strangerPerSecond: config.strangerRequestsPerSecond,
  });
  const authentication = { directory, nonces, clock: systemClock, limits };
  const app = await createApi({
    ...authentication,
    config,
    log,
    metrics,
    pool,
    wireTime,
    catalogue,
    connectorOf: connectors.connectorOf,
    lanes,
    balances: createBalanceReader({
      pool: openPool('balances', 1, true),
      deadlineMs: READ_DEADLINE_MS,
    }),
    statuses: createStatusReader({
      pool: openPool('statuses', 1, true),
      deadlineMs: READ_DEADLINE_MS,
    }),
    bulkDesk,
    callbackDesk: createCallbackDesk({
      pool,
      catalogue,
      connectorOf: connectors.connectorOf,
      settler,
      log,
    }),
    enquiryDesk: credit?.desk,
  });

  ends.push(() => app.close());

  return {
    app,
    pool,
    directory,
    authentication,
    catalogue,
    listen: () => app.listen({ port: config.port, host: config.host }),
  };
}

/** The enquiry desk with its bureau; undefined when the credit registry is not configured. */
function composeCredit(
  { config, masterKeys }: ComposeOptions,
  pool: Pool,
  openLanes: (name: string) => Pool[],
): { readonly desk: EnquiryDesk; readonly bureau: Bureau } | undefined {
  const derive = config.mode === 'sandbox' && config.masterKey === undefined;
  const keys = creditKeysOf(config, masterKeys, derive);
  if (keys === undefined) return undefined;
  const vault = createVault(keys);
  const shared = { pool, vault, clock: systemClock, timeZone: config.timeZone };
  const bureau =
    config.metropol === undefined
      ? createRegistryBureau({ ...shared, retentionDays: config.creditRetentionDays })
      : createMetropolBureau({ ...shared, ...config.metropol });
  const desk = createEnquiryDesk({
    pool,
    lanePools: openLanes('enquiry'),
    laneDeadlineMs: LANE_DEADLINE_MS,
    vault,
    bureau,
    clock: systemClock,
  });
  return { desk, bureau };
}

async function readOperatorSecrets(
  pool: Pool,
  masterKeys: MasterKeys,
): Promise<Map<string, OperatorSecret[]>> {
  const secrets = new Map<string, OperatorSecret[]>();
  for (const { holder, secret, validUntil } of await openKeys(pool, ['operator'], masterKeys)) {
    secrets.set(holder, [...(secrets.get(holder) ?? []), { secret, validUntil }]);
  }
  return secrets;
}
