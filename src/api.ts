import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { WireTime } from './platform/base/clock.ts';
import type { Mac } from './platform/base/mac.ts';
import type { BillerCatalogue } from './payments/billers/catalogue.ts';
import type { BulkProcessor } from './payments/bulk/processor.ts';
import type { EnquiryService } from './credit/enquiries/service.ts';
import type { Pool } from './platform/db/pool.ts';
import type { CallbackReceiver } from './payments/dispatch/callbacks.ts';
import type { Capacity } from './payments/dispatch/capacity.ts';
import type { Connector } from './payments/dispatch/connector.ts';
import type { BalanceReader } from './payments/ledger/balance-reader.ts';
import type { CreateLanes } from './payments/create/create.ts';
import type { StatusReader } from './payments/create/status-reader.ts';
import { addCallbackRoutes } from './payments/operations/callbacks.ts';
import { addHealthRoutes, addMetricsRoute } from './platform/http/health.ts';
import { billerStatus, listBillers, phoneLookup } from './payments/operations/biller-operations.ts';
import {
  accountBalance,
  fundBillingAccount,
  reportCollection,
} from './payments/operations/funding-operations.ts';
import { createAuthenticators, describeSender } from './parties/http/authenticate.ts';
import type { AuthenticationDeps, Authenticators } from './parties/http/authenticate.ts';
import { bulkResult, bulkStatus } from './payments/operations/bulk-operations.ts';
import { addBulkUpload } from './payments/operations/bulk-upload.ts';
import { addOperation } from './platform/http/operation.ts';
import type { OperationDeps } from './platform/http/operation.ts';
import { transactionStatus } from './payments/operations/status-operation.ts';
import { createTransaction } from './payments/operations/transaction-operations.ts';
import { validateAccount } from './payments/operations/validate-account.ts';
import type { Metrics } from './metrics.ts';
import { addReferencePage } from './platform/http/reference/routes.ts';
import { genericScore, identityDecision, mobileLoanScore } from './credit/operations/operations.ts';
import { createServer } from './platform/http/server.ts';
import type { ServerLimits } from './platform/http/server.ts';
import { KnownNames } from './platform/http/wire/parameters.ts';

export interface ApiOptions extends AuthenticationDeps {
  readonly config: {
    readonly mode: 'sandbox' | 'production';
    /** Without the role `api` only health and metrics are served. */
    readonly roles: ReadonlySet<string>;
    readonly basePath: string;
    readonly billingPath: string;
    readonly scoringPath: string;
    readonly timeZone: string;
    readonly fundWindowSeconds: number;
    readonly trustedProxies: readonly string[];
  };
  /** Default: the server's own. */
  readonly serverLimits?: Partial<ServerLimits>;
  /** False when metrics have a listener of their own. */
  readonly servesMetrics: boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  /** Of calls to operators. */
  readonly capacity: Capacity;
  readonly lanes: CreateLanes;
  readonly balances: BalanceReader;
  readonly statuses: StatusReader;
  /** Undefined without the role `api`. */
  readonly bulkProcessor: BulkProcessor | undefined;
  readonly callbackReceiver: CallbackReceiver;
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
}

type ApiDeps = ApiOptions & OperationDeps & Authenticators;

/** The HTTP surface: every operation of the contract at its path (specification §4, design §3). */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const { config, metrics } = options;
  const app = await createServer({
    log: options.log,
    onAnswer: metrics.noteAnswer,
    trustedProxies: config.trustedProxies,
    ...(options.serverLimits === undefined ? {} : { limits: options.serverLimits }),
  });
  addHealthRoutes(app, options);
  if (options.servesMetrics) addMetricsRoute(app, metrics);
  if (!config.roles.has('api')) return app;
  const deps: ApiDeps = {
    ...options,
    ...createAuthenticators(options),
    knownNames: new KnownNames(),
    describeSender: (fields) => describeSender(fields, options.directory),
  };
  addOperations(app, deps);
  addBulkOperations(app, deps);
  addScoringOperations(app, deps);
  addCallbackRoutes(app, options.callbackReceiver, options.limits);
  await addReferencePage(app, { isSandbox: config.mode === 'sandbox' });
  app.get(
    '/',
    { schema: { hide: true } },
    async (_request, reply) => await reply.redirect('/docs'),
  );
  return app;
}

/** Metrics and health alone, for a listener that clients do not reach. */
export async function createMetricsServer(
  options: Pick<ApiOptions, 'log' | 'metrics' | 'pool'>,
): Promise<FastifyInstance> {
  const app = await createServer({ log: options.log });
  addHealthRoutes(app, options);
  addMetricsRoute(app, options.metrics);
  return app;
}

function addOperations(app: FastifyInstance, options: ApiDeps): void {
  const { config } = options;
  const payments = `${config.basePath}/payments/v2`;
  const billing = `${config.billingPath}/billing`;
  const createPath = `${config.billingPath}/transaction`;

  addOperation(
    app,
    fundBillingAccount(
      { ...options, windowSeconds: config.fundWindowSeconds },
      `${payments}/billing/fund`,
    ),
    options,
  );
  addOperation(app, reportCollection(options, `${payments}/collections`), options);
  addOperation(app, listBillers(options, `${billing}/list`), options);
  addOperation(app, billerStatus(options, `${billing}/biller/status`), options);
  addOperation(app, createTransaction(options, `${createPath}/create`), options);
  addOperation(app, transactionStatus(options, `${createPath}/check/status`), options);
  addOperation(app, validateAccount(options, `${billing}/validate/account`), options);
  addOperation(app, phoneLookup(options, `${billing}/phone/lookup`), options);
  addOperation(app, accountBalance(options, `${billing}/account/balance`), options);
}

function addBulkOperations(app: FastifyInstance, options: ApiDeps): void {
  const { bulkProcessor } = options;
  if (bulkProcessor === undefined) return;
  const path = `${options.config.billingPath}/transaction/bulk`;
  const deps = { ...options, bulkProcessor };
  addBulkUpload(app, deps, path);
  addOperation(app, bulkStatus(deps, `${path}/status`), options);
  addOperation(app, bulkResult(deps, `${path}/result`), options);
}

function addScoringOperations(app: FastifyInstance, options: ApiDeps): void {
  const { config, enquiryService } = options;
  const deps = { ...options, enquiryService, timeZone: config.timeZone };
  const path = config.scoringPath;
  addOperation(app, identityDecision(deps, `${path}/id-decision`), options);
  addOperation(app, genericScore(deps, `${path}/generic-score`), options);
  addOperation(app, mobileLoanScore(deps, `${path}/mobile-loan-score`), options);
}
