import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { addAccount } from '../../src/payments/receipts/administer.ts';
import { readAwaitedCents } from '../../src/payments/receipts/pushes-store.ts';
import { checkOpenPushes } from '../../src/payments/receipts/pushes.ts';
import { openSource } from '../../src/payments/receipts/sources.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { takeReversal } from '../../src/payments/receipts/reverse.ts';
import { findSource, setPulledUntil } from '../../src/payments/receipts/sources-store.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import {
  endTopUpRule,
  setTopUpRule,
  setVendorFloat,
} from '../../src/payments/vendor-floats/administer.ts';
import { listTopUps } from '../../src/payments/vendor-floats/read-rules.ts';
import type { TopUpRule } from '../../src/payments/vendor-floats/rule.ts';
import { readMoney } from '../../src/payments/vendor-floats/store.ts';
import { topUpFloats } from '../../src/payments/vendor-floats/top-up.ts';
import type { TopUpDeps } from '../../src/payments/vendor-floats/top-up.ts';
import { watchVendorFloats } from '../../src/payments/vendor-floats/watch.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { addDarajaSource, SOURCE, startProvider } from '../support/money-in.ts';
import type { Provider } from '../support/money-in.ts';
import { payOut } from '../support/payouts.ts';
import { until } from '../support/until.ts';
import { zoneAtNoon } from '../support/noon.ts';

// Vendors' floats: one event when a float becomes low, and top-ups by rules with limits, never two at once.

/**
 * The time of `new Date()` in a process whose clock is a day ahead. `Date.now()` stays: ids follow from it,
 * which only grow in a process, and other test files that it runs need today's.
 */
class DateOfTomorrow extends Date {
  constructor(...given: readonly [] | readonly [string | number | Date]) {
    super(given.length === 0 ? Date.now() + 86_400_000 : given[0]);
  }
}

/** The same in a process whose clock is a day behind. */
class DateOfYesterday extends Date {
  constructor(...given: readonly [] | readonly [string | number | Date]) {
    super(given.length === 0 ? Date.now() - 86_400_000 : given[0]);
  }
}

