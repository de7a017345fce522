import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { findRunningEmbedded } from '../../src/platform/embedded/embedded.ts';
import { importByTwo, inProcess, must, newKey, shownIn } from '../integration/cli-support.ts';
import { query, run } from '../integration/embedded-support.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort, processesOf, untilNothingRuns } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { until } from '../support/until.ts';
import { VendorClient, send } from '../support/vendor-client.ts';

// The drill: payments, a backup, more payments, everything is lost, a restore elsewhere. The operators
// keep running and keep their records.

const fixture = new SandboxFixture();
let operators: SimulatedOperators;
beforeAll(async () => {
  operators = await startSimulatedOperators(await fixture.folder());
});
afterAll(async () => {
  await operators.kill('SIGKILL');
  await fixture.cleanUp();
});

const MASTER_KEY = randomBytes(32).toString('base64');
const VID = 'shop';
/** Long enough for an acceptance window and some queries on a busy machine. */
const PATIENCE_MS = 60_000;

/** A service on an embedded database of its own. */
interface Place {
  readonly dataDir: string;
  readonly environment: { readonly DATA_DIR: string; readonly MASTER_KEY: string };
}

interface Running {
  readonly process: ServiceProcess;
  readonly origin: string;
}

/** The vendor's key. */
let key: string;

function vendorOf({ origin }: Running): VendorClient {
  return new VendorClient(origin, { vid: VID, key });
}

function placeIn(dataDir: string): Place {
  return { dataDir, environment: { DATA_DIR: dataDir, MASTER_KEY } };
}

async function serve(location: Place, roles = 'api,dispatcher,jobs'): Promise<Running> {
  const port = await findFreePort();
  const process = fixture.launch('serve', {
    ...location.environment,
    PORT: String(port),
    ROLES: roles,
  });
  const origin = `http://127.0.0.1:${port}`;
  await until(
    'it is ready',
    async () =>
      process.ending !== undefined ||
      (await send(origin, { method: 'GET', path: '/health/ready' })).status === 200,
    60_000,
  );
  if (process.ending !== undefined) throw new Error(`${process.stdout}${process.stderr}`);
  return { process, origin };
}

async function stop(running: Running, location: Place): Promise<void> {
  running.process.signal('SIGTERM', 'process');
  await running.process.ended();
  await untilNothingRuns(location.dataDir, running.process.pid);
}

/** Kills the service and its database at once, as when the machine is lost. */
async function lose(running: Running, location: Place): Promise<void> {
  for (const pid of processesOf(location.dataDir, running.process.pid)) {
    process.kill(pid, 'SIGKILL');
  }
  await running.process.ended();
  await untilNothingRuns(location.dataDir, running.process.pid);
}

/** Adds a vendor with a float, and two operators with one biller each. Returns the vendor's key. */
async function setUp(location: Place): Promise<string> {
  const env = location.environment;
  for (const [operator, biller] of [
    ['kplc', 'kplc_prepaid'],
    ['zuku', 'zuku'],
  ] as const) {
    const url = `${operators.origin}/operators/${operator}`;
    const timeouts = 'pay_timeout_ms status_timeout_ms acceptance_window_ms'
      .split(' ')
      .flatMap((name) => ['--setting', `${name}=1000`]);
    await must(env, 'operator', 'set', operator, '--name', operator, timeouts, [
      ...['--connector', 'http-json', '--base-url', url],
    ]);
    await must(env, 'operator', 'set-key', operator, '--key', SANDBOX_OPERATOR_KEY);
    const rest = ['--category', 'utility', '--operator', operator, '--minimum', '50'];
    await must(env, 'biller', 'set', biller, '--name', biller, rest);
  }
  const made = await newKey(env, 'vendor', 'add', VID, '--name', 'Shop', '--sector', 'retail');
  await must(env, 'collector', 'add', 'till', '--name', 'Till', '--all-vendors');
  const income = ['--collector', 'till', '--vid', VID, '--reference', 'r1', '--amount', '9000'];
  await must(env, 'income', 'collect', income);
  await must(env, 'income', 'fund', VID);
  return made;
}

