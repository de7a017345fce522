import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Check } from 'typebox/value';
import { isIP } from 'node:net';
import path from 'node:path';
import type { BatchForm } from './transactions/batch-form.ts';

/** How the process was started: the sandbox of `npm start`, or `npm run serve`. */
export type Mode = 'sandbox' | 'production';

export const ROLES = ['api', 'dispatcher', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

const port = (description: string) => Type.String({ pattern: '^\\d{1,5}$', description });
const pathPrefix = (description: string) =>
  Type.String({ pattern: '^(/[A-Za-z0-9._~-]+)*$', description });
const wholeNumber = (description: string) => Type.String({ pattern: '^\\d{1,9}$', description });

/** Every variable the service reads, with its description; the reference page is generated from it. */
export const ENVIRONMENT = Type.Object({
  PORT: Type.Optional(port('Port of the API. Default 8080.')),
  HOST: Type.Optional(
    Type.String({ minLength: 1, description: 'Address to listen on. Default 127.0.0.1.' }),
  ),
  OPERATOR_PORT: Type.Optional(
    port('Port of the simulated operators (sandbox only). Default PORT + 1.'),
  ),
  DATA_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Folder of the embedded database and of the sandbox. Default `.data`.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'An external PostgreSQL (15 or newer). Without it the embedded one is used.',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Optional(
    wholeNumber('Connections for everything but the lanes. Default 8.'),
  ),
  LANES: Type.Optional(wholeNumber('Lanes that commit creates, one connection each. Default 2.')),
  BATCHES: Type.Optional(
    Type.Union([Type.Literal('many_vendors'), Type.Literal('one_vendor')], {
      description:
        'Whose payments a lane commits in one call: many_vendors, or one_vendor, for a Citus cluster (see deploy/citus). Default many_vendors.',
    }),
  ),
  BASE_PATH: Type.Optional(pathPrefix('In front of `/payments/v2/…`. Default empty.')),
  BILLING_PATH: Type.Optional(
    pathPrefix('In front of `/billing` and `/transaction`. Default empty.'),
  ),
  SCORING_PATH: Type.Optional(pathPrefix('In front of the scoring operations. Default empty.')),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+(/.*)?$',
      description: 'Where operators reach this service for callbacks. Default http://HOST:PORT.',
    }),
  ),
  ROLES: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Comma list of api, dispatcher, jobs. Default all three.',
    }),
  ),
  LOG_LEVEL: Type.Optional(
    Type.Union(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) =>
        Type.Literal(level),
      ),
      { description: 'Default info (sandbox: warn).' },
    ),
  ),
  MASTER_KEY: Type.Optional(
    Type.String({
      description:
        '32 bytes in base64 (44 characters) under which stored secrets are encrypted. Required by `npm run serve`; the sandbox makes one in DATA_DIR.',
    }),
  ),
  MASTER_KEY_PREVIOUS: Type.Optional(
    Type.String({ description: 'The former MASTER_KEY while stored secrets are re-encrypted.' }),
  ),
  CREDIT_INDEX_KEY: Type.Optional(
    Type.String({
      description:
        '32 bytes in base64 under which documents and phones of the credit registry are found. Without it the scoring operations are off; the sandbox derives one.',
    }),
  ),
  CREDIT_INDEX_KEY_PREVIOUS: Type.Optional(
    Type.String({ description: 'The former CREDIT_INDEX_KEY while the registry is re-indexed.' }),
  ),
  CREDIT_RETENTION_DAYS: Type.Optional(
    wholeNumber('Days that states of accounts are used in summaries and scores. Default 1826.'),
  ),
  CREDIT_ENQUIRY_RETENTION_DAYS: Type.Optional(
    wholeNumber(
      'Days that names, documents and answers of credit enquiries are kept; then the jobs erase them, and only the chained record that each was made stays. Default 1826; 0 keeps them.',
    ),
  ),
  CREDIT_BUREAU: Type.Optional(
    Type.Union([Type.Literal('registry'), Type.Literal('metropol')], {
      description:
        'Where credit information comes from: registry (the built-in one) or metropol. Default registry.',
    }),
  ),
  METROPOL_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+(/.*)?$',
      description:
        'Address of the Metropol API with port and version, such as https://api.metropol.co.ke:5555/v2_1.',
    }),
  ),
  METROPOL_PUBLIC_KEY: Type.Optional(
    Type.String({ minLength: 1, description: 'Public key of the Metropol subscription.' }),
  ),
  METROPOL_PRIVATE_KEY: Type.Optional(
    Type.String({ minLength: 1, description: 'Private key of the Metropol subscription.' }),
  ),
  METROPOL_TIMEOUT_MS: Type.Optional(
    wholeNumber('How long a call to Metropol may take. Default 15000.'),
  ),
  METROPOL_PRIVATE_ADDRESSES: Type.Optional(
    Type.Literal('allow', {
      description:
        'allow: the name in METROPOL_URL may lead into a private network, such as a VPN. Otherwise it is not called there.',
    }),
  ),
  TIME_ZONE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'IANA zone of times on the wire. Default Africa/Nairobi.',
    }),
  ),
  FUND_WINDOW_SECONDS: Type.Optional(
    wholeNumber(
      'How far the `time` of a fund request may be from the server’s clock. Default 86400 (sandbox: 0); 0 turns the check off.',
    ),
  ),
  SIGNER_REQUESTS_PER_SECOND: Type.Optional(
    wholeNumber(
      'Most signed requests a second of each vendor and collector, in each process, with bursts of five seconds’ worth. Default 0: no limit.',
    ),
  ),
  STRANGER_REQUESTS_PER_SECOND: Type.Optional(
    wholeNumber(
      'Most requests a second from each address that nobody signed: operations without a signature, signatures that do not hold. Default 0: no limit.',
    ),
  ),
  TRUSTED_PROXIES: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Comma list of addresses or networks (10.0.0.0/8) of reverse proxies, whose X-Forwarded-For then names the client. Default none.',
    }),
  ),
  BREAKER_FAILURES: Type.Optional(
    wholeNumber('Consecutive transport failures that open a biller’s circuit breaker. Default 20.'),
  ),
  BREAKER_COOLDOWN_MS: Type.Optional(
    wholeNumber('How long an open breaker waits before it probes. Default 5000.'),
  ),
  SHUTDOWN_GRACE_MS: Type.Optional(
    wholeNumber('How long a stop waits for work in flight. Default 15000.'),
  ),
});

