import { createProposals } from './proposal-kinds.ts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { WireTime } from './platform/base/clock.ts';
import type { Mac } from './platform/base/mac.ts';
import type { Payments } from './payments/payments.ts';
import { ACCESS_PATH, addSubjectAccess } from './credit/operations/subject-access.ts';
import type { ReportOptions } from './credit/reports/subject-report.ts';
import type { ScoreBatches } from './credit/batches/batch.ts';
import type { EnquiryService } from './credit/enquiries/service.ts';
import type { Pool } from './platform/db/pool.ts';
import { addCallbackRoutes } from './payments/operations/callbacks.ts';
import { addReceiptRoutes } from './payments/operations/receipts.ts';
import { addHealthRoutes, addMetricsRoute } from './platform/http/health.ts';
import type { ReadinessCheck } from './platform/http/readiness.ts';
import {
  createAuthenticators,
  createHeaderAuthenticator,
  describeSender,
} from './parties/http/authenticate.ts';
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
import type { Contract } from './platform/http/openapi.ts';
import { mountAt, surrounded } from './platform/http/operation.ts';
import type { AnyOperation, Around } from './platform/http/operation.ts';
import { createRateLimits } from './platform/http/rate-limits.ts';
import type { RateLimits } from './platform/http/rate-limits.ts';
import { mountResources } from './platform/http/resource.ts';
import type { AnyResource } from './platform/http/resource.ts';
import { RESOURCE_REFUSALS_FORM } from './platform/http/resource-refusals.ts';
import { addResource } from './platform/http/resource-routes.ts';
import { addOperation } from './platform/http/routes.ts';
import type { ShownVariable } from './shown-variables.ts';
import type { Metrics } from './metrics.ts';
import { addReferencePage } from './platform/http/reference/routes.ts';
import { addDocumentationSite } from './platform/http/reference/site.ts';
import { addConsole } from './console/console.ts';
import { createCursors } from './platform/http/cursors.ts';
import type { Cursors } from './platform/http/cursors.ts';
import { allNouns } from './staff/registry.ts';
import type { Definition, Noun } from './staff/definition.ts';
import type { StaffDeps } from './staff/deps.ts';
import type { Background } from './staff/forms.ts';
import type { Schema } from './platform/db/schema.ts';
import { addStaffApi, STAFF_API } from './staff-api/staff-api.ts';
import { createDoor } from './parties/people/attempts.ts';
import { createSessionLookUps } from './parties/people/session-look-ups.ts';
import { createSignInAgain } from './parties/people/sign-in-again.ts';
import { createSessions } from './parties/people/sessions.ts';
import { programVersion } from './platform/program-version.ts';
import { OverviewFeed } from './payments/overview/feed.ts';
import { createLongReads } from './platform/base/long-reads.ts';
import type { LongReads } from './platform/base/long-reads.ts';
import { ReadingNames } from './platform/base/reading-names.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { Refusal } from './platform/base/errors.ts';
import { relyingPartyOf } from './parties/people/relying-party.ts';
import { createServer } from './platform/http/server.ts';
import type { ServerLimits } from './platform/http/server.ts';
import { KnownNames } from './platform/http/wire/parameters.ts';
import { selfServiceResources } from './self-service/resources.ts';

/** Half of the console's connections. */
const LONG_READS_AT_ONCE = 2;

type PaymentsParts = Pick<
  Payments,
  | 'catalogue'
  | 'create'
  | 'callbackReceiver'
  | 'receipts'
  | 'bulkBatches'
  | 'balances'
  | 'statuses'
  | 'connectorOf'
  | 'witnessOf'
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
    readonly creditContact: string;
    readonly timeZone: string;
    readonly consolePath: string;
    readonly publicUrl: string;
    readonly consoleReadOnly: boolean;
    readonly consoleReadsPerSecond: number;
    readonly selfServiceRequestsPerSecond: number;
    readonly consoleChangesPerSecond: number;
    readonly variables: readonly ShownVariable[];
    readonly fundWindowSeconds: number;
    readonly trustedProxies: readonly string[];
  };
  /** Default: the server's own. */
  readonly serverLimits?: Partial<ServerLimits>;
  /** Around the handler of each operation; not of the self-service API. Default: nothing. */
  readonly around?: Around | undefined;
  /** False when metrics have a listener of their own. */
  readonly servesMetrics: boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The number of batches in which payments were created since the start. Default: 0. */
  readonly creates?: (() => number) | undefined;
  readonly readiness: ReadinessCheck;
  /** Absent: requests are not noted for the console. */
  readonly requestLog?: Pick<RequestLog, 'note'> | undefined;
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  /** Serves only the console, so that its requests and those of vendors never wait for each other. */
  readonly consolePool: Pool;
  /** Serves only the staff API: programs and people do not wait for each other. */
  readonly staffPool: Pool;
  /** Where jobs run, for which nobody waits. */
  readonly background: Background;
  readonly schema: Schema;
  /** Serves only the self-service API, for the same reason. */
  readonly selfServicePool: Pool;
  readonly masterKeys: MasterKeys;
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
  /** Undefined when the credit registry is not configured. */
  readonly scoreBatches: ScoreBatches | undefined;
}

