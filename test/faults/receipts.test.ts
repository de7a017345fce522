import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { addAccount } from '../../src/payments/receipts/administer.ts';
import { openSource } from '../../src/payments/receipts/sources.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { SHORT_CODE, SOURCE, addDarajaSource, startProvider } from '../support/money-in.ts';
import type { Provider } from '../support/money-in.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { SEALING, firstVendor, serviceProgram, addTestParties } from './fleet.ts';
import type { Program } from './fleet.ts';

// Receipts through the whole program, which is killed between the claim and the credit of a receipt.

const ACCOUNT = 'SHOP0';
/** Number of simultaneous reports of one receipt. */
const REPEATS = 100;

let database: TestDatabase;
let folder: string;
let pool: Pool;
let provider: Provider;
let service: Program;
let vendor: VendorClient;
let source: OpenSource;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  const parties = await addTestParties(pool, {
    operatorOrigin: 'http://127.0.0.1:9',
    vendorCount: 1,
  });
  provider = await startProvider();
  await addDarajaSource(pool, { origin: provider.origin, sealing: SEALING });
  const ledgerMac = await openLedgerMac(pool, SEALING.masterKeys);
  await addAccount(
    { pool, ledgerMac },
    { sourceCode: SOURCE, account: ACCOUNT, vid: 'shop0', by: 'Asha' },
  );
  service = await serviceProgram({
    name: 'all roles',
    roles: 'api,dispatcher,jobs',
    folder,
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0' },
  });
  vendor = firstVendor(service, parties);
  const row = await findSource(pool, SOURCE);
  const callbackBase = `${service.origin}/receipts`;
  const { masterKeys } = SEALING;
  const log = pino({ level: 'silent' });
  const opened = row && (await openSource({ pool, masterKeys, callbackBase, log }, row));
  if (opened === undefined) throw new Error('there is no source');
  source = opened;
  expect(await source.provider.register(AbortSignal.timeout(5_000))).toMatchObject({
    isDone: true,
  });
}, 120_000);
afterAll(async () => {
  service.signal('SIGKILL');
  await service.untilEnded();
  await source.provider.close();
  await provider.close();
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await service.start(env);
  await until('it is ready or has ended', () => service.ready || service.ended, 60_000);
}

async function stop(): Promise<void> {
  service.signal('SIGTERM');
  expect((await service.untilEnded()).ending).toEqual({ code: 0, signal: null });
}

async function expectKilled(): Promise<void> {
  const { ending, lastOutput } = await service.untilEnded();
  expect(ending, lastOutput).toEqual({ code: null, signal: 'SIGKILL' });
}

/** Calls the service as the provider does. Returns true if the service answered that it has the receipt. */
async function confirm(receipt: string): Promise<boolean> {
  const { origin, pathname } = new URL(source.provider.urls.confirmation);
  const body = JSON.stringify({
    TransactionType: 'Pay Bill',
    TransID: receipt,
    TransTime: '20260105101530',
    TransAmount: '500.00',
    BusinessShortCode: SHORT_CODE,
    BillRefNumber: ACCOUNT,
    MSISDN: '2547 ***** 001',
    FirstName: 'TEST',
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await send(origin, { method: 'POST', path: pathname, headers, body }).catch(
    () => undefined,
  );
  if (answer !== undefined) expect(answer.status, answer.text).toBe(200);
  return answer !== undefined;
}

async function stateOf(receipt: string): Promise<string | undefined> {
  const read = await pool.query<{ state: string }>(
    'select state from receipts where receipt = $1',
    [receipt],
  );
  return read.rows[0]?.state;
}

async function collectionsOf(receipt: string): Promise<number> {
  const counted = await pool.query('select from collections where reference = $1', [receipt]);
  return counted.rowCount ?? 0;
}

async function untilCredited(receipt: string): Promise<void> {
  await until(
    'the receipt is credited',
    async () => (await stateOf(receipt)) === 'credited',
    30_000,
  );
  expect(await collectionsOf(receipt)).toBe(1);
}

/** The income is in the float after the next request, and pays a bill in the one after it. */
async function expectSpendable(merchantReference: string, amount = 500): Promise<void> {
  expect(await vendor.fund()).toBe(amount);
  const before = await vendor.balance();
  await vendor.accepted({
    account: '0123',
    biller_name: 'tokens',
    amount: `${amount}.00`,
    merchant_reference: merchantReference,
  });
  expect(await vendor.balance()).toBe(before - amount);
}

test.each<[CrashPoint, number]>([
  ['receipt:after-claim', 0],
  ['receipt:after-credit', 1],
])(
  'killed at %s: the next start ends what was begun, and it is credited once',
  async (point, collections) => {
    const receipt = `KL${collections}0000001`;
    await start({ CRASH_AT: point });
    expect(await confirm(receipt)).toBe(false);
    await expectKilled();
    expect(await stateOf(receipt)).toBe('claimed');
    expect(await collectionsOf(receipt)).toBe(collections);

    await start();
    // It is not reported again.
    await untilCredited(receipt);
    expect(await confirm(receipt)).toBe(true);
    expect(await collectionsOf(receipt)).toBe(1);
    await expectSpendable(receipt);
    await stop();
  },
  120_000,
);

test('confirmations repeated 100 times at once, and killed three times, are credited once', async () => {
  const receipt = 'HUNDRED001';
  for (const point of ['receipt:after-claim#40', 'receipt:after-credit', 'receipt:after-claim#5']) {
    await start({ CRASH_AT: point });
    // The job may reach the point first, with work that the previous run left.
    await Promise.all(Array.from({ length: REPEATS }, async () => await confirm(receipt)));
    if (!service.ended) service.signal('SIGKILL');
    await expectKilled();
  }
  await start();
  const acknowledged = await Promise.all(
    Array.from({ length: REPEATS }, async () => await confirm(receipt)),
  );
  expect(acknowledged).not.toContain(false);
  await untilCredited(receipt);
  await expectSpendable(receipt);
  await stop();
}, 120_000);

test.each<CrashPoint>(['receipt:after-claim', 'receipt:after-credit'])(
  'a confirmation that never came, and a pull that was killed at %s: credited once',
  async (point) => {
    // Due at once.
    await pool.query('update receipt_sources set pull_due_at = now()');
    const made = await provider.moneyIn.receive({
      account: ACCOUNT,
      amount: '750.00',
      msisdn: '254700009911',
    });
    const receipt = made?.receipt ?? '';
    await start({ CRASH_AT: point });
    await expectKilled();
    expect(await stateOf(receipt)).toBe('claimed');
    await start();
    await untilCredited(receipt);
    await expectSpendable(receipt, 750);
    await stop();
  },
  120_000,
);

test('all invariants of the books hold afterwards', async () => {
  expect((await checkLedger(pool)).violations).toEqual([]);
  const repeated = await pool.query(
    'select from collections group by reference having count(*) > 1',
  );
  expect(repeated.rowCount).toBe(0);
});