const PHONE = '254700000001';
const { signal } = new AbortController();
const log = pino({ level: 'silent' });
let database: TestDatabase;
let provider: Provider;
let running: InProcessService;
let pool: Pool;
let ownerPool: Pool;
let ledgerMac: Mac;
let source: OpenSource;
let deps: TopUpDeps;
beforeAll(async () => {
  database = await createServiceDatabase();
  provider = await startProvider();
  running = await startInProcess(database.url, {
    environment: { TRUSTED_PROXIES: '127.0.0.1', STRANGER_REQUESTS_PER_SECOND: '0' },
  });
  ({ pool } = running.service);
  ownerPool = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  const { sealing } = running;
  await addDarajaSource(pool, { origin: provider.origin, sealing });
  const { masterKeys } = sealing;
  ledgerMac = await openLedgerMac(pool, masterKeys);
  const row = await findSource(pool, SOURCE);
  const callbackBase = `${running.origin}/receipts`;
  const open = row && (await openSource({ pool, masterKeys, callbackBase, log }, row));
  if (open === undefined) throw new Error('the source cannot be used');
  source = open;
  await source.provider.register(signal);
  await until('the service knows the source', async () => {
    const answer = await fetch(source.provider.urls.validation, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    return answer.ok;
  });
  deps = {
    pool,
    directory: running.service.directory,
    source: (sourceCode) => (sourceCode === SOURCE ? source : undefined),
    wireTime: createWireTime(zoneAtNoon()),
    log,
  };
});
afterAll(async () => {
  const { violations } = await checkLedger(pool, { mac: ledgerMac });
  expect(violations).toEqual([]);
  await source.provider.close();
  await running.stop();
  await ownerPool.end();
  await provider.close();
  await database.drop();
});

let accounts = 0;

async function newVendor(): Promise<{ readonly vid: string; readonly vendorId: number }> {
  const { vid } = await running.addVendor();
  accounts += 1;
  await addAccount(
    { pool, ledgerMac },
    { sourceCode: SOURCE, account: `F${accounts}`, vid, by: 'Asha' },
  );
  const vendor = await findVendor(pool, vid);
  if (vendor === undefined) throw new Error('the vendor is gone');
  return { vid, vendorId: vendor.vendorId };
}

async function earn(vendorId: number, amountCents: bigint): Promise<void> {
  const collector = 'mpesa-in';
  const paidAt = new Date('2026-01-05T09:00:00Z');
  await collect(
    { pool, ledgerMac },
    { collector, reference: newId(), vendorId, amountCents, paidAt },
  );
}

const FUND: TopUpRule = { kind: 'fund', thresholdCents: 50_000n, pauseSeconds: 600 };
const PUSH: TopUpRule = {
  kind: 'push',
  thresholdCents: 50_000n,
  pauseSeconds: 600,
  targetCents: 100_000n,
  maximumCents: 60_000n,
  dailyCents: 100_000n,
  sourceCode: SOURCE,
  phone: PHONE,
};

const setRule = async (vendorId: number, terms: TopUpRule): Promise<string> =>
  await setTopUpRule(pool, { vendorId, terms, by: 'Asha' });

/** Makes the vendor's last top-up look as if it was this long ago. */
async function wait(vendorId: number, seconds: number): Promise<void> {
  await owner(`update top_ups set at = ${ago(seconds)} where vendor_id = ${vendorId}`);
}

/** SQL of a past time, in a form that a cluster accepts everywhere. */
function ago(seconds: number): string {
  return `'${new Date(Date.now() - seconds * 1_000).toISOString()}'`;
}

async function owner(sql: string): Promise<void> {
  await ownerPool.query(sql);
}

const actionsOf = async (vendorId: number): Promise<[string, bigint, string][]> =>
  (await listTopUps(pool, vendorId, 10))
    .toReversed()
    .map(({ kind, amountCents, state }) => [kind, amountCents, state]);

const floatOf = async (vendorId: number): Promise<bigint | undefined> =>
  (await readMoney(pool, [vendorId])).get(vendorId)?.floatCents;

describe('a standing order', () => {
  test('moves collected income while the float is low, and says who configured it', async () => {
    const { vendorId } = await newVendor();
    await earn(vendorId, 30_000n);
    await topUpFloats(deps, signal);
    expect(await floatOf(vendorId)).toBe(0n);
    await setRule(vendorId, FUND);
    await Promise.all([1, 2, 3].map(async () => await topUpFloats(deps, signal)));
    expect(await floatOf(vendorId)).toBe(30_000n);
    await earn(vendorId, 40_000n);
    await topUpFloats(deps, signal);
    expect(await floatOf(vendorId)).toBe(30_000n);
    await wait(vendorId, 600);
    await topUpFloats(deps, signal);
    await earn(vendorId, 5_000n);
    await wait(vendorId, 600);
    await topUpFloats(deps, signal);
    expect(await floatOf(vendorId)).toBe(70_000n);
    expect(await actionsOf(vendorId)).toEqual([
      ['fund', 30_000n, 'funded'],
      ['fund', 40_000n, 'funded'],
    ]);
    expect(await listTopUps(pool, vendorId, 1)).toMatchObject([{ setBy: 'Asha' }]);
    await endTopUpRule(pool, { vendorId, kind: 'fund', by: 'Baraka' });
    await topUpFloats(deps, signal);
    expect(await floatOf(vendorId)).toBe(70_000n);
  });

  test('moves nothing of a suspended vendor', async () => {
    const { vendorId } = await newVendor();
    await earn(vendorId, 30_000n);
    await setRule(vendorId, FUND);
    const directory = { vendorById: () => ({ suspended: true }) as never };
    await topUpFloats({ ...deps, directory }, signal);
    expect(await actionsOf(vendorId)).toEqual([]);
    await endTopUpRule(pool, { vendorId, kind: 'fund', by: 'Asha' });
  });
});

describe('a prompt', () => {
  test('asks for the missing amount within its limits, once, and its payment reaches the float', async () => {
    const { vendorId } = await newVendor();
    await expect(setRule(vendorId, PUSH)).rejects.toThrow('vendor top-up fund');
    await setRule(vendorId, FUND);
    await setRule(vendorId, PUSH);
    const refused = endTopUpRule(pool, { vendorId, kind: 'fund', by: 'Asha' });
    await expect(refused).rejects.toThrow('End push first');
    await Promise.all([1, 2, 3].map(async () => await topUpFloats(deps, signal)));
    // If the customer pays at once, one of the three has moved the money too.
    const pushes = (await actionsOf(vendorId)).filter(([kind]) => kind === 'push');
    expect(pushes).toEqual([['push', 60_000n, 'sent']]);
    await provider.moneyIn.later.quiet();
    await until('it is collected', async () => {
      const money = (await readMoney(pool, [vendorId])).get(vendorId);
      return money !== undefined && money.collectedCents + money.floatCents === 60_000n;
    });
    await topUpFloats(deps, signal);
    expect(await floatOf(vendorId)).toBe(60_000n);
    expect(await actionsOf(vendorId)).toHaveLength(2);
    // Spent again: the daily limit leaves 400.00.
    await owner(
      `update accounts set balance_cents = balance_cents - 60000 where vendor_id = ${vendorId} and account = 'float'`,
    );
    await topUpFloats(deps, signal);
    expect(await actionsOf(vendorId)).toHaveLength(2);
    await owner(`update receipt_pushes set state = 'paid' where vendor_id = ${vendorId}`);
    // A rule that is set again forgets neither the pause nor the day.
    await setRule(vendorId, PUSH);
    await topUpFloats(deps, signal);
    expect(await actionsOf(vendorId)).toHaveLength(2);
    await wait(vendorId, 600);
    await topUpFloats(deps, signal);
    expect((await actionsOf(vendorId)).slice(2)).toEqual([['push', 40_000n, 'sent']]);
    await owner(
      `update accounts set balance_cents = balance_cents + 60000 where vendor_id = ${vendorId} and account = 'float'`,
    );
    await provider.moneyIn.later.quiet();
    for (const kind of ['push', 'fund'] as const) {
      await endTopUpRule(pool, { vendorId, kind, by: 'Asha' });
    }
  });

  test('no prompt is sent while another one is open', async () => {
    const { vendorId } = await newVendor();
    await setRule(vendorId, FUND);
    await setRule(vendorId, { ...PUSH, phone: '254711009909' });
    await topUpFloats(deps, signal);
    await wait(vendorId, 660);
    await topUpFloats(deps, signal);
    const first = ['push', 60_000n, 'sent'];
    expect(await actionsOf(vendorId)).toEqual([first]);
    const { vendorId: other } = await newVendor();
    await setRule(other, FUND);
    await setRule(other, { ...PUSH, phone: '254711009909' });
    await topUpFloats(deps, signal);
    expect(await actionsOf(other)).toEqual([['push', 60_000n, 'refused']]);
    await owner(`update receipt_pushes set state = 'failed' where vendor_id = ${vendorId}`);
    // A process whose clock is a day ahead does not reset the daily limit.
    vi.stubGlobal('Date', DateOfTomorrow);
    await topUpFloats(deps, signal).finally(() => vi.unstubAllGlobals());
    expect(await actionsOf(vendorId)).toEqual([first, ['push', 40_000n, 'sent']]);
    for (const kind of ['push', 'fund'] as const) {
      await endTopUpRule(pool, { vendorId, kind, by: 'Asha' });
      await endTopUpRule(pool, { vendorId: other, kind, by: 'Asha' });
    }
  });

  test('no prompt is sent for expected money: prompted, or paid and not credited', async () => {
    const { vendorId } = await newVendor();
    const account = `F${accounts}`;
    await setRule(vendorId, FUND);
    await setRule(vendorId, { ...PUSH, phone: '254712009909' });
    await topUpFloats(deps, signal);
    const prompted = async (change: string): Promise<bigint> => {
      await owner(`update receipt_pushes set ${change} where vendor_id = ${vendorId}`);
      return await readAwaitedCents(pool, vendorId);
    };
    expect(await prompted(`state = 'failed'`)).toBe(0n);
    expect(await prompted(`state = 'paid'`)).toBe(60_000n);
    // Its result is unknown until a later pull does not list it.
    expect(await prompted(`state = 'unknown'`)).toBe(60_000n);
    await setPulledUntil(pool, SOURCE, new Date());
    expect(await prompted(`created_at = ${ago(3_500)}`)).toBe(60_000n);
    expect(await prompted(`created_at = ${ago(3_700)}`)).toBe(0n);
    expect(await prompted(`state = 'paid'`)).toBe(60_000n);
    const report = {
      ...{ issuer: 'mpesa', receipt: 'FLOAT00001', sourceCode: SOURCE, collector: 'mpesa-in' },
      ...{ account, payer: null, amountCents: 60_000n, paidAt: new Date() },
    };
    const receiving = { pool, ledgerMac, log };
    // It is paid, and waits for a second source.
    expect(await takeReport(receiving, { ...report, channel: 'confirmation' }, 1n)).toBe(
      'unconfirmed',
    );
    expect(await readAwaitedCents(pool, vendorId)).toBe(60_000n);
    await wait(vendorId, 3_700);
    await topUpFloats(deps, signal);
    expect(await actionsOf(vendorId)).toHaveLength(1);
    expect(await takeReport(receiving, { ...report, channel: 'pull' })).toBe('credited');
    expect(await readAwaitedCents(pool, vendorId)).toBe(0n);
    // Another vendor's receipt, and a returned one, are not expected.
    await takeReport(
      receiving,
      { ...report, receipt: 'FLOAT00002', account: 'F1', channel: 'confirmation' },
      1n,
    );
    await takeReversal(receiving, { ...report, receipt: 'FLOAT00003', channel: 'pull' });
    expect(await readAwaitedCents(pool, vendorId)).toBe(0n);
    for (const kind of ['push', 'fund'] as const) {
      await endTopUpRule(pool, { vendorId, kind, by: 'Asha' });
    }
  });

  test('no prompt is sent for money that is credited while the rule is applied', async () => {
    const { vendorId } = await newVendor();
    const account = `F${accounts}`;
    await setRule(vendorId, FUND);
    await setRule(vendorId, { ...PUSH, phone: '254713009909' });
    await topUpFloats(deps, signal);
    await owner(`update receipt_pushes set state = 'paid' where vendor_id = ${vendorId}`);
    await wait(vendorId, 660);
    const client = await ownerPool.connect();
    await client.query('begin');
    await client.query('lock table receipt_pushes in access exclusive mode');
    const applied = topUpFloats(deps, signal);
    await until('prompts are read', async () => {
      const waiting = await client.query(
        `select from pg_locks where relation = 'receipt_pushes'::regclass and not granted`,
      );
      return waiting.rowCount === 1;
    });
    const report = {
      ...{ issuer: 'mpesa', receipt: 'FLOAT00004', sourceCode: SOURCE, collector: 'mpesa-in' },
      ...{ account, payer: null, amountCents: 60_000n, paidAt: new Date() },
    };
    await takeReport({ pool, ledgerMac, log }, { ...report, channel: 'pull' });
    await client.query('commit');
    client.release();
    await applied;
    expect((await actionsOf(vendorId)).filter(([kind]) => kind === 'push')).toHaveLength(1);
    for (const kind of ['push', 'fund'] as const) {
      await endTopUpRule(pool, { vendorId, kind, by: 'Asha' });
    }
  });

  test.each<[string, Partial<TopUpRule>, string]>([
    ['a number that is not 12 digits', { phone: '0700000001' }, 'phone'],
    ['a target at the threshold', { targetCents: 50_000n }, 'target'],
    ['more than a prompt may ask for', { maximumCents: 30_000_000n }, 'max-amount'],
    ['a day below one prompt', { dailyCents: 59_999n }, 'max-per-day'],
    ['a pause in which a prompt may still be open', { pauseSeconds: 599 }, 'pause'],
    ['a source that does not exist', { sourceCode: 'nowhere' }, 'source'],
  ])('is refused with %s', async (_, change, field) => {
    const { vendorId } = await newVendor();
    await setRule(vendorId, FUND);
    const refused = setRule(vendorId, { ...PUSH, ...change });
    await expect(refused).rejects.toMatchObject({ field });
    await endTopUpRule(pool, { vendorId, kind: 'fund', by: 'Asha' });
  });
});

describe('open prompts', () => {
  const sources = { source: () => source };
  const stateOf = async (vendorId: number): Promise<string | undefined> => {
    const found = await pool.query<{ state: string }>(
      'select state from receipt_pushes where vendor_id = $1',
      [vendorId],
    );
    return found.rows[0]?.state;
  };

  test('open prompts are queried by the job, and unknown if no result is reported', async () => {
    const { vendorId } = await newVendor();
    const silent = await newVendor();
    for (const [vendor, phone] of [
      [vendorId, '254700009932'],
      [silent.vendorId, '254700009909'],
    ] as const) {
      await setRule(vendor, FUND);
      await setRule(vendor, { ...PUSH, phone });
    }
    await topUpFloats(deps, signal);
    await checkOpenPushes({ pool, sources, log }, signal);
    // The owner of the phone still has time to answer.
    expect(await stateOf(vendorId)).toBe('sent');
    await owner(`update receipt_pushes set created_at = ${ago(60)}`);
    await checkOpenPushes({ pool, sources, log }, signal);
    expect(await stateOf(vendorId)).toBe('failed');
    expect(await stateOf(silent.vendorId)).toBe('sent');
    await owner(`update receipt_pushes set created_at = ${ago(601)}`);
    await checkOpenPushes({ pool, sources, log }, signal);
    expect(await stateOf(silent.vendorId)).toBe('unknown');
  });
});

test('any process with the role jobs applies the rules', async () => {
  const { vendorId } = await newVendor();
  await earn(vendorId, 30_000n);
  await setRule(vendorId, FUND);
  const jobs = await startInProcess(database.url, { environment: { ROLES: 'jobs' } });
  await until('it is funded', async () => (await floatOf(vendorId)) === 30_000n);
  await jobs.stop();
  await endTopUpRule(pool, { vendorId, kind: 'fund', by: 'Asha' });
});

describe('a low float', () => {
  async function eventsOf(vendorId: number): Promise<unknown[]> {
    const read = await pool.query<{ type: string; details: object }>(
      'select type, details from events where vendor_id = $1 order by occurred_at, event_id',
      [vendorId],
    );
    return read.rows.map(({ type, details }) => [type, details]);
  }

  test('causes one event when it is crossed, and one when the float has recovered', async () => {
    const { vid, vendorId } = await newVendor();
    await owner(
      `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
       values (bucket_of(${vendorId}), ${vendorId}, 'http://127.0.0.1:9', true, now())`,
    );
    await setVendorFloat(pool, { vendorId, lowCents: 50_000n, by: 'Asha' });
    await Promise.all([1, 2, 3].map(async () => await watchVendorFloats({ pool, log })));
    await watchVendorFloats({ pool, log });
    const low = { float: 0, low: 500, hours_left: 0 };
    expect(await eventsOf(vendorId)).toEqual([['float.low', low]]);
    await earn(vendorId, 70_000n);
    const client = running.service.directory.vendorById(vendorId);
    expect(client?.vid).toBe(vid);
    await setRule(vendorId, FUND);
    await topUpFloats(deps, signal);
    await watchVendorFloats({ pool, log });
    await watchVendorFloats({ pool, log });
    expect(await eventsOf(vendorId)).toEqual([
      ['float.low', low],
      ['float.recovered', { float: 700, low: 500, hours_left: null }],
    ]);
    await setVendorFloat(pool, { vendorId, lowCents: null, by: 'Asha' });
    await watchVendorFloats({ pool, log });
    expect(await eventsOf(vendorId)).toHaveLength(2);
  });

  test('has not recovered when its limit is removed', async () => {
    const { vendorId } = await newVendor();
    await owner(
      `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
       values (bucket_of(${vendorId}), ${vendorId}, 'http://127.0.0.1:9', true, now())`,
    );
    const low = ['float.low', { float: 0, low: 500, hours_left: 0 }];
    for (const [lowCents, events] of [
      [50_000n, [low]],
      [null, [low]],
      [50_000n, [low, low]],
    ] as const) {
      await setVendorFloat(pool, { vendorId, lowCents, by: 'Asha' });
      await watchVendorFloats({ pool, log });
      expect(await eventsOf(vendorId)).toEqual(events);
    }
  });

  test('has the database’s time, so that followers do not skip it', async () => {
    const { vendorId } = await newVendor();
    await owner(
      `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
       values (bucket_of(${vendorId}), ${vendorId}, 'http://127.0.0.1:9', true, now())`,
    );
    await setVendorFloat(pool, { vendorId, lowCents: 50_000n, by: 'Asha' });
    const before = await pool.query<{ at: Date }>('select now() as at');
    // In a process whose clock is behind.
    vi.stubGlobal('Date', DateOfYesterday);
    await watchVendorFloats({ pool, log }).finally(() => vi.unstubAllGlobals());
    const read = await pool.query<{ at: Date }>(
      'select occurred_at as at from events where vendor_id = $1',
      [vendorId],
    );
    expect(Number(read.rows[0]?.at)).toBeGreaterThanOrEqual(Number(before.rows[0]?.at));
  });

  test('a low float is forecast from what the vendor’s payments cost, not from top-ups', async () => {
    const { vendorId } = await newVendor();
    await setVendorFloat(pool, { vendorId, lowCents: 1n, by: 'Asha' });
    await watchVendorFloats({ pool, log });
    const spend = async (cents: number): Promise<void> =>
      await owner(
        `update accounts set balance_cents = balance_cents
           + (${cents}) * case account when 'float' then -1 else 1 end
         where vendor_id = ${vendorId} and account in ('float', 'fees')`,
      );
    await earn(vendorId, 20_000n);
    await setRule(vendorId, FUND);
    await topUpFloats(deps, signal);
    await watchVendorFloats({ pool, log });
    await spend(3_000);
    await watchVendorFloats({ pool, log });
    await spend(-1_000);
    await watchVendorFloats({ pool, log });
    const hours = await pool.query<{ spent: bigint }>(
      'select sum(spent_cents)::bigint as spent from vendor_float_hours where vendor_id = $1',
      [vendorId],
    );
    expect(hours.rows).toEqual([{ spent: 3_000n }]);
    await spend(-2_000);
  });

  test('payouts do not count in the forecast of a low float', async () => {
    const { vendorId } = await newVendor();
    await earn(vendorId, 20_000n);
    const before = (await readMoney(pool, [vendorId])).get(vendorId)?.paidOutCents;
    await payOut({ pool, ledgerMac }, { vendorId, amountCents: 20_000n }, newId());
    expect((await readMoney(pool, [vendorId])).get(vendorId)).toMatchObject({
      collectedCents: 0n,
      paidOutCents: before,
    });
  });
});