export interface Config {
  readonly mode: Mode;
  readonly port: number;
  readonly host: string;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly laneCount: number;
  readonly batches: BatchForm;
  readonly basePath: string;
  readonly billingPath: string;
  readonly scoringPath: string;
  readonly publicUrl: string;
  readonly roles: ReadonlySet<Role>;
  readonly logLevel: string;
  /** Undefined only in the sandbox, where one is made in the data folder. */
  readonly masterKey: Buffer | undefined;
  readonly masterKeyPrevious: Buffer | undefined;
  /** Undefined: the scoring operations are off (production), or one is derived (sandbox). */
  readonly creditIndexKey: Buffer | undefined;
  readonly creditIndexKeyPrevious: Buffer | undefined;
  readonly creditRetentionDays: number;
  /** 0: for ever. */
  readonly creditEnquiryRetentionDays: number;
  /** Undefined: the built-in registry answers. */
  readonly metropol: MetropolConfig | undefined;
  readonly timeZone: string;
  readonly fundWindowSeconds: number;
  /** 0: no limit. */
  readonly signerRequestsPerSecond: number;
  /** 0: no limit. */
  readonly strangerRequestsPerSecond: number;
  readonly trustedProxies: readonly string[];
  readonly breakerFailures: number;
  readonly breakerCooldownMs: number;
  readonly shutdownGraceMs: number;
}

