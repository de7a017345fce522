import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { prepareProviders } from '../../sandbox/provider-data.ts';
import { PROVIDER_OPERATORS } from '../../sandbox/provider-operators.ts';
import type { ProviderBiller } from '../../sandbox/provider-operators.ts';
import { providerSecrets } from '../../sandbox/providers/secrets.ts';
import { setBiller, setOperator } from '../../src/payments/billers/administer.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { addCollector } from '../../src/parties/administer.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { Sealing } from '../../src/parties/administer.ts';
import { findFreePort, startService } from '../support/service-process.ts';
import type { Ending, ServiceProcess } from '../support/service-process.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import type { TruthEntry } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer } from '../support/vendor-client.ts';

// The programs of a service as separate processes, each of which can be killed and started again
// at the same address.

/** How a run of a program ended. */
export interface ProgramEnd {
  readonly ending: Ending;
  /** The end of its output; empty for the operators. */
  readonly lastOutput: string;
}

/** A program that is started again and again at the same address. */
export interface Program {
  readonly name: string;
  readonly origin: string;
  /** The pid of the latest run. */
  readonly pid: number | undefined;
  /** True from its first answer until it ends. */
  readonly ready: boolean;
  /** True once the latest run has ended. */
  readonly ended: boolean;
  /**
   * Starts it and returns at once.
   * @param env for this run only, such as CRASH_AT, the crash point at which it kills itself.
   */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves when the latest run has ended. */
  untilEnded(): Promise<ProgramEnd>;
  signal(name: NodeJS.Signals): void;
}

export const MASTER_KEY = randomBytes(32).toString('base64');
export const SEALING: Sealing = {
  masterKeys: { current: Buffer.from(MASTER_KEY, 'base64'), previous: undefined },
  certain: true,
};

/**
 * How long a program may take to start. On a machine that does much else at the same time it needs a
 * minute; only one that hangs needs longer.
 */
export const START_MS = 240_000;

/** `npm run serve` with these roles. */
export async function serviceProgram(options: {
  readonly name: string;
  readonly roles: string;
  /** Its data, and files that all its runs share. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<Program> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  let current: ServiceProcess | undefined;
  let ready = false;
  return {
    name: options.name,
    origin,
    get pid() {
      return current?.pid;
    },
    get ready() {
      return ready && current?.ending === undefined;
    },
    get ended() {
      return current?.ending !== undefined;
    },
    start: async (env = {}) => {
      ready = false;
      const started = startService('serve', {
        PORT: String(port),
        ROLES: options.roles,
        DATA_DIR: options.folder,
        MASTER_KEY,
        LOG_LEVEL: 'error',
        NODE_OPTIONS: '--conditions=crash-points',
        ...options.env,
        ...env,
      });
      current = started;
      const watch = async (): Promise<void> => {
        await untilLive(origin, () => started.ending !== undefined || current !== started);
        if (current === started) ready = started.ending === undefined;
      };
      // Not awaited: the process may be killed before it answers.
      watch().catch(() => undefined);
    },
    untilEnded: async () => {
      const last = current;
      if (last === undefined) throw new Error(`${options.name} was never started`);
      return {
        ending: await last.ended(),
        lastOutput: `${last.stdout}${last.stderr}`.slice(-2000),
      };
    },
    signal: (name) => current?.signal(name, 'process'),
  };
}

async function untilLive(origin: string, over: () => boolean): Promise<void> {
  await until(
    'it answers',
    async () => over() || (await send(origin, { method: 'GET', path: '/health/live' })).status > 0,
    START_MS,
  );
}

export interface OperatorsProgram extends Program {
  /** What was really paid, by emulated providers too. */
  truth(): Promise<TruthEntry[]>;
  /** Their journal file. */
  journal(): Promise<string>;
  /** References of instructions that were repeated though the operator knew of them. */
  repeated(): Promise<string[]>;
}

/**
 * The simulated operators, quicker than the sandbox's.
 * @param providersCallBack where emulated providers call back; without it no provider is emulated.
 * @param darajaOptions of the operators' command line.
 */
export async function operatorsProgram(
  folder: string,
  providersCallBack?: string,
  darajaOptions: readonly string[] = [],
): Promise<OperatorsProgram> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const args =
    `--port ${port} --callback-delay-ms 300 --callback-repeat-ms 300 --slow-ms 1500 --hold-ms 5000`.split(
      ' ',
    );
  const providers = providersCallBack === undefined ? [] : Object.keys(PROVIDER_OPERATORS);
  if (providersCallBack !== undefined)
    args.push('--providers', providersCallBack, ...darajaOptions);
  const truthAt = async (where: string): Promise<TruthEntry[]> => {
    const answer = await fetch(`${origin}${where}`);
    return (await answer.json()) as TruthEntry[];
  };
  const journal = async (): Promise<string> =>
    await readFile(path.join(folder, 'operators.jsonl'), 'utf8');
  let current: SimulatedOperators | undefined;
  let starting = false;
  /** A signal for a run that is still starting. */
  let early: NodeJS.Signals | undefined;
  const isRunning = (): boolean =>
    current?.process.exitCode === null && current.process.signalCode === null;
  return {
    name: 'operators',
    origin,
    get pid() {
      return current?.process.pid;
    },
    get ready() {
      return isRunning();
    },
    get ended() {
      return !isRunning();
    },
    start: async () => {
      early = undefined;
      starting = true;
      try {
        current = await startSimulatedOperators(folder, args);
      } finally {
        starting = false;
      }
      if (early !== undefined) current.process.kill(early);
    },
    untilEnded: async () => {
      const last = current?.process;
      if (last === undefined) throw new Error('the operators were never started');
      if (last.exitCode === null && last.signalCode === null) {
        await new Promise((resolve) => last.once('exit', resolve));
      }
      return { ending: { code: last.exitCode, signal: last.signalCode }, lastOutput: '' };
    },
    signal: (name) => {
      if (starting) early = name;
      else current?.process.kill(name);
    },
    truth: async () => {
      const paths = ['/truth', ...providers.map((code) => `/providers/${code}/truth`)];
      const entries = (await Promise.all(paths.map(truthAt))).flat();
      // Airtel Money knows phones without the country’s code.
      return entries.map((entry) =>
        entry.biller === 'B2C' ? { ...entry, account: `254${entry.account}` } : entry,
      );
    },
    journal,
    repeated: async () =>
      (await journal())
        .split('\n')
        .filter((line) => line.startsWith('{"kind":"repeated"'))
        .map((line) => (JSON.parse(line) as { reference: string }).reference),
  };
}

