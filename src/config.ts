import { isIPv6 } from 'node:net';
import path from 'node:path';
import type { S3Settings } from './platform/storage/s3.ts';
import { isBucketAddress } from './platform/storage/open.ts';
import { Problems, VARIABLES, readVariables } from './environment.ts';
import type { Role } from './environment-forms.ts';
import type { Mode, Values, VariableName } from './environment.ts';
import { showVariables } from './shown-variables.ts';
import type { ShownVariable } from './shown-variables.ts';

export interface Config {
  readonly mode: Mode;
  readonly port: number;
  readonly host: string;
  /** Undefined: metrics have no listener of their own. */
  readonly metricsPort: number | undefined;
  readonly operatorPort: number;
  readonly dataDir: string;
  /** Undefined: the WAL of the embedded database is not archived. */
  readonly walArchive: string | undefined;
  /** Where the state of the database is recorded, outside of it. */
  readonly databaseWitness: string;
  /** The dispatcher does not start without it. */
  readonly requireDatabaseWitness: boolean;
  readonly s3: S3Settings;
  readonly databaseUrl: string | undefined;
  /** Undefined: `databaseUrl` owns the schema, or the owner is not known to this process. */
  readonly databaseOwnerUrl: string | undefined;
  readonly requireRuntimeRole: boolean;
  readonly databasePoolSize: number;
  readonly laneConnections: number;
  readonly basePath: string;
  readonly billingPath: string;
  readonly scoringPath: string;
  readonly consolePath: string;
  readonly consoleReadOnly: boolean;
  /** Limit of each person; 0: no limit. */
  readonly consoleReadsPerSecond: number;
  readonly selfServiceRequestsPerSecond: number;
  readonly consoleChangesPerSecond: number;
  readonly publicUrl: string;
  /** Needed by commands that call the API. */
  readonly vendorKey: string | undefined;
  readonly roles: ReadonlySet<Role>;
  readonly logLevel: string;
  /** The share of traces that are made; undefined: tracing is off. */
  readonly traceRatio: number | undefined;
  /** Undefined only in the sandbox, which makes one in the data folder. */
  readonly masterKey: Buffer | undefined;
  readonly masterKeyPrevious: Buffer | undefined;
  /** Undefined: the scoring operations are off (production), or one is derived (sandbox). */
  readonly creditIndexKey: Buffer | undefined;
  readonly creditIndexKeyPrevious: Buffer | undefined;
  readonly creditRetentionDays: number;
  /** 0: forever. */
  readonly creditEnquiryRetentionDays: number;
  /** Limit of each strict vendor; 0: no limit. */
  readonly creditMissesPerHour: number;
  readonly creditContact: string;
  /** Undefined: the built-in registry answers. */
  readonly metropol: MetropolConfig | undefined;
  readonly timeZone: string;
  readonly fundWindowSeconds: number;
  /** 0: no limit. */
  readonly signerRequestsPerSecond: number;
  /** 0: no limit. */
  readonly strangerRequestsPerSecond: number;
  readonly trustedProxies: readonly string[];
  /** 0: no limit. */
  readonly connectionsPerAddress: number;
  /** 0: no limit. */
  readonly requestsPerAddress: number;
  /** 0: no limit. */
  readonly unfinishedRequestsPerAddress: number;
  readonly breakerFailures: number;
  readonly breakerCooldownMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownGraceMs: number;
  /** Shown to people, without secrets. */
  readonly variables: readonly ShownVariable[];
}

export interface MetropolConfig {
  readonly url: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly timeoutMs: number;
  /** Its name may resolve to a private address. */
  readonly allowsPrivateAddresses: boolean;
}

/** Every problem found in the environment, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The environment is not valid:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * The one reader of the environment. Empty variables count as absent.
 * Throws: `ConfigError` with every problem found, each variable once.
 */
