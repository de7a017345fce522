import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MarginAnswer } from '../../src/staff/reports.ts';
import { checkLedger, checkRows } from '../../src/payments/audit/check.ts';
import { completeSums, extendSums } from '../../src/payments/ledger/sums.ts';
import { readSummedUntil } from '../../src/payments/ledger/sums-store.ts';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../../src/payments/reports/statement.ts';
import type { StatementCursor, StatementPage } from '../../src/payments/reports/statement.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { BUSY_VENDOR, fillUsedMonths } from '../support/used-months.ts';

// Reports say the same whether they read sums or transfers, and `ledger check` proves the sums.

let database: TestDatabase;
let owner: Pool;
let running: InProcessService;
let finance: ConsoleClient;

const timeZone = zoneAtNoon();
const wireTime = createWireTime(timeZone);
const dayAgo = (days: number): string =>
  wireTime.format(new Date(Date.now() - days * DAY_MS)).slice(0, 10);

const REPORTS = [
  ...['/ledger', '/ledger/vendors/float', '/ledger/vendors/operator:kplc'].flatMap((path) => [
    `${path}?from=${dayAgo(90)}`,
    `${path}?from=${dayAgo(60)}&to=${dayAgo(31)}`,
    `${path}?from=${dayAgo(60)}&vid=${BUSY_VENDOR}`,
  ]),
  ...['biller', 'operator', 'vendor', 'day'].flatMap((by) => [
    `/margin?from=${dayAgo(90)}&by=${by}`,
    `/margin?from=${dayAgo(60)}&to=${dayAgo(31)}&by=${by}`,
  ]),
  ...[0, 31, 62].map((days) => `/vat?month=${dayAgo(days).slice(0, 7)}`),
  ...[`/vendors/${BUSY_VENDOR}/account-statement`, '/operators/kplc/account-statement'].flatMap(
    (path) => [
      `${path}?from=${dayAgo(80)}&to=${dayAgo(1)}`,
      `${path}?from=${dayAgo(60)}&to=${dayAgo(31)}`,
    ],
  ),
  ...[2, 45].map((days) => `/days/${dayAgo(days)}`),
];

async function readAll(): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const path of REPORTS) {
    const { status, body } = await finance.get(path);
    expect(status, path).toBe(200);
    // How far a page of transfers gets depends on how busy the machine is.
    const { entries: _, next: __, ...sums } = body;
    if (path.includes('/statement') && Array.isArray(sums['lines'])) sums['lines'].length = 1;
    answers[path] = sums;
  }
  return answers;
}

type SumsCount = Record<'hours' | 'vendorHours' | 'days' | 'weeks' | 'pairs', number>;

/** @param until counts what ended before this time. */
async function countSums(until: Date): Promise<SumsCount> {
  const counted = await owner.query<SumsCount>(
    `select h.hours, h.pairs,
       (select count(*)::integer from transfer_vendor_hours where hour < $1) as "vendorHours",
       (select count(*)::integer from transfer_days where day < date_trunc('day', $1, 'UTC')) as days,
       (select count(*)::integer from transfer_weeks where week < date_trunc('week', $1, 'UTC')) as weeks
     from (select count(*)::integer as hours, sum(count)::integer as pairs
       from transfer_hours where hour < $1) h`,
    [until],
  );
  return counted.rows[0] ?? { hours: 0, vendorHours: 0, days: 0, weeks: 0, pairs: 0 };
}

/** Up to when transfers are summed. */
async function summedUntil(): Promise<Date> {
  return (await readSummedUntil(owner)) ?? new Date(0);
}

/** As if nothing had been summed. */
async function removeSums(): Promise<void> {
  for (const table of [
    'transfer_hours',
    'transfer_vendor_hours',
    'transfer_days',
    'transfer_weeks',
  ]) {
    await owner.query(`truncate ${table}`);
  }
  await owner.query(`update transfer_sums set until = '-infinity'`);
}

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, { environment: { TIME_ZONE: timeZone } });
  owner = createPool({ url: database.ownerUrl, max: 2, name: 'test owner' });
  await fillUsedMonths(owner, 2_000);
  await running.service.directory.reload();
  finance = new ConsoleClient(running.origin);
  await finance.signIn('finance');
});
afterAll(async () => {
  await running.stop();
  await owner.end();
  await database.drop();
});

