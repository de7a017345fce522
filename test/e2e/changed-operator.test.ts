import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { newSharedSecret } from '../../src/parties/keys.ts';
import { verifyNow } from '../../src/payments/dispatch/verify-now.ts';
import { decodeReference } from '../../src/platform/base/ids.ts';
import { must } from '../integration/cli-support.ts';
import { fresh } from '../support/demo-vendors.ts';
import { MASTER_KEY, ProductionFixture } from '../support/production-pair.ts';
import type { Pair } from '../support/production-pair.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
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
  expect(changed.stderr).toContain('1 payment at kplc has no result yet.');
  expect(changed.stdout).toContain('asked about where they were sent');
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
