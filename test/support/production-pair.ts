import { randomBytes } from 'node:crypto';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { setBiller, setOperator } from '../../src/payments/billers/administer.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { addCollector } from '../../src/parties/administer.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { Sealing } from '../../src/parties/administer.ts';
import { CITUS_URL } from './citus.ts';
import { createTestDatabase } from './cluster.ts';
import type { TestDatabase } from './cluster.ts';
import { fresh } from './demo-vendors.ts';
import { SandboxFixture } from './sandbox.ts';
import { findFreePort } from './service-process.ts';
import type { ServiceProcess } from './service-process.ts';
import { startSimulatedOperators } from './simulated-operators.ts';
import type { SimulatedOperators } from './simulated-operators.ts';
import { until } from './until.ts';
import { PATHS, VendorClient, encode, send, signed } from './vendor-client.ts';

export const MASTER_KEY = randomBytes(32).toString('base64');
export const SEALING: Sealing = {
  masterKeys: { current: Buffer.from(MASTER_KEY, 'base64'), previous: undefined },
  certain: true,
};

/** A process of `npm run serve`. */
export interface Server {
  readonly process: ServiceProcess;
  readonly origin: string;
}

/** Two processes on one database, with simulated operators. */
export interface Pair {
  readonly url: string;
  readonly ownerUrl: string;
  readonly pool: Pool;
  readonly servers: readonly [Server, Server];
  readonly operators: SimulatedOperators;
  /** Adds a biller that is paid through the operators, and waits until both processes know it. */
  addBiller(billerCode: string): Promise<void>;
  /** A vendor with this amount in its float, with a client for each process. */
  addFundedVendor(floatAmount: string): Promise<readonly [VendorClient, VendorClient]>;
  /** How often the operators paid each reference. */
  timesPaid(): Promise<Map<string, number>>;
}

/** Makes databases and starts production on them; `cleanUp` in `afterAll`. */
export class ProductionFixture {
  readonly #fixture = new SandboxFixture();
  readonly #databases: TestDatabase[] = [];
  readonly #pools: Pool[] = [];
  readonly #operators: SimulatedOperators[] = [];

  async database(): Promise<{
    readonly url: string;
    readonly ownerUrl: string;
    readonly pool: Pool;
  }> {
    // On a cluster every test gets the same database, which must have no other users.
    if (CITUS_URL !== undefined) await this.#fixture.endAll();
    const database = await createTestDatabase();
    this.#databases.push(database);
    const pool = createPool({ url: database.url, max: 2, name: 'test' });
    this.#pools.push(pool);
    return { url: database.url, ownerUrl: database.ownerUrl, pool };
  }

  async folder(): Promise<string> {
    return await this.#fixture.folder();
  }

  /**
   * Starts a server on a free port without waiting until it is ready.
   * @param root the folder of another release.
   */
  async launch(env: Readonly<Record<string, string>>, root?: string): Promise<Server> {
    const port = await findFreePort();
    const DATA_DIR = await this.#fixture.folder();
    const process = this.#fixture.launch(
      'serve',
      { PORT: String(port), DATA_DIR, ...env },
      [],
      root,
    );
    return { process, origin: `http://127.0.0.1:${port}` };
  }

  /** Starts a server and waits until it is ready. */
  async serve(databaseUrl: string, root?: string): Promise<Server> {
    const server = await this.launch({ DATABASE_URL: databaseUrl, MASTER_KEY }, root);
    const { process, origin } = server;
    const isReady = async (): Promise<boolean> =>
      process.ending !== undefined ||
      (await send(origin, { method: 'GET', path: '/health/ready' })).status === 200;
    await until('it is ready', isReady, 60_000);
    if (process.ending !== undefined) {
      throw new Error(`Production did not start:\n${process.stdout}${process.stderr}`);
    }
    return server;
  }

  /**
   * Starts two processes on a new database, with simulated operators that are faster than the sandbox's.
   * @param callbackDelayMs from an instruction to its execution, for the accounts that are reported by callback.
   */
  async startPair(callbackDelayMs = 300): Promise<Pair> {
    const { url, ownerUrl, pool } = await this.database();
    const delays = ['--callback-delay-ms', String(callbackDelayMs)];
    const others = '--callback-repeat-ms 300 --slow-ms 1500'.split(' ');
    const operators = await startSimulatedOperators(await this.#fixture.folder(), [
      ...delays,
      ...others,
    ]);
    this.#operators.push(operators);
    const servers = await Promise.all([this.serve(url), this.serve(url)]);
    return {
      url,
      ownerUrl,
      pool,
      servers,
      operators,
      addBiller: async (billerCode) => await addBiller({ pool, servers, operators }, billerCode),
      addFundedVendor: async (amount) => await addFundedVendor({ pool, servers }, amount),
      timesPaid: async () => {
        const times = new Map<string, number>();
        for (const { reference } of await operators.truth()) {
          times.set(reference, (times.get(reference) ?? 0) + 1);
        }
        return times;
      },
    };
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.#operators.map(async (operators) => await operators.kill('SIGKILL')));
    await this.#fixture.cleanUp();
    await Promise.all(this.#pools.map(async (pool) => await pool.end()));
    await Promise.all(this.#databases.map(async (database) => await database.drop()));
  }
}

async function addBiller(
  pair: Pick<Pair, 'pool' | 'servers' | 'operators'>,
  billerCode: string,
): Promise<void> {
  const { pool, servers, operators } = pair;
  const operator = {
    name: 'Kenya Power',
    connector: 'http-json',
    baseUrl: `${operators.origin}/operators/kplc`,
    settings: { pay_timeout_ms: 1000, status_timeout_ms: 1000, acceptance_window_ms: 500 },
  };
  await setOperator(pool, 'kplc', operator, async () => undefined);
  await setOperatorKey(pool, 'kplc', { secret: SANDBOX_OPERATOR_KEY, sealing: SEALING });
  const biller = { name: 'Tokens', category: 'electricity', operatorCode: 'kplc' };
  await setBiller(pool, billerCode, { ...biller, minimumCents: 500n });
  const path = `${PATHS.billerStatus}?vid=x&biller_code=${billerCode}`;
  for (const { origin } of servers) {
    await until(`${billerCode} is known`, async () => {
      return (await send(origin, { method: 'GET', path })).text.includes('"ONLINE"');
    });
  }
}

async function addFundedVendor(
  { pool, servers }: Pick<Pair, 'pool' | 'servers'>,
  floatAmount: string,
): Promise<readonly [VendorClient, VendorClient]> {
  const vid = fresh('shop');
  const collector = fresh('till');
  const shop = { vid, name: vid, sector: 'retail', referenceRequired: false } as const;
  const { securityKey: key } = await addVendor(pool, shop, SEALING);
  const collectorKey = await addCollector(pool, { collector, name: 'Till', scope: [vid] }, SEALING);
  const first = new VendorClient(servers[0].origin, { vid, key });
  const second = new VendorClient(servers[1].origin, { vid, key });
  for (const client of [first, second]) {
    await until(`${vid} is known`, async () => (await client.call('balance')).status === 200);
  }
  const income = {
    collector,
    vid,
    reference: fresh('receipt'),
    amount: floatAmount,
    currency: 'KES',
    paid_at: '2026-01-05 09:00:00',
  };
  // Income is reported to one process and moved by the other.
  const request = encode(PATHS.collect, signed(income, collectorKey), 'json');
  await until('the income is moved', async () => {
    return (await send(servers[0].origin, request)).status === 200;
  });
  await second.fund();
  return [first, second];
}
