import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { prepareSandbox } from '../../sandbox/data.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { listPeople } from '../../src/parties/people/read-people.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setBiller, setOperator } from '../../src/payments/billers/administer.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { must, inProcess } from '../integration/cli-support.ts';
import { fresh } from '../support/demo-vendors.ts';
import { MASTER_KEY, ProductionFixture, SEALING } from '../support/production-pair.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';

// Two programs, one database: the sandbox uses only databases that it made, and production none of these.

const production = new ProductionFixture();
const sandboxes = new SandboxFixture();
afterAll(async () => {
  await sandboxes.cleanUp();
  await production.cleanUp();
});

const SIMULATOR = 'http://127.0.0.1:9';

/** Starts a program that must refuse. Returns what it says. */
async function refused(mode: string, env: Readonly<Record<string, string>>): Promise<string> {
  const PORT = String(await findFreePort());
  const running = sandboxes.launch(mode, { PORT, ...env });
  expect(await running.ended(), running.stderr).toEqual({ code: 1, signal: null });
  const said = running.stderr + running.stdout;
  expect(said).not.toMatch(/^ {4}at /m);
  return said;
}

/** Every setting, key and person, and how much money came in. */
async function contentOf(pool: Pool): Promise<unknown> {
  const read = await pool.query(
    `select (select json_agg(v order by vendor_id) from vendors v) as vendors,
       (select json_agg(o order by operator_code) from operators o) as operators,
       (select json_agg(b order by biller_code) from billers b) as billers,
       (select json_agg(key_id order by key_id) from security_keys) as keys,
       (select count(*) from collectors) as collectors, (select count(*) from people) as people,
       (select count(*) from collections) as collections, (select count(*) from subjects) as subjects,
       (select json_agg(p) from database_purpose p) as purpose`,
  );
  return read.rows;
}

test('npm start changes nothing in the database of production, with or without its master key', async () => {
  const pair = await production.startPair();
  await pair.addBiller('tokens');
  const [acme] = await pair.addFundedVendor('1000.00');
  if (acme === undefined) throw new Error('there is a vendor');
  const before = await contentOf(pair.pool);
  const folder = await sandboxes.folder();
  for (const key of [{ MASTER_KEY }, {}]) {
    const said = await refused('sandbox', { DATABASE_URL: pair.url, DATA_DIR: folder, ...key });
    expect(said).toContain('was not made by the sandbox');
    expect(said).toContain('set DATABASE_URL to another database');
  }
  expect(await readdir(folder)).toEqual([]);
  expect(await contentOf(pair.pool)).toEqual(before);

  const forged = signed(
    {
      ...{ collector: 'demo-collector', vid: acme.vid, reference: fresh('forged') },
      ...{ amount: '250000.00', currency: 'KES', paid_at: '2026-01-05 09:00:00' },
    },
    'demo-collector-key',
  );
  const { origin } = pair.servers[0];
  expect((await send(origin, encode(PATHS.collect, forged, 'json'))).status).toBe(401);
  const params = { biller_name: 'tokens', account: '12345678', merchant_reference: 'one' };
  const { body } = await acme.create({ ...params, amount: '100.00' });
  const reference = String(body.msg['ipay_reference']);
  await until('it is paid', async () => {
    return (await acme.payment(reference)).transaction_status === 'SUCCESS';
  });
  expect([...(await pair.timesPaid())]).toEqual([[reference, 1]]);
  expect(await acme.balance()).toBe(900);
}, 120_000);

test('serve refuses a sandbox, also one that is restored from a backup', async () => {
  const sandbox = await sandboxes.start();
  const backup = path.join(await sandboxes.folder(), 'backup');
  await must(sandbox.environment, 'backup', backup);
  await sandbox.interrupt();
  const restored = path.join(await sandboxes.folder(), 'restored');
  const key = (await sandbox.masterKeys()).current.toString('base64');
  await must({ MASTER_KEY: key }, 'restore', backup, '--data-dir', restored);
  for (const DATA_DIR of [sandbox.dataDir, restored]) {
    const said = await refused('serve', { DATA_DIR, MASTER_KEY });
    expect(said).toContain('was made by the sandbox');
    expect(said).toContain('Set DATA_DIR to another database');
  }
}, 120_000);

test('npm start refuses a backup of production, and leaves its quarantine to serve', async () => {
  const DATA_DIR = path.join(await sandboxes.folder(), 'production');
  const environment = { DATA_DIR, MASTER_KEY };
  await must(environment, 'migrate');
  await must(environment, 'vendor', 'add', 'acme', '--name', 'Acme', '--sector', 'retail');
  const backup = path.join(await sandboxes.folder(), 'backup');
  await must(environment, 'backup', backup);
  const restored = path.join(await sandboxes.folder(), 'restored');
  await must({ MASTER_KEY }, 'restore', backup, '--data-dir', restored);
  expect(await refused('sandbox', { DATA_DIR: restored })).toContain('set DATA_DIR to another');
  expect(await readdir(restored)).toEqual(['postgres']);
  expect(await readdir(path.join(restored, 'postgres/data'))).toContain('malipo.quarantine');
}, 120_000);

