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
import { addCollector, setOperatorKey } from '../../src/parties/administer.ts';
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

// The programs of a service as processes of their own, each of which can be killed and started again
// at the same address.

/** How a program's life ended. */
export interface Death {
  readonly ending: Ending;
  /** What it said last; empty when it was killed. */
  readonly lastWords: string;
}

/** A program that is started again and again at the same address. */
export interface Program {
  readonly name: string;
  readonly origin: string;
  /** Of the life that was started last. */
  readonly pid: number | undefined;
  /** True from when it answers until it dies. */
  readonly ready: boolean;
  /** True once the life that was started last is over. */
  readonly dead: boolean;
  /**
   * Starts it and returns at once.
   * @param env for this life only, such as CRASH_AT, the crash point at which it kills itself.
   */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves when the life that was started last is over. */
  death(): Promise<Death>;
  signal(name: NodeJS.Signals): void;
}

export const MASTER_KEY = randomBytes(32).toString('base64');
export const SEALING: Sealing = {
  masterKeys: { current: Buffer.from(MASTER_KEY, 'base64'), previous: undefined },
  certain: true,
};

/** Where Node keeps what it compiled, so that the next start is quicker. */
const COMPILE_CACHE = 'compile-cache';

/** `npm run serve` with these roles. */
export async function serviceProgram(options: {
  readonly name: string;
  readonly roles: string;
  /** For its data, and for what is shared with its other lives. */
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
    get dead() {
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
        NODE_COMPILE_CACHE: path.join(options.folder, COMPILE_CACHE),
        NODE_OPTIONS: '--conditions=crash-points',
        ...options.env,
        ...env,
      });
      current = started;
      const watch = async (): Promise<void> => {
        await untilLive(origin, () => started.ending !== undefined || current !== started);
        if (current === started) ready = started.ending === undefined;
      };
      // Not waited for: it may be killed before it answers.
      watch().catch(() => undefined);
    },
    death: async () => {
      const life = current;
      if (life === undefined) throw new Error(`${options.name} was never started`);
      return {
        ending: await life.ended(),
        lastWords: `${life.stdout}${life.stderr}`.slice(-2000),
      };
    },
    signal: (name) => current?.signal(name, 'process'),
  };
}

async function untilLive(origin: string, over: () => boolean): Promise<void> {
  await until(
    'it answers',
    async () => over() || (await send(origin, { method: 'GET', path: '/health/live' })).status > 0,
    60_000,
  );
}

export interface OperatorsProgram extends Program {
  /** What was really paid, by emulated providers too. */
  truth(): Promise<TruthEntry[]>;
  /** All that they have written down. */
  journal(): Promise<string>;
  /** References of instructions that were repeated though the operator knew of them. */
  repeated(): Promise<string[]>;
}

/**
 * The simulated operators, quicker than the sandbox's.
 * @param providersCallBack where emulated providers call back; without it there are none.
 */
export async function operatorsProgram(
  folder: string,
  providersCallBack?: string,
): Promise<OperatorsProgram> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const args =
    `--port ${port} --callback-delay-ms 300 --callback-repeat-ms 300 --slow-ms 1500 --hold-ms 5000`.split(
      ' ',
    );
  const providers = providersCallBack === undefined ? [] : Object.keys(PROVIDER_OPERATORS);
  if (providersCallBack !== undefined) args.push('--providers', providersCallBack);
  const truthAt = async (where: string): Promise<TruthEntry[]> => {
    const answer = await fetch(`${origin}${where}`);
    return (await answer.json()) as TruthEntry[];
  };
  const journal = async (): Promise<string> =>
    await readFile(path.join(folder, 'operators.jsonl'), 'utf8');
  let current: SimulatedOperators | undefined;
  let starting = false;
  /** What was sent to the life that is starting. */
  let early: NodeJS.Signals | undefined;
  const lives = (): boolean =>
    current?.process.exitCode === null && current.process.signalCode === null;
  return {
    name: 'operators',
    origin,
    get pid() {
      return current?.process.pid;
    },
    get ready() {
      return lives();
    },
    get dead() {
      return !lives();
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
    death: async () => {
      const life = current?.process;
      if (life === undefined) throw new Error('the operators were never started');
      if (life.exitCode === null && life.signalCode === null) {
        await new Promise((resolve) => life.once('exit', resolve));
      }
      return { ending: { code: life.exitCode, signal: life.signalCode }, lastWords: '' };
    },
    signal: (name) => {
      if (starting) early = name;
      else current?.process.kill(name);
    },
    truth: async () => {
      const paths = ['/truth', ...providers.map((code) => `/providers/${code}/truth`)];
      return (await Promise.all(paths.map(truthAt))).flat();
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
export interface Shop {
  readonly vid: string;
  readonly key: string;
}

export interface Town {
  readonly shops: readonly Shop[];
  readonly collector: Shop;
  readonly billers: readonly string[];
}

export interface TownOptions {
  readonly operatorOrigin: string;
  readonly shopCount: number;
  /** Billers that emulated providers pay, instead of those of a simulated operator. */
  readonly providers?: { readonly folder: string; readonly billers: readonly ProviderBiller[] };
}

/** Vendors with nothing yet, a collector, and billers that are paid through the operators. */
export async function settleTown(pool: Pool, options: TownOptions): Promise<Town> {
  const billers = await settleBillers(pool, options);
  const shops: Shop[] = [];
  for (let index = 0; index < options.shopCount; index += 1) {
    const vid = `shop${index}`;
    const rules = { referenceRequired: false, enquiryPolicy: 'open' } as const;
    const shop = { vid, name: vid, sector: 'retail', ...rules } as const;
    const added = await addVendor(pool, shop, SEALING);
    shops.push({ vid, key: added.securityKey });
  }
  const key = await addCollector(pool, { collector: 'till', name: 'Till', scope: 'all' }, SEALING);
  return { shops, collector: { vid: 'till', key }, billers };
}

/** Returns their codes. */
async function settleBillers(pool: Pool, options: TownOptions): Promise<string[]> {
  const { operatorOrigin, providers } = options;
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
    settings: { pay_timeout_ms: 1000, status_timeout_ms: 1000, acceptance_window_ms: 500 },
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

/** The collector's program reports income of a shop. */
export async function collect(
  { origin }: Pick<Program, 'origin'>,
  { collector }: Town,
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

/** The first shop's program. */
export function firstShop(
  { origin }: Pick<Program, 'origin'>,
  { shops: [shop] }: Town,
): VendorClient {
  if (shop === undefined) throw new Error('there is no shop');
  return new VendorClient(origin, shop);
}

/** The first shop's program at a service that runs, with so much in its float. */
export async function openShop(
  service: Pick<Program, 'origin'>,
  town: Town,
  amount: string,
): Promise<VendorClient> {
  const vendor = firstShop(service, town);
  await collect(service, town, { vid: vendor.vid, reference: 'income', amount });
  await vendor.fund();
  return vendor;
}