export interface MetropolConfig {
  readonly url: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly timeoutMs: number;
  /** Its name may lead into a private network. */
  readonly allowsPrivateAddresses: boolean;
}

/** All mistakes of the environment at once, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The environment is not valid:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

type Environment = Static<typeof ENVIRONMENT>;

/**
 * The one reader of the environment. Empty variables count as absent.
 * Throws: `ConfigError` with every problem found.
 */
export function readConfig(
  mode: Mode,
  source: Record<string, string | undefined> = process.env,
): Config {
  const problems: string[] = [];
  const environment: Environment = {};
  for (const name of Object.keys(ENVIRONMENT.properties) as (keyof Environment)[]) {
    const value = source[name];
    if (value === undefined || value === '') continue;
    Object.assign(environment, { [name]: value });
    // One by one: a check of the whole stops after a few errors.
    if (!Check(ENVIRONMENT.properties[name], value)) {
      problems.push(`${name}: ${descriptionOf(name) ?? 'is malformed.'}`);
    }
  }
  const listenPort = portNumber('PORT', environment.PORT ?? '8080', problems);
  const operatorPort =
    environment.OPERATOR_PORT === undefined
      ? listenPort + 1
      : portNumber('OPERATOR_PORT', environment.OPERATOR_PORT, problems);
  if (mode === 'sandbox' && environment.OPERATOR_PORT === undefined && operatorPort === 65_536) {
    problems.push('OPERATOR_PORT: required when PORT is 65535.');
  }
  const host = environment.HOST ?? '127.0.0.1';
  const config: Config = {
    mode,
    port: listenPort,
    host,
    operatorPort,
    dataDir: path.resolve(environment.DATA_DIR ?? '.data'),
    databaseUrl: environment.DATABASE_URL,
    databasePoolSize: Number(environment.DATABASE_POOL_SIZE ?? 8),
    laneCount: Number(environment.LANES ?? 2),
    batches: environment.BATCHES ?? 'many_vendors',
    basePath: environment.BASE_PATH ?? '',
    billingPath: environment.BILLING_PATH ?? '',
    scoringPath: environment.SCORING_PATH ?? '',
    publicUrl: environment.PUBLIC_URL ?? `http://${host}:${listenPort}`,
    roles: readRoles(environment.ROLES, problems),
    logLevel: environment.LOG_LEVEL ?? (mode === 'sandbox' ? 'warn' : 'info'),
    masterKey: readKey('MASTER_KEY', environment.MASTER_KEY, problems),
    masterKeyPrevious: readKey('MASTER_KEY_PREVIOUS', environment.MASTER_KEY_PREVIOUS, problems),
    creditIndexKey: readKey('CREDIT_INDEX_KEY', environment.CREDIT_INDEX_KEY, problems),
    creditIndexKeyPrevious: readKey(
      'CREDIT_INDEX_KEY_PREVIOUS',
      environment.CREDIT_INDEX_KEY_PREVIOUS,
      problems,
    ),
    creditRetentionDays: Number(environment.CREDIT_RETENTION_DAYS ?? 1826),
    creditEnquiryRetentionDays: Number(environment.CREDIT_ENQUIRY_RETENTION_DAYS ?? 1826),
    metropol: readMetropol(environment, problems),
    timeZone: readTimeZone(environment.TIME_ZONE ?? 'Africa/Nairobi', problems),
    fundWindowSeconds: Number(environment.FUND_WINDOW_SECONDS ?? (mode === 'sandbox' ? 0 : 86_400)),
    signerRequestsPerSecond: Number(environment.SIGNER_REQUESTS_PER_SECOND ?? 0),
    strangerRequestsPerSecond: Number(environment.STRANGER_REQUESTS_PER_SECOND ?? 0),
    trustedProxies: readProxies(environment.TRUSTED_PROXIES, problems),
    breakerFailures: Number(environment.BREAKER_FAILURES ?? 20),
    breakerCooldownMs: Number(environment.BREAKER_COOLDOWN_MS ?? 5000),
    shutdownGraceMs: Number(environment.SHUTDOWN_GRACE_MS ?? 15_000),
  };
  for (const [name, value, least] of [
    ['LANES', config.laneCount, 1],
    // One of them listens for changed settings all the time.
    ['DATABASE_POOL_SIZE', config.databasePoolSize, 2],
    ['BREAKER_FAILURES', config.breakerFailures, 1],
  ] as const) {
    if (value < least) problems.push(`${name}: must be at least ${least}.`);
  }
  if (mode === 'production' && environment.MASTER_KEY === undefined) {
    problems.push('MASTER_KEY: required. Make one with: openssl rand -base64 32');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function descriptionOf(name: keyof Environment): string | undefined {
  return (ENVIRONMENT.properties[name] as { description?: string }).description;
}

function portNumber(name: string, text: string, problems: string[]): number {
  const value = Number(text);
  // What is no number at all, or too long, has been told of already.
  if (text.length <= 5 && value > 65_535)
    problems.push(`${name}: must be a port number from 0 to 65535.`);
  return value;
}

function readRoles(text: string | undefined, problems: string[]): ReadonlySet<Role> {
  const names = (text ?? ROLES.join(',')).split(',').map((name) => name.trim());
  const known = names.filter((name): name is Role => (ROLES as readonly string[]).includes(name));
  if (known.length !== names.length) problems.push(`ROLES: a comma list of ${ROLES.join(', ')}.`);
  return new Set(known);
}

function readProxies(text: string | undefined, problems: string[]): readonly string[] {
  const proxies = (text ?? '').split(',').flatMap((name) => name.trim() || []);
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/', 2);
    const most = isIP(address) === 6 ? 128 : 32;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (isIP(address) === 0 || !isNetwork) {
      problems.push(`TRUSTED_PROXIES: “${proxy}” is no address or network, such as 10.0.0.0/8.`);
    }
  }
  return proxies;
}

function readTimeZone(text: string, problems: string[]): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    problems.push(`TIME_ZONE: “${text}” is not a known time zone, such as Africa/Nairobi.`);
    return text;
  }
}