interface ApiDeps extends ApiOptions, OperationDeps, Authenticators {
  /** Limits how many results of files a vendor reads at a time with operations that have a `hash`. */
  readonly longReads: LongReads;
  readonly reading: ReadingNames;
}

/** The HTTP surface: every operation of the contract at its path (specification §4). */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const { config, metrics, requestLog } = options;
  const app = createServer({
    log: options.log,
    onAnswer: (answer) => {
      metrics.noteAnswer(answer);
      requestLog?.note(answer);
    },
    trustedProxies: config.trustedProxies,
    refusalFormOf: (path) =>
      path.startsWith(`${selfServicePath(config)}/`) || path.startsWith(`${STAFF_API}/`)
        ? RESOURCE_REFUSALS_FORM
        : undefined,
    ...(options.serverLimits === undefined ? {} : { limits: options.serverLimits }),
  });
  addHealthRoutes(app, options.readiness);
  if (options.servesMetrics) addMetricsRoute(app, metrics);
  if (!config.roles.has('api')) return app;
  warnOfUntrustedProxy(options);
  const deps = operationDeps(options);
  const { reading } = deps;
  const contract = addContract(app, deps);
  if (options.reports !== undefined) {
    const { wireTime, ledgerMac, reports } = options;
    addSubjectAccess(app, { ...reports, wireTime, ledgerMac, prefix: config.scoringPath });
  }
  addCallbackRoutes(app, options.callbackReceiver, options.limits);
  if (options.receipts !== undefined) {
    addReceiptRoutes(app, options.receipts.receiver, options.limits);
  }
  const isSandbox = config.mode === 'sandbox';
  await addReferencePage(app, {
    document: () => contractDocument(contract, { isSandbox }),
    keys: isSandbox ? DEMO_KEYS : {},
  });
  await addDocumentationSite(app);
  await addStaffSurfaces(app, { ...options, reading });
  app.get('/', async (_request, reply) => await reply.redirect('/docs'));
  return app;
}

type StaffOptions = ApiOptions & Pick<ApiDeps, 'reading'>;

/** The console and the staff API: the same people, definitions and sessions. */
async function addStaffSurfaces(app: FastifyInstance, options: StaffOptions): Promise<void> {
  const { config } = options;
  const isSandbox = config.mode === 'sandbox';
  const { publicUrl } = config;
  const party = relyingPartyOf(publicUrl, isSandbox);
  const own = { ...options, pool: options.consolePool, codesRequired: !isSandbox };
  const staff = await staffOf(options);
  const sessions = createSessions(own);
  const lookUps = createSessionLookUps(sessions);
  const door = createDoor();
  await addConsole(app, {
    ...{ codesRequired: !isSandbox, party },
    publicUrl,
    path: config.consolePath,
    environment: config.mode,
    readOnly: config.consoleReadOnly,
    readsPerSecond: config.consoleReadsPerSecond,
    changesPerSecond: config.consoleChangesPerSecond,
    timeZone: config.timeZone,
    version: programVersion(),
    pool: options.consolePool,
    ledgerMac: options.ledgerMac,
    masterKeys: options.masterKeys,
    clock: options.clock,
    ...{ sessions, lookUps, door, cursors: staff.cursors },
    definitions: staff.nouns.flatMap(({ definitions }): readonly Definition[] => definitions),
    deps: { ...staff.deps, signIn: { party, again: createSignInAgain(own) } },
  });
  addStaffApi(app, {
    ...{ sessions, lookUps, door, codesRequired: !isSandbox, environment: config.mode },
    ...{ ledgerMac: options.ledgerMac, masterKeys: options.masterKeys, ...staff },
    deps: staffDepsOf(options, options.staffPool, staff.feed),
    readOnly: config.consoleReadOnly,
    readsPerSecond: config.consoleReadsPerSecond,
    changesPerSecond: config.consoleChangesPerSecond,
    timeZone: config.timeZone,
    version: programVersion(),
  });
}

interface Staff {
  readonly nouns: readonly Noun[];
  readonly deps: StaffDeps;
  readonly cursors: Cursors;
  readonly feed: OverviewFeed;
}

/** What `src/staff` defines, with what its handlers use. */
async function staffOf(options: StaffOptions): Promise<Staff> {
  const nouns = await allNouns();
  const feed = new OverviewFeed({ ...options, pool: options.consolePool });
  return {
    feed,
    nouns,
    deps: staffDepsOf(options, options.consolePool, feed),
    cursors: createCursors(options.masterKeys, 'staff cursors'),
  };
}

