import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { newSharedSecret } from '../../src/parties/keys.ts';
import { verifyNow } from '../../src/payments/dispatch/verify-now.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { OPERATOR, operatorChangeJson } from '../../src/payments/settings/operators.ts';
import { FEE, formulaJson } from '../../src/payments/settings/prices.ts';
import { proposeSetting } from '../../src/payments/settings/propose.ts';
import type { SettingChange } from '../../src/payments/settings/propose.ts';
import { must } from '../integration/cli-support.ts';
import { approveSeen } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { addStaff } from '../support/staff.ts';
import { fresh } from '../support/demo-vendors.ts';
import { MASTER_KEY, ProductionFixture, SEALING } from '../support/production-pair.ts';
import type { Pair } from '../support/production-pair.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { PATHS, send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// Only the merchant account that got an instruction can prove that it did not execute it. Each operator has
// its own truth.

const fixture = new ProductionFixture();
let pair: Pair;
let second: SimulatedOperators;
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  pair = await fixture.startPair();
  folder = await makeTemporaryFolder();
  second = await startSimulatedOperators(folder);
  environment = { DATABASE_URL: pair.url, MASTER_KEY };
});
afterAll(async () => {
  await second.kill('SIGKILL');
  const { violations } = await checkLedger(pair.pool);
  await fixture.cleanUp();
  await removeFolder(folder);
  expect(violations).toEqual([]);
});

/** A payment that the first site executes, and about which it then says nothing. */
async function payUnanswered(vendor: VendorClient, biller: string): Promise<string> {
  const params = { biller_name: biller, amount: '100.00', account: '0100009903' };
  const reference = await vendor.accepted({ ...params, merchant_reference: fresh('order') });
  await until('the first site has paid it', async () => (await pair.timesPaid()).has(reference));
  pair.operators.process.kill('SIGSTOP');
  return reference;
}

/** Has it asked about as people can; the window of a "not found" is over before the last of these queries. */
async function ask(reference: string, times: number): Promise<void> {
  const key = decodeReference(reference);
  if (key === undefined) throw new Error(`${reference} is no reference`);
  const count = async (): Promise<number> => {
    const found = await pair.pool.query<{ count: number }>(
      'select verify_count as count from dispatch_queue where payment_id = $1',
      [key.paymentId],
    );
    return found.rows[0]?.count ?? Infinity;
  };
  const last = (await count()) + times;
  await until(`${reference} is asked about`, async () => {
    if ((await count()) >= last) return true;
    await verifyNow(pair.pool, key).catch(() => undefined);
    return false;
  });
}

async function countAtSecond(reference: string): Promise<number> {
  return (await second.truth()).filter((entry) => entry.reference === reference).length;
}

test('an instruction is asked about where it was sent, whatever address and key the operator has now', async () => {
  await pair.addBiller('tokens');
  const [vendor] = await pair.addFundedVendor('1000.00');
  const reference = await payUnanswered(vendor, 'tokens');
  const site = `${second.origin}/operators/kplc`;
  const changed = await must(environment, 'operator', 'set', 'kplc', '--base-url', site);
  expect(changed.stdout).toMatch(/^without a result +1, asked about where they were sent/m);
  // Another merchant account: the first site does not know its key, nor does the second know the first's.
  const key = newSharedSecret();
  await must(environment, 'operator', 'set-key', 'kplc', '--key', key);
  await ask(reference, 8);
  expect(await countAtSecond(reference)).toBe(0);
  expect((await vendor.payment(reference)).transaction_status).toBe('PENDING');
  pair.operators.process.kill('SIGCONT');
  await until('the first site is heard', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
  expect((await pair.timesPaid()).get(reference)).toBe(1);
  expect(await countAtSecond(reference)).toBe(0);
  expect(await vendor.balance()).toBe(900);
});

test('one person alone changes neither where payments go nor what they cost', async () => {
  await pair.addBiller('water');
  const [vendor] = await pair.addFundedVendor('1000.00');
  const { pool } = pair;
  const { masterKeys } = SEALING;
  const books = { pool, ledgerMac: await openLedgerMac(pool, masterKeys) };
  const add = async (login: string) =>
    await addStaff(books, { login, name: `${login} M.`, role: 'administrator' });
  const [asha, baraka] = [await add('asha'), await add('baraka')];
  const deps = { ...books, masterKeys, proposals: quietProposals(books) };
  const propose = async (change: SettingChange) =>
    (await proposeSetting(deps, { ...change, by: asha, note: 'as agreed' })).row;
  const baseUrl = `${second.origin}/operators/kplc`;
  const formula = {
    tiers: [{ fromCents: 0n, flatCents: 900n, bps: 0 }],
    ...{ minimumCents: null, maximumCents: null, vatBps: 0, vatIncluded: false },
  };
  const proposed = [
    await propose({
      ...{ setting: OPERATOR, key: { operatorCode: 'kplc' } },
      change: operatorChangeJson({ baseUrl, settings: {} }),
    }),
    await propose({
      ...{ setting: FEE, key: { billerCode: 'water', vendor: null } },
      change: { formula: formulaJson(formula), validFrom: null },
    }),
  ];
  const pay = async (): Promise<string> => {
    const params = { biller_name: 'water', amount: '100.00', account: '0100001234' };
    const reference = await vendor.accepted({ ...params, merchant_reference: fresh('order') });
    await until('it is paid', async () => {
      return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
    });
    return reference;
  };
  const before = await pay();
  expect((await pair.timesPaid()).get(before)).toBe(1);
  expect(await vendor.balance()).toBe(900);
  for (const { proposalId } of proposed) await approveSeen(books, proposalId, baraka);
  const list = { method: 'GET', path: `${PATHS.list}?vid=x` } as const;
  await until('the fee is known', async () =>
    (await send(pair.servers[0].origin, list)).text.includes('"9.00"'),
  );
  const after = await pay();
  expect((await pair.timesPaid()).get(after)).toBeUndefined();
  expect(await countAtSecond(after)).toBe(1);
  expect(await vendor.balance()).toBe(791);
});