export function readConfig(
  mode: Mode,
  source: Record<string, string | undefined> = process.env,
): Config {
  const problems = new Problems();
  const values = readVariables(mode, source, problems);
  checkTogether(mode, values, problems);
  const metropol = readMetropol(values, problems);
  if (problems.list.length > 0) throw new ConfigError(problems.list);
  return Object.freeze({
    mode,
    port: values.PORT,
    host: values.HOST,
    metricsPort: values.METRICS_PORT,
    operatorPort: values.OPERATOR_PORT ?? (values.PORT === 0 ? 0 : values.PORT + 1),
    dataDir: path.resolve(values.DATA_DIR),
    ...placesOf(values),
    databaseUrl: values.DATABASE_URL,
    databaseOwnerUrl: values.DATABASE_OWNER_URL,
    requireDatabaseWitness: values.REQUIRE_DATABASE_WITNESS === 'true',
    requireRuntimeRole: values.REQUIRE_RUNTIME_ROLE === 'true',
    databasePoolSize: values.DATABASE_POOL_SIZE,
    laneConnections: values.LANE_CONNECTIONS,
    basePath: values.BASE_PATH,
    billingPath: values.BILLING_PATH,
    scoringPath: values.SCORING_PATH,
    consolePath: values.CONSOLE_PATH,
    consoleReadOnly: values.CONSOLE_READ_ONLY === 'true',
    consoleReadsPerSecond: values.CONSOLE_READS_PER_SECOND,
    consoleChangesPerSecond: values.CONSOLE_CHANGES_PER_SECOND,
    selfServiceRequestsPerSecond: values.SELF_SERVICE_REQUESTS_PER_SECOND,
    publicUrl: values.PUBLIC_URL ?? ownUrl(values),
    vendorKey: values.MALIPO_KEY,
    roles: values.ROLES,
    logLevel: values.LOG_LEVEL,
    traceRatio: traceRatioOf(values),
    masterKey: values.MASTER_KEY,
    masterKeyPrevious: values.MASTER_KEY_PREVIOUS,
    creditIndexKey: values.CREDIT_INDEX_KEY,
    creditIndexKeyPrevious: values.CREDIT_INDEX_KEY_PREVIOUS,
    creditRetentionDays: values.CREDIT_RETENTION_DAYS,
    creditEnquiryRetentionDays: values.CREDIT_ENQUIRY_RETENTION_DAYS,
    creditMissesPerHour: values.CREDIT_MISSES_PER_HOUR,
    creditContact: values.CREDIT_CONTACT,
    metropol,
    timeZone: values.TIME_ZONE,
    fundWindowSeconds: values.FUND_WINDOW_SECONDS,
    signerRequestsPerSecond: values.SIGNER_REQUESTS_PER_SECOND,
    strangerRequestsPerSecond: values.STRANGER_REQUESTS_PER_SECOND,
    trustedProxies: values.TRUSTED_PROXIES,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
    requestsPerAddress: values.REQUESTS_PER_ADDRESS,
    unfinishedRequestsPerAddress: values.UNFINISHED_REQUESTS_PER_ADDRESS,
    breakerFailures: values.BREAKER_FAILURES,
    breakerCooldownMs: values.BREAKER_COOLDOWN_MS,
    shutdownDelayMs: values.SHUTDOWN_DELAY_MS,
    shutdownGraceMs: values.SHUTDOWN_GRACE_MS,
    variables: showVariables(mode, source),
  });
}

function ownUrl({ HOST: host, PORT: port }: Values): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Undefined: tracing is off. */
function traceRatioOf(values: Values): number | undefined {
  const isOff = values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined;
  return isOff || values.OTEL_SDK_DISABLED === 'true' ? undefined : values.OTEL_TRACES_SAMPLER_ARG;
}

/** A rule between two variables. */
function checkTogether(mode: Mode, values: Values, problems: Problems): void {
  if (mode === 'sandbox' && values.OPERATOR_PORT === undefined && values.PORT === 65_535) {
    problems.add('OPERATOR_PORT', 'required when PORT is 65535.');
  }
  if (values.DATABASE_OWNER_URL !== undefined && values.DATABASE_URL === undefined) {
    problems.add('DATABASE_URL', 'required with DATABASE_OWNER_URL, as the runtime role.');
  }
  if (values.WAL_ARCHIVE !== undefined && values.DATABASE_URL !== undefined) {
    problems.add(
      'WAL_ARCHIVE',
      'is for the embedded database; archive that of DATABASE_URL itself.',
    );
  }
  const places = [values.WAL_ARCHIVE, values.DATABASE_WITNESS];
  if (places.some((place) => place !== undefined && isBucketAddress(place))) {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const) {
      if (values[name] === undefined) {
        problems.add(name, 'required for an address that begins with s3://.');
      }
    }
  }
  if (values.PORT !== 0 && values.METRICS_PORT === values.PORT) {
    problems.add('METRICS_PORT', `“${values.METRICS_PORT}” is PORT. Allowed: another port.`);
  }
  if (mode === 'production' && values.MASTER_KEY === undefined) {
    problems.add('MASTER_KEY', `required: ${VARIABLES.MASTER_KEY.form.allowed}.`);
  }
}

/** Where files outside the database are. */
function placesOf(values: Values): Pick<Config, 'walArchive' | 'databaseWitness' | 's3'> {
  const { AWS_ENDPOINT_URL_S3: endpoint, S3_PATH_STYLE: style } = values;
  return {
    walArchive: values.WAL_ARCHIVE,
    databaseWitness: values.DATABASE_WITNESS ?? path.resolve(values.DATA_DIR),
    s3: {
      endpoint,
      region: values.AWS_REGION,
      pathStyle: style === undefined ? endpoint !== undefined : style === 'true',
      accessKeyId: values.AWS_ACCESS_KEY_ID,
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY,
      sessionToken: values.AWS_SESSION_TOKEN,
    },
  };
}

function readMetropol(values: Values, problems: Problems): MetropolConfig | undefined {
  if (values.CREDIT_BUREAU !== 'metropol') return undefined;
  const required = <Name extends VariableName>(name: Name): NonNullable<Values[Name]> | '' => {
    const value = values[name];
    if (value === undefined) problems.add(name, 'required when CREDIT_BUREAU is metropol.');
    return value ?? '';
  };
  return {
    url: required('METROPOL_URL'),
    publicKey: required('METROPOL_PUBLIC_KEY'),
    privateKey: required('METROPOL_PRIVATE_KEY'),
    timeoutMs: values.METROPOL_TIMEOUT_MS,
    allowsPrivateAddresses: values.METROPOL_PRIVATE_ADDRESSES === 'allow',
  };
}

/** The most database connections a process opens: its pools, and those of a start or a command. */
export function connectionsOf(config: Config): number {
  const pools = {
    lanes: 4 * config.laneConnections,
    dispatch: 3,
    reads: 3,
    requests: 1,
    webhooks: 2,
    console: 4,
    selfService: 4,
    start: 2,
    history: 1,
    archive: config.walArchive === undefined ? 0 : 1,
  };
  return Object.values(pools).reduce((sum, count) => sum + count, config.databasePoolSize);
}