function staffDepsOf(options: StaffOptions, pool: Pool, feed: OverviewFeed): Staff['deps'] {
  const { clock, wireTime, masterKeys, ledgerMac, reports, enquiryService, config } = options;
  const accessUrl = `${config.publicUrl}${config.scoringPath}${ACCESS_PATH}`;
  const proposals = createProposals({ ...options, pool });
  return {
    ...{ pool, clock, wireTime, timeZone: config.timeZone },
    publicUrl: config.publicUrl,
    consoleUrl: `${config.publicUrl}${config.consolePath}`,
    masterKeys: async () => masterKeys,
    ledgerMac: async () => ledgerMac,
    findLedgerMac: async () => ledgerMac,
    ...{ schema: options.schema, background: options.background },
    proposals: async () => proposals,
    catalogue: async () => options.catalogue,
    overview: async () => feed,
    activity: async (from) => await feed.activity(from),
    create: async (...asked) => await options.create(...asked),
    payments: options,
    process: {
      ...{ ...config, version: programVersion(), startedAt: clock.now() },
      readiness: async () => await options.readiness.read(),
    },
    credit: async () => {
      if (reports === undefined) throw new Refusal('scoring_unavailable');
      return { ...reports, pool, enquiryService, accessUrl, contact: config.creditContact };
    },
    longReads: createLongReads(LONG_READS_AT_ONCE, options),
  };
}

/** Adds every operation of the contract. */
function addContract(app: FastifyInstance, deps: ApiDeps): Contract {
  const operations = operationsOf(deps);
  const { around } = deps;
  for (const operation of operations) {
    addOperation(app, around === undefined ? operation : surrounded(operation, around), deps);
  }
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  const resources = resourcesOf(deps, stopping.signal);
  for (const resource of resources) addResource(app, resource, deps);
  return { operations, resources };
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

/** Files whose results one process reads and writes at once. */
const RESULTS_AT_ONCE = 2;

export function operationDeps(options: ApiOptions): ApiDeps {
  const reading = new ReadingNames(options.creates);
  return {
    ...options,
    ...createAuthenticators(options),
    reading,
    longReads: createLongReads(RESULTS_AT_ONCE, { reading }),
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
  const { config, bulkBatches } = options;
  const { fundWindowSeconds, timeZone } = config;
  const deps = { ...options, fundWindowSeconds, timeZone };
  return [
    ...mountAt(config.basePath, fundingOperations(deps)),
    ...mountAt(config.billingPath, billingOperations(deps)),
    ...(bulkBatches === undefined
      ? []
      : mountAt(config.billingPath, bulkOperations({ ...deps, bulkBatches }))),
    ...mountAt(config.scoringPath, scoringOperations(deps)),
  ];
}

/** Every operation of the self-service API at its path. */
export function resourcesOf(
  options: ApiDeps,
  stopping = new AbortController().signal,
): AnyResource[] {
  const { config } = options;
  const limits = selfServiceLimits(options.limits, config.selfServiceRequestsPerSecond);
  const names = new Map(
    operationsOf(options).flatMap(({ name, path, method }) =>
      [method, 'POST'].map((own) => [`${own} ${path}`, name] as const),
    ),
  );
  const resources = mountResources(
    selfServicePath(config),
    selfServiceResources({
      ...options,
      stopping,
      byHeader: createHeaderAuthenticator({ ...options, limits }),
      operationAt: (method, route) => names.get(`${method} ${route}`),
    }),
  );
  for (const { method, path, name } of resources) names.set(`${method} ${path}`, name);
  return resources;
}

function selfServicePath({ billingPath }: Pick<ApiOptions['config'], 'billingPath'>): string {
  return `${billingPath}/v1`;
}

/** Its requests count in the limit of all requests of a vendor, and in one of their own. */
function selfServiceLimits(all: RateLimits, perSecond: number): RateLimits {
  const own = createRateLimits({ signerPerSecond: perSecond, strangerPerSecond: 0 });
  return {
    forStranger: (address) => all.forStranger(address),
    forSigner: (signer) => {
      own.forSigner(signer);
      all.forSigner(signer);
    },
    requireRoom: (signer) => {
      own.requireRoom(signer);
      all.requireRoom(signer);
    },
  };
}

/** We speak plain HTTP, so with https there is a proxy. */
function warnOfUntrustedProxy({ config, log }: ApiOptions): void {
  if (!config.publicUrl.startsWith('https:') || config.trustedProxies.length > 0) return;
  log.warn(
    'PUBLIC_URL is https, and TRUSTED_PROXIES is empty: if the proxy is at another address, limits and the audit log take its address for that of every client',
  );
}
