import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { listEvents } from '../../src/payments/quarantine/read-quarantine.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import { startFailoverSetup } from './failover-setup.ts';
import type { FailoverSetup } from './failover-setup.ts';

// The primary is lost under load, and its synchronous standby takes over.

let setup: FailoverSetup;
beforeAll(async () => {
  setup = await startFailoverSetup();
}, 240_000);
afterAll(async () => {
  await setup.stop();
});

const WORKERS = 8;

test('every acknowledged create exists, exactly once, after a failover to the synchronous standby under load', async () => {
  const { pair, pool, service, vendor } = setup;
  /** The `ipay_reference` of each answered create, by the vendor's reference. */
  const acknowledged = new Map<string, string>();
  const refused = new Set<string>();
  const over = new AbortController();
  const create = async (reference: string): Promise<boolean> => {
    const params = { account: '0123', biller_name: 'tokens', merchant_reference: reference };
    const answer = await vendor.create(params);
    if (answer.status === 200) {
      acknowledged.set(reference, String(answer.body.msg['ipay_reference']));
      return true;
    }
    expect(answer.status, answer.text).toBe(503);
    refused.add(reference);
    return false;
  };
  const work = async (worker: number): Promise<void> => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      await create(`r-${worker}-${index}`);
    }
  };
  const workers = Array.from({ length: WORKERS }, async (_, worker) => await work(worker));
  await until('creates are acknowledged', () => acknowledged.size > 100);

  await pair.killPrimary();
  const before = new Map(acknowledged);
  await until('it says why it is not ready', async () => {
    const ready = await send(service.origin, { method: 'GET', path: '/health/ready' });
    return ready.status === 503 && ready.text.includes('the database cannot be reached');
  });
  await pair.promote();
  await until('creates are acknowledged again', () => acknowledged.size > before.size + 100);
  over.abort();
  await Promise.all(workers);

  // Vendors repeat what was not acknowledged.
  for (const reference of refused) {
    await until(`${reference} is accepted`, async () => await create(reference));
  }
  // A repeat of what was acknowledged gets the same payment.
  for (const [reference, first] of before) {
    await create(reference);
    expect(acknowledged.get(reference)).toBe(first);
  }
  const stored = await until('the new primary is read', async () => {
    const text = 'select merchant_reference from payments';
    return (await pool.query<{ merchant_reference: string }>(text)).rows;
  });
  const references = stored.map((row) => row.merchant_reference);
  expect(references.toSorted()).toEqual([...acknowledged.keys()].toSorted());
  expect((await checkLedger(pool)).violations).toEqual([]);
  // The service stopped sending, proved that nothing was lost, and continued by itself.
  expect(await listEvents(pool, 10)).toMatchObject([
    {
      action: 'released',
      actor: 'service',
      detail: { confirmed_by: [expect.stringContaining(String(service.pid))] },
    },
    { action: 'entered', actor: 'service', detail: { seems_complete: true } },
  ]);
}, 120_000);