/** Creates a payment and returns its reference. */
async function pay(running: Running, account: string, biller = 'kplc_prepaid'): Promise<string> {
  const answer = await vendorOf(running).create({
    biller_name: biller,
    account,
    amount: '100.00',
    merchant_reference: `order-${account}`,
  });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.msg['ipay_reference']);
}

async function statusOf(running: Running, reference: string): Promise<unknown> {
  const answer = await vendorOf(running).call('status', { reference });
  return answer.status === 200 ? answer.body.msg['transaction_status'] : answer.status;
}

async function untilStatus(running: Running, reference: string, wanted: unknown): Promise<void> {
  await until(
    `${reference} is ${String(wanted)}`,
    async () => {
      return (await statusOf(running, reference)) === wanted;
    },
    PATIENCE_MS,
  );
}

/** The instructions to this account in our books. */
async function attemptsOf(location: Place, account: string): Promise<unknown[]> {
  const url = await findRunningEmbedded(path.join(location.dataDir, 'postgres'));
  return await query(
    url ?? '',
    `select a.outcome from attempts a join payments t using (vendor_id, payment_id)
     where t.account = '${account}' order by a.attempt_number`,
  );
}

/** Resolves the case of a payment that only the operator knows. */
async function chargeVendor({ environment }: Place, reference: string): Promise<void> {
  interface Case {
    readonly case: string;
    readonly reference: string | null;
    readonly vid: string | null;
  }
  const listed = await must(environment, 'case', 'list', '--kind', 'theirs_only', '--json');
  const { cases } = listed.json<{ cases: Case[] }>();
  const found = cases.find((row) => row.reference === reference);
  expect(found).toMatchObject({ vid: VID });
  const id = found?.case ?? '';
  const propose = ['--resolution', 'charge_vendor', '--by', 'Amina', '--note', 'told by phone'];
  const proposed = await must(environment, 'case', 'propose', id, propose, '--json');
  const { proposal, seen } = proposed.json<{ proposal: string; seen: string }>();
  await must(environment, 'proposal', 'approve', proposal, '--seen', seen, '--by', 'Baraka');
}

interface Status {
  readonly quarantine: { readonly lost_from: string; readonly lost_until: string } | null;
  readonly operators: readonly { readonly operator_code: string; readonly covered: boolean }[];
}

async function importStatement(location: Place, operator: string, lost: Status['quarantine']) {
  if (lost === null) throw new Error('there is no quarantine');
  const from = new Date(Date.parse(lost.lost_from) - 60_000).toISOString();
  // The end itself is not included.
  const to = new Date(Date.parse(lost.lost_until) + 1).toISOString();
  const period = new URLSearchParams({ from, to }).toString();
  const answer = await fetch(`${operators.origin}/operators/${operator}/statement?${period}`);
  const file = path.join(await fixture.folder(), `${operator}.csv`);
  await writeFile(file, await answer.text());
  const range = ['--operator', operator, '--from', from, '--to', to];
  return await importByTwo(location.environment, 'statement', 'import', file, range);
}

/** An open case names it: the vendor is not told that it does not exist, and cannot pay it again. */
async function requirePending(running: Running, { environment }: Place, lost: string) {
  const vendor = vendorOf(running);
  const answer = await vendor.call('status', { reference: lost });
  expect(answer.body.msg).toMatchObject({
    ...{ status: 1, ipay_reference: lost, transaction_status: 'PENDING' },
    ...{ biller_name: 'kplc_prepaid', account: '30000001', amount: 100 },
  });
  const request = { biller_name: 'kplc_prepaid', account: '30000001', amount: '100.00' };
  const refused = await until('the case is known', async () => {
    const created = await vendor.create({ ...request, merchant_reference: 'order-30000001' });
    expect(created.status).not.toBe(200);
    return created.status === 409 && created;
  });
  expect(refused.body.error?.[0]).toMatchObject({ code: 'reference_reused', reference: lost });
  // No case has the vendor’s own reference, so it is not known that it does not exist.
  const own = await vendor.call('status', { merchant_reference: 'order-30000001' });
  expect(own.body.error?.[0]?.code).toBe('quarantine');
  const found = await must(environment, 'payment', 'find', lost, '--json');
  expect(found.json()).toMatchObject({ lost: [{ kind: 'theirs_only', vid: VID }] });
}