function readMetropol(environment: Environment, problems: string[]): MetropolConfig | undefined {
  if (environment.CREDIT_BUREAU !== 'metropol') return undefined;
  const required = (name: 'METROPOL_URL' | 'METROPOL_PUBLIC_KEY' | 'METROPOL_PRIVATE_KEY') => {
    const value = environment[name];
    if (value === undefined) problems.push(`${name}: required when CREDIT_BUREAU is metropol.`);
    return value ?? '';
  };
  const url = required('METROPOL_URL');
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(URL.parse(url)?.hostname ?? '');
  if (url.startsWith('http:') && !local) {
    problems.push('METROPOL_URL: must be https (http only to this machine).');
  }
  return {
    url,
    publicKey: required('METROPOL_PUBLIC_KEY'),
    privateKey: required('METROPOL_PRIVATE_KEY'),
    timeoutMs: Number(environment.METROPOL_TIMEOUT_MS ?? 15_000),
    allowsPrivateAddresses: environment.METROPOL_PRIVATE_ADDRESSES === 'allow',
  };
}

function readKey(name: string, text: string | undefined, problems: string[]): Buffer | undefined {
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text) || key.length !== 32) {
    problems.push(
      `${name}: must be 32 random bytes in base64. Make one with: openssl rand -base64 32`,
    );
    return undefined;
  }
  // 32 random bytes have about 30 distinct values; far fewer means a typed or repeated key.
  if (new Set(key).size < 16) {
    problems.push(
      `${name}: is too weak, it repeats a few bytes. Make one with: openssl rand -base64 32`,
    );
    return undefined;
  }
  return key;
}
