import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { WireTime } from './platform/base/clock.ts';
import type { Mac } from './platform/base/mac.ts';
import type { Payments } from './payments/payments.ts';
import { addSubjectAccess } from './credit/operations/subject-access.ts';
import type { ReportOptions } from './credit/reports/subject-report.ts';
import type { ScoreBatches } from './credit/batches/processor.ts';
import type { EnquiryService } from './credit/enquiries/service.ts';
import type { Pool } from './platform/db/pool.ts';
import { addCallbackRoutes } from './payments/operations/callbacks.ts';
import { addReceiptRoutes } from './payments/operations/receipts.ts';
import { addHealthRoutes, addMetricsRoute } from './platform/http/health.ts';
import type { ReadinessCheck } from './platform/http/readiness.ts';
import { createAuthenticators, describeSender } from './parties/http/authenticate.ts';
import type { AuthenticationDeps, Authenticators } from './parties/http/authenticate.ts';
import {
  billingOperations,
  bulkOperations,
  fundingOperations,
} from './payments/operations/operations.ts';
import { scoringOperations } from './credit/operations/operations.ts';
import { contractDocument } from './contract.ts';
import { keyIdOf } from './parties/directory.ts';
import type { RequestLog } from './parties/request-log.ts';
import { DEMO_KEYS } from './parties/http/demo-signers.ts';
import type { OperationDeps } from './platform/http/identify.ts';
import { mountAt } from './platform/http/operation.ts';
import type { AnyOperation } from './platform/http/operation.ts';
import { addOperation } from './platform/http/routes.ts';
import type { ShownVariable } from './shown-variables.ts';
import type { Metrics } from './metrics.ts';
import { addReferencePage } from './platform/http/reference/routes.ts';
import { addConsole } from './console/console.ts';
import { consoleRoutes } from './console/routes/routes.ts';
import { programVersion } from './platform/base/program-version.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { relyingPartyOf } from './parties/people/relying-party.ts';
import { createServer } from './platform/http/server.ts';
import type { ServerLimits } from './platform/http/server.ts';
import { KnownNames } from './platform/http/wire/parameters.ts';

type PaymentsParts = Pick<
  Payments,
  | 'catalogue'
  | 'create'
  | 'callbackReceiver'
  | 'receipts'
  | 'bulkProcessor'
  | 'balances'
  | 'statuses'
  | 'connectorOf'
  | 'capacity'
  | 'verifyNow'
>;

export interface ApiOptions extends AuthenticationDeps, PaymentsParts {
  readonly config: {
    readonly mode: 'sandbox' | 'production';
    /** Without the role `api` only health and metrics are served. */
    readonly roles: ReadonlySet<string>;
    readonly basePath: string;
    readonly billingPath: string;
    readonly scoringPath: string;
    readonly timeZone: string;
    readonly consolePath: string;
    readonly publicUrl: string;
    readonly consoleReadOnly: boolean;
    readonly consoleReadsPerSecond: number;
    readonly consoleChangesPerSecond: number;
    readonly variables: readonly ShownVariable[];
    readonly fundWindowSeconds: number;
    readonly trustedProxies: readonly string[];
  };
  /** Default: the server's own. */
  readonly serverLimits?: Partial<ServerLimits>;
  /** False when metrics have a listener of their own. */
  readonly servesMetrics: boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: ReadinessCheck;
  /** Absent: requests are not noted for the console. */
  readonly requestLog?: Pick<RequestLog, 'note'> | undefined;
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  /** For the console's requests, so that they never wait for those of vendors, nor make them wait. */
  readonly consolePool: Pool;
  readonly masterKeys: MasterKeys;
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
  /** Undefined when the credit registry is not configured. */
  readonly scoreBatches: ScoreBatches | undefined;
}

type ApiDeps = ApiOptions & OperationDeps & Authenticators;

/** The HTTP surface: every operation of the contract at its path (specification §4, design §3). */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const { config, metrics, requestLog } = options;
  const app = createServer({
    log: options.log,
    onAnswer: (answer) => {
      metrics.noteAnswer(answer);
      requestLog?.note(answer);
    },
    trustedProxies: config.trustedProxies,
    ...(options.serverLimits === undefined ? {} : { limits: options.serverLimits }),
  });
  addHealthRoutes(app, options.readiness);
  if (options.servesMetrics) addMetricsRoute(app, metrics);
  if (!config.roles.has('api')) return app;
  const deps = operationDeps(options);
  const operations = operationsOf(deps);
  for (const operation of operations) addOperation(app, operation, deps);
  if (options.reports !== undefined) {
    const { wireTime, reports } = options;
    addSubjectAccess(app, { ...reports, wireTime, prefix: config.scoringPath });
  }
  addCallbackRoutes(app, options.callbackReceiver, options.limits);
  if (options.receipts !== undefined) {
    addReceiptRoutes(app, options.receipts.receiver, options.limits);
  }
  const isSandbox = config.mode === 'sandbox';
  await addReferencePage(app, {
    document: () => contractDocument(operations, { isSandbox }),
    keys: isSandbox ? DEMO_KEYS : {},
  });
  const signingIn = {
    codesRequired: !isSandbox,
    party: relyingPartyOf(config.publicUrl, isSandbox),
  };
  await addConsole(app, {
    ...signingIn,
    path: config.consolePath,
    environment: config.mode,
    readOnly: config.consoleReadOnly,
    readsPerSecond: config.consoleReadsPerSecond,
    changesPerSecond: config.consoleChangesPerSecond,
    timeZone: config.timeZone,
    version: programVersion(),
    pool: options.consolePool,
    masterKeys: options.masterKeys,
    clock: options.clock,
    routes: consoleRoutes({
      ...options,
      ...signingIn,
      pool: options.consolePool,
      readiness: () => options.readiness.read(),
      process: { ...config, version: programVersion(), startedAt: options.clock.now() },
    }),
  });
  app.get('/', async (_request, reply) => await reply.redirect('/docs'));
  return app;
}

/** Metrics and health alone, for a listener that clients do not reach. */
export async function createMetricsServer(
  options: Pick<ApiOptions, 'log' | 'metrics' | 'readiness'>,
): Promise<FastifyInstance> {
  const app = createServer({ log: options.log });
  addHealthRoutes(app, options.readiness);
  addMetricsRoute(app, options.metrics);
  return app;
}

export function operationDeps(options: ApiOptions): ApiDeps {
  return {
    ...options,
    ...createAuthenticators(options),
    knownNames: new KnownNames(),
    describeSender: (fields) => describeSender(fields, options.directory),
    describeKey: (key) => {
      const keyId = keyIdOf(key);
      return keyId === undefined ? {} : { key_id: keyId };
    },
  };
}

/** Every operation of the contract at its path (specification §4). */
export function operationsOf(options: ApiDeps): AnyOperation[] {
  const { config, bulkProcessor } = options;
  const { fundWindowSeconds, timeZone } = config;
  const deps = { ...options, fundWindowSeconds, timeZone };
  return [
    ...mountAt(config.basePath, fundingOperations(deps)),
    ...mountAt(config.billingPath, billingOperations(deps)),
    ...(bulkProcessor === undefined
      ? []
      : mountAt(config.billingPath, bulkOperations({ ...deps, bulkProcessor }))),
    ...mountAt(config.scoringPath, scoringOperations(deps)),
  ];
}