test('after a restore nothing is paid twice, and the missing payments are found', async () => {
  const before = placeIn(await fixture.folder());
  let running = await serve(before);
  key = await setUp(before);
  await until('the vendor is known', async () => {
    return (await vendorOf(running).call('balance')).status === 200;
  });

  // Before the backup: a payment that is paid, and one without a result.
  const early = await pay(running, '10000001');
  await untilStatus(running, early, 'SUCCESS');
  const silent = await pay(running, '10009909');
  await stop(running, before);

  // Queued at the time of the backup, while requests come in.
  running = await serve(before, 'api');
  const queued = await pay(running, '20000001');
  const queuedLong = await pay(running, '20000002', 'zuku');
  const backup = path.join(await fixture.folder(), 'backup');
  const beforeBackup = Date.now();
  await must(before.environment, 'backup', backup);
  // A scrape is reused for a second, one from before the backup too.
  await until('the backup is seen', async () =>
    /\nmalipo_backup_age_seconds \d/.test(
      (await send(running.origin, { method: 'GET', path: '/metrics' })).text,
    ),
  );
  await must(before.environment, 'biller', 'set-status', 'zuku', 'OFFLINE');
  await stop(running, before);

  // The period that will be lost: the queued payments and others are paid.
  running = await serve(before);
  await untilStatus(running, queued, 'SUCCESS');
  const lost = await pay(running, '30000001');
  const others = [await pay(running, '30000002'), await pay(running, '30000003')];
  for (const reference of [lost, ...others]) await untilStatus(running, reference, 'SUCCESS');
  const balanceBefore = await vendorOf(running).balance();
  await lose(running, before);

  const after = placeIn(path.join(await fixture.folder(), 'elsewhere'));
  await must({ MASTER_KEY }, 'restore', backup, '--data-dir', after.dataDir);
  running = await serve(after);
  expect(running.process.stdout).toContain('in quarantine: nothing is sent to operators');

  // Status queries find what was paid in the missing period; other payments wait.
  await untilStatus(running, queued, 'SUCCESS');
  expect(await attemptsOf(after, '20000001')).toEqual([{ outcome: 'paid' }]);
  await until(
    'the operator does not know it',
    async () => {
      const [first] = (await attemptsOf(after, '20000002')) as { outcome: string | null }[];
      return first?.outcome === 'not_sent';
    },
    PATIENCE_MS,
  );
  expect(await statusOf(running, queuedLong)).toBe('QUEUED');
  expect(await statusOf(running, silent)).toBe('PENDING');
  // Not 404: it was accepted, and a vendor that gets 404 would pay it again.
  expect(await statusOf(running, lost)).toBe(503);
  const refused = await vendorOf(running).create({
    biller_name: 'kplc_prepaid',
    account: '30000001',
    amount: '100.00',
    merchant_reference: 'order-30000001',
  });
  expect(refused.body.error?.[0]?.code).toBe('biller_offline');
  expect((await send(running.origin, { method: 'GET', path: '/metrics' })).text).toContain(
    '\nmalipo_quarantine 1\n',
  );
  // The copy has no record of this backup, so the metric shows how old the installation is.
  const { text } = await send(running.origin, { method: 'GET', path: '/metrics' });
  const age = Number(/\nmalipo_backup_age_seconds (\S+)/.exec(text)?.[1]);
  expect(age).toBeGreaterThan((Date.now() - beforeBackup) / 1000);

  // Without the operators' statements there is no release. The statements show what only operators know.
  const held = await inProcess(after.environment, 'quarantine', 'release', '--by', 'Amina');
  expect(held).toMatchObject({ exitCode: 1 });
  expect(held.stderr).toContain('of kplc, zuku');
  const status = (await must(after.environment, 'quarantine', 'status', '--json')).json<Status>();
  const kplc = await importStatement(after, 'kplc', status.quarantine);
  expect(shownIn(kplc, 'Movements')).toContain('theirs only 3');
  await importStatement(after, 'zuku', status.quarantine);
  await requirePending(running, after, lost);
  await must(after.environment, 'quarantine', 'release', '--by', 'Amina');

  await untilStatus(running, queuedLong, 'SUCCESS');
  await requirePending(running, after, lost);
  const paid = (await operators.truth()).map(({ account }) => account);
  expect(paid.toSorted()).toEqual([
    ...['10000001', '20000001', '20000002'],
    ...['30000001', '30000002', '30000003'],
  ]);

  // Two people charge the vendor for what the operator paid and the ledger has lost.
  for (const reference of [lost, ...others]) await chargeVendor(after, reference);
  expect(await statusOf(running, lost)).toBe('SUCCESS');
  expect(await vendorOf(running).balance()).toBe(balanceBefore);
  const statement = await must(after.environment, 'account-statement', 'vendor', VID, '--json');
  const { lines } = statement.json<{ lines: { movement: string; reference: string }[] }>();
  const corrected = lines.filter(({ movement }) => movement === 'correction');
  expect(corrected.map(({ reference }) => reference).toSorted()).toEqual(
    [lost, ...others].toSorted(),
  );
  const checked = await must(after.environment, 'ledger', 'check', '--json');
  expect(checked.json()).toMatchObject({ violations: 0 });
  await stop(running, after);
}, 240_000);

