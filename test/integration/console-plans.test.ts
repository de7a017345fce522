import { Client } from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { fillConsole } from '../../bench/console-fill.ts';
import { consolePaths } from '../../bench/console-paths.ts';
import type { ConsoleSamples, MeasuredPath } from '../../bench/console-paths.ts';
import { fillFloats, insertVendors } from '../../bench/store.ts';
import { DEMO_PEOPLE } from '../../sandbox/data.ts';
import { isAllowed } from '../../src/parties/people/permissions.ts';
import { definedRoutes } from '../support/defined-routes.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { scansOf } from '../support/plans.ts';
import type { Scan } from '../support/plans.ts';

// Whatever the console lists, finds or charts, it reads by an index: with any number of payments behind,
// a page does not read all of a table.

/**
 * Tables that grow with the payments, and with the requests of vendors and people. Without archived payments
 * and rows of statements: here they are so few that one index is as good as another. `plans.test.ts` has them.
 */
const GROWING = new Set([
  'payments',
  'transfers',
  'transfer_hours',
  'transfer_vendor_hours',
  'transfer_days',
  'transfer_weeks',
  'events',
  'collections',
  'fund_movements',
  'request_log',
  'audit_log',
  'audit_results',
]);

const VENDORS = 12;
const PAYMENTS = 2_000;
const LOG_ROWS = 500;

const running = useService({
  environment: { CONSOLE_READS_PER_SECOND: '0', CONSOLE_CHANGES_PER_SECOND: '0' },
});
let samples: ConsoleSamples;
const readers = new Map<string, ConsoleClient>();

beforeAll(async () => {
  const owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'test owner' });
  await insertVendors(owner, VENDORS);
  await fillFloats(owner, 100_000_000_000n);
  samples = await fillConsole(owner, {
    ...{ payments: PAYMENTS, logRows: LOG_ROWS, quietVid: 'bench-00002' },
    log: () => {},
  });
  await owner.end();
  await running.service.directory.reload();
  for (const { login, role } of DEMO_PEOPLE) {
    readers.set(role, await signedIn(running.origin, login));
  }
});

interface Sent {
  readonly path: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Each statement that a path sends to the database, with the first values. */
async function statementsOf(paths: readonly MeasuredPath[]): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  const query = vi.spyOn(Client.prototype, 'query');
  for (const { path, body, route } of paths) {
    query.mockClear();
    const reader = [...readers].find(([role]) => isAllowed(role as Role, route.of.permission))?.[1];
    if (reader === undefined) throw new Error(`nobody may read ${path}`);
    const { status } =
      body === undefined ? await reader.get(path) : await reader.send('POST', path, body);
    expect(status, path).toBeLessThan(300);
    for (const [given, values] of query.mock.calls as unknown as [unknown, unknown][]) {
      const { text, values: own } = (
        typeof given === 'string' ? { text: given, values } : given
      ) as { text: string; values?: unknown };
      if (!/^\s*(with|select)\b/i.test(text)) continue;
      // A period without an end is another statement than one with it.
      const key = `${path.replace(/\?.*/, '')} ${text}`;
      if (!sent.has(key)) sent.set(key, { path, text, values: (own ?? []) as unknown[] });
    }
  }
  query.mockRestore();
  return [...sent.values()];
}

type Role = Parameters<typeof isAllowed>[0];

/** Whether it reads a part of the table only. From -infinity to infinity is no part. */
function isBounded({ conditions, isLimited }: Scan): boolean {
  return isLimited || conditions.some((text) => text.split(' AND ').some(isRestricting));
}

const isRestricting = (condition: string): boolean => !condition.includes('infinity');

test(
  'every list, search and chart reads growing tables by an index',
  { timeout: 180_000 },
  async () => {
    const paths = consolePaths(await definedRoutes(), samples);
    expect(paths.length).toBeGreaterThan(100);
    const statements = await statementsOf(paths);
    expect(statements.length).toBeGreaterThan(100);
    const client = new Client({ connectionString: running.database.ownerUrl });
    await client.connect();
    // Small tables are read as a whole otherwise; a table without a suitable index still is.
    for (const way of ['seqscan', 'hashjoin', 'mergejoin']) {
      await client.query(`set enable_${way} = off`);
    }
    const faults = new Set<string>();
    for (const { path, text, values } of statements) {
      const scans = await scansOf(client, text, values);
      for (const scan of scans.filter(({ table }) => GROWING.has(table))) {
        if (!isBounded(scan)) faults.add(`${path}: all of ${scan.table} in ${text.slice(0, 120)}`);
      }
    }
    await client.end();
    expect([...faults].toSorted()).toEqual([]);
  },
);