/** A vendor as its program knows it. */
export interface TestVendor {
  readonly vid: string;
  readonly key: string;
}

export interface TestParties {
  readonly vendors: readonly TestVendor[];
  readonly collector: TestVendor;
  readonly billers: readonly string[];
}

export interface PartiesOptions {
  readonly operatorOrigin: string;
  readonly vendorCount: number;
  /** How long an operator may take to answer. Default: a second, so that faults are over soon. */
  readonly answerWithinMs?: number;
  /** Billers that emulated providers pay, instead of those of a simulated operator. */
  readonly providers?: { readonly folder: string; readonly billers: readonly ProviderBiller[] };
}

/** Adds vendors with empty accounts, a collector, and billers that are paid through the operators. */
export async function addTestParties(pool: Pool, options: PartiesOptions): Promise<TestParties> {
  const billers = await addBillers(pool, options);
  const vendors: TestVendor[] = [];
  for (let index = 0; index < options.vendorCount; index += 1) {
    const vid = `shop${index}`;
    const rules = { referenceRequired: false, enquiryPolicy: 'open' } as const;
    const vendor = { vid, name: vid, sector: 'retail', ...rules } as const;
    const added = await addVendor(pool, vendor, SEALING);
    vendors.push({ vid, key: added.securityKey });
  }
  const key = await addCollector(pool, { collector: 'till', name: 'Till', scope: 'all' }, SEALING);
  return { vendors, collector: { vid: 'till', key }, billers };
}

/** Returns the billers' codes. */
async function addBillers(pool: Pool, options: PartiesOptions): Promise<string[]> {
  const { operatorOrigin, providers, answerWithinMs = 1_000 } = options;
  if (providers !== undefined) {
    const { masterKeys } = SEALING;
    const secrets = providerSecrets(providers.folder);
    await prepareProviders(pool, { masterKeys, secrets, operatorOrigin }, providers.billers);
    const settings = { pay_timeout_ms: 1_000, status_timeout_ms: 1_000 };
    for (const code of Object.keys(PROVIDER_OPERATORS)) {
      await setOperator(pool, code, { settings }, async () => undefined);
    }
    return providers.billers.map(({ billerCode }) => billerCode);
  }
  const operator = {
    name: 'Kenya Power',
    connector: 'http-json',
    baseUrl: `${operatorOrigin}/operators/kplc`,
    settings: {
      pay_timeout_ms: answerWithinMs,
      status_timeout_ms: answerWithinMs,
      acceptance_window_ms: 500,
    },
  };
  await setOperator(pool, 'kplc', operator, async () => undefined);
  await setOperatorKey(pool, 'kplc', { secret: SANDBOX_OPERATOR_KEY, sealing: SEALING });
  const billers = ['tokens', 'postpaid'];
  for (const billerCode of billers) {
    const biller = { name: billerCode, category: 'electricity', operatorCode: 'kplc' };
    await setBiller(pool, billerCode, { ...biller, minimumCents: 500n });
  }
  return billers;
}

/** Reports income of a vendor, as the collector. */
export async function collect(
  { origin }: Pick<Program, 'origin'>,
  { collector }: TestParties,
  income: { readonly vid: string; readonly reference: string; readonly amount: string },
): Promise<Answer> {
  const params = {
    collector: collector.vid,
    currency: 'KES',
    paid_at: '2026-01-05 09:00:00',
    ...income,
  };
  return await send(origin, encode(PATHS.collect, signed(params, collector.key), 'urlencoded'));
}

/** A client for the first vendor. */
export function firstVendor(
  { origin }: Pick<Program, 'origin'>,
  { vendors: [vendor] }: TestParties,
): VendorClient {
  if (vendor === undefined) throw new Error('no vendor was added');
  return new VendorClient(origin, vendor);
}

/**
 * A client for the first vendor, with this amount in the vendor's float. The service must be running.
 * @throws {Error} if it does not know the vendor or the collector yet; it may be called again.
 */
export async function fundedVendor(
  service: Pick<Program, 'origin'>,
  parties: TestParties,
  amount: string,
): Promise<VendorClient> {
  const vendor = firstVendor(service, parties);
  const income = { vid: vendor.vid, reference: 'income', amount };
  const answer = await collect(service, parties, income);
  if (answer.status !== 200) throw new Error(`the income was refused: ${answer.text}`);
  await vendor.fund();
  return vendor;
}
