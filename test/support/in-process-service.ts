import { prepareSandbox } from '../../sandbox/data.ts';
import { lastMonthEnd } from '../../sandbox/population/calendar.ts';
import { generatePopulation } from '../../sandbox/population/population.ts';
import { loadSubjects } from '../../sandbox/registry.ts';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { createVault, creditKeysOf } from '../../src/credit/registry/vault.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/platform/log.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import type { NewVendor, Sealing } from '../../src/parties/administer.ts';
import { CITUS_URL } from './citus.ts';
import { createTestDatabase } from './cluster.ts';
import type { TestDatabase } from './cluster.ts';
import { fresh } from './demo-vendors.ts';
import { VendorClient } from './vendor-client.ts';

/** The whole service inside the test's process, with the sandbox's data and without operators. */
export interface InProcessService {
  readonly service: Service;
  readonly origin: string;
  readonly sealing: Sealing;
  /** Everything it has logged so far, at every level. */
  readonly logged: () => string;
  demo(vid?: 'demo' | 'demo2'): VendorClient;
  /** A new vendor, known to the service. */
  addVendor(settings?: Partial<NewVendor>): Promise<VendorClient>;
  stop(): Promise<void>;
}

/** The first five are the documented examples of the registry. */
const SUBJECTS = 20;
/** A weak key, which commands refuse. */
const TEST_KEY = Buffer.alloc(32, 'test master key');
/** Nothing listens on this port. */
const NO_OPERATORS = 'http://127.0.0.1:9';

export interface InProcessOptions {
  /** Variables of the service; by default it has the role `api` alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The origin of simulated operators. Default: nothing listens. */
  readonly operatorOrigin?: string;
  /** Default: a weak key, which commands refuse. */
  readonly masterKey?: Buffer;
  /** Which log lines are kept. Default: all. */
  readonly logLevel?: string;
}

/** Adds what is not there yet. */
async function addSandboxData(
  databaseUrl: string,
  options: {
    readonly config: ReturnType<typeof readConfig>;
    readonly masterKeys: MasterKeys;
    readonly operatorOrigin: string;
  },
): Promise<void> {
  const pool = createPool({ url: databaseUrl, max: 1, name: 'test' });
  try {
    await prepareSandbox(pool, options);
    const creditKeys = creditKeysOf(options.config, options.masterKeys, true);
    const known = await pool.query('select 1 from subjects limit 1');
    if (creditKeys !== undefined && known.rowCount === 0) {
      const asOf = lastMonthEnd(new Date());
      const population = generatePopulation({ seed: 1, subjects: SUBJECTS, asOf });
      await loadSubjects(pool, createVault(creditKeys), population);
    }
  } finally {
    await pool.end();
  }
}

let prepared: Promise<TestDatabase> | undefined;

/**
 * A database for a service under the usual keys. The sandbox's data is in it, from a database that each worker prepares
 * once: that takes half the CPU of a start.
 */
export async function createServiceDatabase(): Promise<TestDatabase> {
  if (CITUS_URL !== undefined) return await createTestDatabase();
  prepared ??= prepareDatabase();
  return await createTestDatabase({ template: (await prepared).name });
}

async function prepareDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await addSandboxData(database.url, {
    config: readConfig('sandbox', {}),
    masterKeys: { current: TEST_KEY, previous: undefined },
    operatorOrigin: NO_OPERATORS,
  });
  return database;
}

/** @param databaseUrl of a migrated database, which gets the sandbox's data once. */
export async function startInProcess(
  databaseUrl: string,
  options: InProcessOptions = {},
): Promise<InProcessService> {
  const { environment = {}, operatorOrigin = NO_OPERATORS, logLevel = 'trace' } = options;
  const config = readConfig('sandbox', { PORT: '0', ROLES: 'api', ...environment });
  const { masterKey = TEST_KEY } = options;
  const masterKeys = { current: masterKey, previous: undefined };
  await addSandboxData(databaseUrl, { config, masterKeys, operatorOrigin });
  const lines: string[] = [];
  const service = await compose({
    config,
    databaseUrl,
    masterKeys,
    log: createLog({ level: logLevel, destination: { write: (line) => lines.push(line) } }),
  });
  const origin = await service.start();
  const sealing: Sealing = { masterKeys, certain: true };
  return {
    service,
    origin,
    sealing,
    logged: () => lines.join(''),
    demo: (vid = 'demo') => new VendorClient(origin, { vid, key: `${vid}-security-key` }),
    addVendor: async (settings = {}) => {
      const vid = settings.vid ?? fresh('shop');
      const usual = {
        name: 'Shop',
        sector: 'retail',
        enquiryPolicy: 'open',
        referenceRequired: false,
      } as const;
      const vendor = { ...usual, ...settings, vid };
      const { securityKey } = await addVendor(service.pool, vendor, sealing);
      await service.directory.reload();
      return new VendorClient(origin, { vid, key: securityKey });
    },
    stop: async () => await service.stop(),
  };
}