describe('a database on which nobody has started', () => {
  test('npm start makes the database the sandbox’s, which needs the same master key each time', async () => {
    const { url, pool } = await production.database();
    const first = await sandboxes.start({ env: { DATABASE_URL: url, MASTER_KEY } });
    await first.interrupt();
    const before = await contentOf(pool);
    const folder = await sandboxes.folder();
    const said = await refused('sandbox', { DATABASE_URL: url, DATA_DIR: folder });
    expect(said).toContain('MASTER_KEY is not set');
    expect(await readdir(folder)).toEqual([]);
    expect(await contentOf(pool)).toEqual(before);
    const serving = await refused('serve', { DATABASE_URL: url, MASTER_KEY });
    expect(serving).toContain('Set DATABASE_URL to another database');
  }, 120_000);

  test('continues with a preparation that was cut off', async () => {
    const { pool } = await production.database();
    const ledgerMac = await openLedgerMac(pool, SEALING.masterKeys);
    // Killed before this person got a password.
    const person = {
      login: 'admin',
      name: 'Achieng Administrator',
      role: 'administrator',
    } as const;
    await addPerson({ pool, ledgerMac }, person, new Date());
    const options = { masterKeys: SEALING.masterKeys, operatorOrigin: SIMULATOR };
    await prepareSandbox(pool, options);
    const people = await listPeople(pool);
    expect(people).toHaveLength(11);
    expect(people.filter(({ hasPassword }) => !hasPassword)).toEqual([]);
    await prepareSandbox(pool, options);
    expect(await listPeople(pool)).toEqual(people);
  });
});

/** Production's database after an earlier version's `npm start`, which looked at nothing. */
async function mixedDatabase(): Promise<{ url: string; pool: Pool; key: string }> {
  const { url, pool } = await production.database();
  const { masterKeys } = SEALING;
  await setOperator(
    pool,
    'kplc',
    { name: 'Kenya Power', connector: 'http-json', baseUrl: 'https://pay.example', settings: {} },
    async () => undefined,
  );
  const biller = { name: 'Tokens', category: 'electricity', operatorCode: 'kplc' };
  await setBiller(pool, 'tokens', { ...biller, minimumCents: 500n });
  const shop = { vid: 'acme', name: 'Acme', sector: 'retail' } as const;
  const { vendorId, securityKey: key } = await addVendor(pool, shop, SEALING);
  await prepareSandbox(pool, { masterKeys, operatorOrigin: SIMULATOR });
  await collect(
    { pool, ledgerMac: await openLedgerMac(pool, masterKeys) },
    {
      ...{ collector: 'demo-collector', reference: 'forged', vendorId },
      ...{ amountCents: 25_000_000n, paidAt: new Date('2026-01-05T06:00:00Z') },
    },
  );
  return { url, pool, key };
}

test('a database into which a sandbox was mixed is served once its public keys have ended', async () => {
  const { url, pool, key } = await mixedDatabase();
  const environment = { DATABASE_URL: url, MASTER_KEY };
  expect(await refused('serve', environment)).toContain('demo-data list');
  expect(await refused('sandbox', environment)).toContain('was not made by the sandbox');

  const listed = await must(environment, 'demo-data', 'list', '--json');
  expect(listed.json()).toMatchObject({
    signers: ['demo', 'demo-collector', 'demo2'],
    people: expect.arrayContaining(['admin', 'finance', 'demo-cashier']) as unknown,
    operators: expect.arrayContaining(['kplc', 'zuku']) as unknown,
    billers: expect.arrayContaining(['tokens', 'zuku']) as unknown,
    credited: [{ vid: 'acme', count: 1, amount: '250000.00' }],
    ended_at: null,
  });
  const ended = await must(environment, 'demo-data', 'end', '--by', 'Amina', '--reason', 'mixed');
  expect(ended.stdout).toContain('nobody has received the 250000.00');

  const { origin, process } = await production.launch(environment);
  await until('it is ready', async () => {
    if (process.ending !== undefined) throw new Error(process.stderr);
    return (await send(origin, { method: 'GET', path: '/health/ready' })).status === 200;
  });
  const acme = new VendorClient(origin, { vid: 'acme', key });
  expect((await acme.call('balance')).status).toBe(200);
  const demo = new VendorClient(origin, { vid: 'demo', key: 'demo-security-key' });
  expect((await demo.call('balance')).status).toBe(401);
  const billers = await send(origin, {
    method: 'GET',
    path: `${PATHS.billerStatus}?vid=acme&biller_code=tokens`,
  });
  expect(billers.text).toContain('"OFFLINE"');
  expect((await inProcess(environment, 'demo-data', 'list', '--json')).json()).toMatchObject({
    public_keys: [],
    people: [],
  });
  const mac = await openLedgerMac(pool, SEALING.masterKeys);
  expect((await checkLedger(pool, { mac })).violations).toEqual([]);
}, 120_000);
