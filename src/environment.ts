import {
  ROLES,
  baseUrl,
  consolePath,
  databaseUrl,
  folder,
  httpUrl,
  isSafeUrl,
  key,
  networks,
  oneOf,
  pathPrefix,
  port,
  readRoles,
  readTimeZone,
  retentionDays,
  shownValue,
  text,
  wholeNumber,
} from './environment-forms.ts';
import type { Form } from './environment-forms.ts';
import { STORAGE_VARIABLES } from './storage-variables.ts';

/** `sandbox`: started by `npm start`. `production`: started by `npm run serve`. */
export type Mode = 'sandbox' | 'production';

/** One variable. The reference page and every message about it are made from this. */
export interface Variable {
  readonly description: string;
  readonly form: Form<unknown>;
  /** As an operator would write it. Absent: the variable has no default. */
  readonly default?: string | Readonly<Record<Mode, string>>;
  /** A description for people, where the default follows from other variables. */
  readonly otherwise?: string;
  /** Its value is never shown. */
  readonly secret?: true;
}

/** Every variable that the service reads. */
export const VARIABLES = {
  PORT: { description: 'Port of the API.', form: port, default: '8080' },
  HOST: {
    description: 'Address to listen on.',
    form: { allowed: 'an IP address or a host name', read: text.read },
    default: '127.0.0.1',
  },
  METRICS_PORT: {
    description:
      'Port of a separate listener for `/metrics` and `/health/`, on `HOST`. If set, `npm run serve` does not serve `/metrics` on `PORT`.',
    form: port,
  },
  OPERATOR_PORT: {
    description: 'Port of the simulated operators (sandbox only).',
    form: port,
    otherwise: '`PORT` + 1, or any free port if `PORT` is 0',
  },
  DATA_DIR: {
    description: 'Folder of the embedded database and of the sandbox.',
    form: folder,
    default: '.data',
  },
  ...STORAGE_VARIABLES,
  DATABASE_URL: {
    description:
      'An external PostgreSQL (15 or newer), connected to as the runtime role, which cannot change or delete append-only data. It may name several hosts, separated by commas; the one that accepts writes is used.',
    form: databaseUrl,
    otherwise: 'the embedded PostgreSQL',
    secret: true,
  },
  DATABASE_OWNER_URL: {
    description:
      'The same database, connected to as the role that owns the schema: for migrations, functions, archive and retention.',
    form: databaseUrl,
    otherwise: '`DATABASE_URL`',
    secret: true,
  },
  REQUIRE_RUNTIME_ROLE: {
    description:
      'true: do not start if the role of `DATABASE_URL` may change append-only data. Otherwise only a warning is logged.',
    form: oneOf(['true', 'false']),
    default: 'false',
  },
  DATABASE_POOL_SIZE: {
    description:
      'Number of database connections in the main pool. One of them listens for changed settings. Lanes, the console, the self-service API and some other parts have connections of their own.',
    form: wholeNumber(2),
    default: '8',
  },
  LANE_CONNECTIONS: {
    description:
      'Number of database connections of each lane, of which there are four: for creates, for files of payments, for results, and for credit enquiries. Over each, the lane commits a batch of different vendors, if enough requests are waiting, or other vendors’ batches may be waiting for something.',
    form: wholeNumber(1),
    default: '2',
  },
  BASE_PATH: { description: 'Prefix of `/payments/v2/…`.', form: pathPrefix, default: '' },
  BILLING_PATH: {
    description: 'Prefix of `/billing`, `/transaction` and `/v1`.',
    form: pathPrefix,
    default: '',
  },
  SCORING_PATH: {
    description: 'Prefix of the scoring operations.',
    form: pathPrefix,
    default: '',
  },
  CONSOLE_PATH: {
    description: 'Path of the web console.',
    form: consolePath,
    default: '/console',
  },
  CONSOLE_READ_ONLY: {
    description: 'true: nothing can be changed through the web console.',
    form: oneOf(['true', 'false']),
    default: 'false',
  },
  CONSOLE_READS_PER_SECOND: {
    description:
      'Maximum number of read requests per second from one person’s console pages, in each process; the people of one vendor together may send ten times as many. Bursts of up to ten seconds’ worth are allowed; streams of events do not count. 0: no limit.',
    form: wholeNumber(0),
    default: '20',
  },
  CONSOLE_CHANGES_PER_SECOND: {
    description:
      'The same for actions, exports and looks that the audit log notes. Bursts of up to 30 seconds’ worth are allowed. 0: no limit.',
    form: wholeNumber(0),
    default: '2',
  },
  SELF_SERVICE_REQUESTS_PER_SECOND: {
    description:
      'Maximum number of requests per second that one vendor may send to the self-service API (`/v1`), in each process. Bursts of up to five seconds’ worth are allowed. 0: no limit.',
    form: wholeNumber(0),
    default: '20',
  },
  PUBLIC_URL: {
    description:
      'URL at which operators reach this service for callbacks, and people open the console.',
    form: baseUrl,
    otherwise: '`http://HOST:PORT`',
  },
  ROLES: {
    description: 'Roles of this process.',
    form: { allowed: `a comma-separated list of ${ROLES.join(', ')}`, read: readRoles },
    default: ROLES.join(','),
  },
  LOG_LEVEL: {
    description: 'Lowest severity that is logged.',
    form: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: { sandbox: 'warn', production: 'info' },
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Where traces are sent (OTLP over HTTP), such as http://127.0.0.1:4318. Without it, no traces are created. The exporter also reads the other `OTEL_EXPORTER_OTLP_` variables, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.',
    form: httpUrl,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    description:
      'Share of traces that are recorded, unless the caller’s `traceparent` decides. All processes make the same choice for a payment.',
    form: {
      allowed: 'a number from 0 to 1',
      read: (value) => (/^(?:0|1|0?\.\d{1,9}|1\.0+)$/.test(value) ? Number(value) : undefined),
    } satisfies Form<number>,
    default: '1',
  },
  OTEL_SDK_DISABLED: {
    description: 'true: no traces are created, whatever the other variables say.',
    form: oneOf(['true', 'false']),
    default: 'false',
  },
  MASTER_KEY: {
    description:
      'Key that encrypts stored secrets. Required by `npm run serve`; the sandbox generates one in `DATA_DIR`.',
    form: key,
    secret: true,
  },
  MASTER_KEY_PREVIOUS: {
    description: 'The former `MASTER_KEY`, while stored secrets are re-encrypted.',
    form: key,
    secret: true,
  },
  CREDIT_INDEX_KEY: {
    description:
      'Key of the blind indexes by which the credit registry looks up documents. Without it the scoring operations are off; the sandbox derives one.',
    form: key,
    secret: true,
  },
  CREDIT_INDEX_KEY_PREVIOUS: {
    description: 'The former `CREDIT_INDEX_KEY`, while the registry is re-indexed.',
    form: key,
    secret: true,
  },
  CREDIT_RETENTION_DAYS: {
    description: 'Number of days for which account states are used in summaries and scores.',
    form: retentionDays,
    default: '1826',
  },
  CREDIT_ENQUIRY_RETENTION_DAYS: {
    description:
      'Number of days for which names, documents and answers of credit enquiries are kept. Then a process with the role `jobs` erases them, and only the chained record of each enquiry stays. 0 keeps them.',
    form: retentionDays,
    default: '1826',
  },
  CREDIT_MISSES_PER_HOUR: {
    description:
      'Maximum number of enquiries within an hour that find nobody (unknown documents, contradicting names), for each vendor with strict enquiries, across all processes. Beyond it, the vendor’s enquiries are refused as `too_many_requests`. 0: no limit.',
    form: wholeNumber(0),
    default: '200',
  },
  CREDIT_CONTACT: {
    description:
      'Contact for people who ask about their credit information: name, address and phone number, in one line. Printed in reports and letters.',
    form: text,
    default: 'the credit registry that this lender uses',
  },
  CREDIT_BUREAU: {
    description: 'Source of credit information: the built-in registry, or Metropol.',
    form: oneOf(['registry', 'metropol']),
    default: 'registry',
  },
  METROPOL_URL: {
    description:
      'Address of the Metropol API with port and version, such as https://api.metropol.co.ke:5555/v2_1.',
    form: {
      allowed: 'a URL with https (http only to this machine)',
      read: (value) => (isSafeUrl(value) ? value : undefined),
    },
  },
  METROPOL_PUBLIC_KEY: {
    description: 'Public key of the Metropol subscription.',
    form: text,
  },
  METROPOL_PRIVATE_KEY: {
    description: 'Private key of the Metropol subscription.',
    form: text,
    secret: true,
  },
  METROPOL_TIMEOUT_MS: {
    description: 'Maximum duration of a call to Metropol, in milliseconds.',
    form: wholeNumber(1),
    default: '15000',
  },
  METROPOL_PRIVATE_ADDRESSES: {
    description:
      'allow: the host name in `METROPOL_URL` may resolve to a private address, such as in a VPN. Otherwise such an address is not called.',
    form: oneOf(['allow']),
  },
  TIME_ZONE: {
    description: 'Time zone of days, and of times without offset. Keep it once a day is closed.',
    form: { allowed: 'an IANA time zone, such as Africa/Nairobi, or UTC', read: readTimeZone },
    default: 'Africa/Nairobi',
  },
  FUND_WINDOW_SECONDS: {
    description:
      'Maximum difference between the `time` of a fund request and the server’s clock. 0 turns the check off.',
    form: wholeNumber(0),
    default: { sandbox: '0', production: '86400' },
  },
  SIGNER_REQUESTS_PER_SECOND: {
    description:
      'Maximum number of signed requests per second for each vendor and collector, in each process; requests with a `hash` have this limit for each network that they come from. Bursts of up to five seconds’ worth are allowed. 0: no limit.',
    form: wholeNumber(0),
    default: '0',
  },
  STRANGER_REQUESTS_PER_SECOND: {
    description:
      'Maximum number of unauthenticated requests per second for each address: unsigned operations, invalid, expired and repeated signatures, and callbacks that operators do not sign or send to a secret URL. 0: no limit.',
    form: wholeNumber(0),
    default: '0',
  },
  TRUSTED_PROXIES: {
    description: 'Reverse proxies whose `X-Forwarded-For` header is trusted to name the client.',
    form: networks,
    default: '',
  },
  CONNECTIONS_PER_ADDRESS: {
    description:
      'Maximum number of connections of one client address (one /64 network with IPv6). Further connections are closed at once. Those of trusted proxies and of this machine are not counted. 0: no limit.',
    form: wholeNumber(0),
    default: '2000',
  },
  REQUESTS_PER_ADDRESS: {
    description:
      'Maximum number of requests of one client address that have arrived and are not answered yet. Further requests are refused as `overloaded`. Those of this machine are not counted. 0: no limit.',
    form: wholeNumber(0),
    default: '2000',
  },
  UNFINISHED_REQUESTS_PER_ADDRESS: {
    description:
      'Maximum number of requests of one client address whose body has not arrived completely. Beyond it the oldest is refused as `overloaded`. 0: no limit.',
    form: wholeNumber(0),
    default: '256',
  },
  BREAKER_FAILURES: {
    description: 'Number of consecutive unanswered calls that open the circuit breaker of a route.',
    form: wholeNumber(1),
    default: '20',
  },
  BREAKER_COOLDOWN_MS: {
    description: 'Time an open circuit breaker waits before it probes, in milliseconds.',
    form: wholeNumber(0),
    default: '5000',
  },
  SHUTDOWN_DELAY_MS: {
    description:
      'How long a process with the role `api` still serves after SIGTERM, in milliseconds, while `/health/ready` says that it is not ready. Set it longer than a load balancer takes to notice this.',
    form: wholeNumber(0),
    default: { sandbox: '0', production: '5000' },
  },
  SHUTDOWN_GRACE_MS: {
    description:
      'Maximum duration of a graceful shutdown after `SHUTDOWN_DELAY_MS`, in milliseconds. Work that has not ended by then is cut off; nothing is lost.',
    form: wholeNumber(0),
    default: '15000',
  },
  MALIPO_KEY: {
    description: 'Security key of the vendor, for the commands `listen`, `trigger` and `sandbox`.',
    form: text,
    secret: true,
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

type ReadBy<Name extends VariableName> = NonNullable<
  ReturnType<(typeof VARIABLES)[Name]['form']['read']>
>;

/** The value of each variable; undefined if it is not set and has no default. */
export type Values = {
  readonly [Name in VariableName]:
    | ReadBy<Name>
    | ((typeof VARIABLES)[Name] extends { readonly default: unknown } ? never : undefined);
};

/** The problems of the environment: the first one of each variable. */
export class Problems {
  readonly #byName = new Map<VariableName, string>();

  /** @param problem follows `NAME: `. */
  add(name: VariableName, problem: string): void {
    if (!this.#byName.has(name)) this.#byName.set(name, `${name}: ${problem}`);
  }

  get list(): readonly string[] {
    return [...this.#byName.values()];
  }
}

/**
 * Reads every variable. An empty one counts as absent, and so does an invalid one once its problem
 * is recorded.
 */
export function readVariables(
  mode: Mode,
  source: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Values {
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [VariableName, Variable][]) {
    const fallback =
      typeof variable.default === 'object' ? variable.default[mode] : variable.default;
    values[name] = fallback === undefined ? undefined : variable.form.read(fallback);
    const given = source[name];
    if (given === undefined || given === '') continue;
    const value = variable.form.read(given);
    if (value === undefined) problems.add(name, notAllowed(variable, given));
    else values[name] = value;
  }
  return values as Values;
}

function notAllowed(variable: Variable, given: string): string {
  const shown = variable.secret === true ? 'the value (not shown)' : shownValue(given);
  return `${shown} is not valid. Allowed: ${variable.form.allowed}.`;
}