test('a copy of the database folder that is put back after 20 payments is noticed, and they are not paid again', async () => {
  const known = (await operators.truth()).length;
  const folder = await fixture.folder();
  // As the units and compose.yaml ship it: what the database was like is kept outside of it.
  const place = placeIn(path.join(folder, 'data'));
  const environment = { ...place.environment, DATABASE_WITNESS: path.join(folder, 'witness') };
  const shipped = { ...place, environment };
  let running = await serve(shipped);
  key = await setUp(shipped);
  await until('the vendor is known', async () => {
    return (await vendorOf(running).call('balance')).status === 200;
  });
  await stop(running, shipped);
  const [live, copy] = [path.join(place.dataDir, 'postgres'), path.join(folder, 'copy')];
  await run('cp', ['-a', live, copy]);

  running = await serve(shipped);
  const accounts = Array.from({ length: 20 }, (_, index) => `400000${String(index + 10)}`);
  const references = await Promise.all(accounts.map((account) => pay(running, account)));
  for (const reference of references) await untilStatus(running, reference, 'SUCCESS');
  expect(await vendorOf(running).balance()).toBe(7_000);
  await lose(running, shipped);
  await rm(live, { recursive: true });
  await rename(copy, live);

  running = await serve(shipped);
  const status = await must(environment, 'quarantine', 'status', '--json');
  expect(status.json<Status>().quarantine).not.toBeNull();
  for (const account of accounts) {
    const repeated = await vendorOf(running).create({
      ...{ biller_name: 'kplc_prepaid', account, amount: '100.00' },
      merchant_reference: `order-${account}`,
    });
    expect(repeated.body.error?.[0]?.code).toBe('biller_offline');
  }
  expect(await operators.truth()).toHaveLength(known + 20);
  expect(await vendorOf(running).balance()).toBe(9_000);
  await stop(running, shipped);
}, 240_000);