test('every report is the same before and after its sums', { timeout: 120_000 }, async () => {
  const fromTransfers = await readAll();
  await completeSums(running.service.pool);
  const { hours, vendorHours, days, weeks, pairs } = await countSums(await summedUntil());
  expect(Math.min(hours, vendorHours, days)).toBeGreaterThan(100);
  expect(days).toBeLessThan(vendorHours);
  expect(weeks).toBeGreaterThan(50);
  expect(weeks).toBeLessThan(days);
  expect(pairs).toBeGreaterThan(100);
  expect(await readAll()).toEqual(fromTransfers);
});

test('a report by vendor reads whole weeks, and days and hours at both ends', async () => {
  const byVendor = `/margin?from=${dayAgo(80)}&by=vendor`;
  const total = async (): Promise<string> =>
    (await finance.read<MarginAnswer>(byVendor)).total.amount;
  const whole = await total();
  const changed = async (table: string): Promise<void> =>
    void (await owner.query(`update ${table} set amount_cents = amount_cents + 100`));
  await changed('transfer_weeks');
  const withWeeks = await total();
  expect(withWeeks).not.toBe(whole);
  await changed('transfer_days');
  const withDays = await total();
  expect(withDays).not.toBe(withWeeks);
  await changed('transfer_vendor_hours');
  expect(await total()).not.toBe(withDays);
  for (const table of ['transfer_weeks', 'transfer_days', 'transfer_vendor_hours']) {
    await owner.query(`update ${table} set amount_cents = amount_cents - 100`);
  }
  expect(await total()).toBe(whole);
});

test('a statement that passes over hours without transfers has every line', async () => {
  const { pool } = running.service;
  const sparse = await owner.query<{ vendorId: number; count: number }>(
    `select vendor_id as "vendorId", count(*)::integer as count from transfers where vendor_id > 0
     group by 1 order by 2, 1 limit 1`,
  );
  const [{ vendorId, count } = { vendorId: 0, count: 0 }] = sparse.rows;
  const of = { kind: 'vendor', vendorId, withOwnTerms: true } as const;
  const period = { from: new Date(Date.now() - 400 * DAY_MS), to: new Date(Date.now() + 1) };
  const readLines = async (): Promise<string[]> => {
    const head = await readStatementHead(pool, of, period);
    const lines: string[] = [];
    for (let after: StatementCursor | null = firstCursor(head); after !== null;) {
      const page: StatementPage = await readStatementPage(pool, of, {
        ...{ after, to: head.to, limit: 7 },
      });
      lines.push(...page.lines.map(({ sourceId, leg }) => `${sourceId} ${leg}`));
      after = page.next;
    }
    return lines;
  };
  const withSums = await readLines();
  expect(withSums).toHaveLength(count);
  await removeSums();
  expect(await readLines()).toEqual(withSums);
  await completeSums(pool);
});

// It needs a second database.
test.skipIf(CITUS_URL !== undefined)(
  'a week is summed even if it ended in days without transfers',
  async () => {
    const other = await createTestDatabase();
    const pool = createPool({ url: other.ownerUrl, max: 2, name: 'test owner' });
    try {
      await pool.query(
        `insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
         amount_cents, created_at)
       select bucket_of(1), 1, gen_random_uuid(), 1, 'float', 'reserved', 100, at::timestamptz
       from unnest($1::text[]) as at`,
        [['2020-01-08T10:00:00Z', '2020-01-21T10:00:00Z', '2020-02-05T10:00:00Z']],
      );
      await completeSums(pool);
      const weeks = await pool.query<{ week: Date }>('select week from transfer_weeks order by 1');
      expect(weeks.rows.map(({ week }) => week.toISOString().slice(0, 10))).toEqual([
        '2020-01-06',
        '2020-01-20',
      ]);
    } finally {
      await pool.end();
      await other.drop();
    }
  },
);

test('reports read the sums, and ledger check proves them', async () => {
  const before = (await finance.get(REPORTS[0] ?? '')).body['total'];
  await owner.query(
    `update transfer_hours set amount_cents = amount_cents + 100
     where ctid = (select ctid from transfer_hours order by hour desc offset 50 limit 1)`,
  );
  expect((await finance.get(REPORTS[0] ?? '')).body['total']).not.toEqual(before);
  const { violations } = await checkLedger(running.service.pool);
  expect(violations.map(({ invariant }) => invariant)).toEqual(['hours_equal_transfers']);
  await removeSums();
  await completeSums(running.service.pool);
});

describe('ledger check', () => {
  test('finds nothing wrong with the sums that were made', async () => {
    expect((await checkLedger(running.service.pool)).violations).toEqual([]);
  });

  test.each([
    ['hours', 'changed', 'update transfer_hours set payments = payments - 1 where payments > 0'],
    ['hours', 'removed', 'delete from transfer_hours'],
    [
      'hours',
      'added',
      `insert into transfer_hours (hour, count, payments, amount_cents, is_own, biller_code, operator_code,
         debit_account, credit_account)
       values (now() - interval '1 year', 1, 0, 5, false, '', '', 'float', 'reserved')`,
    ],
    ['vendor_hours', 'changed', 'update transfer_vendor_hours set count = count + 1'],
    ['vendor_hours', 'removed', 'delete from transfer_vendor_hours'],
    ['days', 'changed', 'update transfer_days set amount_cents = amount_cents + 1'],
    ['days', 'removed', 'delete from transfer_days'],
    ['weeks', 'changed', 'update transfer_weeks set payments = payments - 1 where payments > 0'],
    ['weeks', 'removed', 'delete from transfer_weeks'],
  ])('finds sums of %s that were %s', async (unit, _, tamper) => {
    const client = await owner.connect();
    try {
      await client.query('begin');
      await client.query(tamper);
      const { violations } = await checkRows(client);
      const found = new Set(violations.map(({ invariant }) => invariant));
      // Hours that are wrong are not those of their days either, nor such days those of their weeks.
      if (unit === 'vendor_hours') found.delete('days_equal_hours');
      if (unit === 'days') found.delete('weeks_equal_days');
      const of = { days: 'hours', weeks: 'days' }[unit] ?? 'transfers';
      expect([...found]).toEqual([`${unit}_equal_${of}`]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

test('ledger check finds sums that are said to reach further than they do', async () => {
  const client = await owner.connect();
  try {
    await client.query('begin');
    // One that is not summed, also if everything before has been. The check reads times in milliseconds.
    await client.query(
      `insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
         amount_cents, created_at)
       select bucket, vendor_id, gen_random_uuid(), leg, debit_account, credit_account, amount_cents,
         now() - interval '1 millisecond' from transfers where vendor_id > 0 limit 1`,
    );
    await client.query('update transfer_sums set until = now()');
    const { violations } = await checkRows(client);
    const found = new Set(violations.map(({ invariant }) => invariant));
    expect(found).toContain('vendor_hours_equal_transfers');
    expect(found).toContain('hours_equal_transfers');
  } finally {
    await client.query('rollback');
    client.release();
  }
});

// It needs another role.
test.skipIf(CITUS_URL !== undefined)(
  'nothing is summed while it is not known when a database transaction began',
  async () => {
    const client = await owner.connect();
    // Meanwhile another hour may end.
    const until = await summedUntil();
    const before = await countSums(until);
    await removeSums();
    try {
      // The service may not see when a database transaction of another role began.
      await client.query('begin');
      await client.query('select from vendors');
      expect(await extendSums(running.service.pool)).toBeUndefined();
    } finally {
      await client.query('rollback');
      client.release();
    }
    await completeSums(running.service.pool);
    expect(await countSums(until)).toEqual(before);
  },
);

// It needs another role.
test.skipIf(CITUS_URL !== undefined)(
  'sums are completed although another role runs a short command meanwhile',
  async () => {
    const client = await owner.connect();
    await removeSums();
    await client.query('begin');
    await client.query('select from vendors');
    let looks = 0;
    const pool = {
      connect: async () => {
        looks += 1;
        if (looks === 2) await client.query('rollback');
        return await running.service.pool.connect();
      },
    } as Pool;
    try {
      await completeSums(pool);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await countSums(await summedUntil())).weeks).toBeGreaterThan(50);
  },
);
