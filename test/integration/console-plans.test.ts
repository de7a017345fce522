import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { consolePaths } from '../../bench/console-paths.ts';
import { sampleCase, samplePayment } from '../../bench/console-store.ts';
import { DEMO_PEOPLE } from '../../sandbox/data.ts';
import { isAllowed } from '../../src/console/permissions.ts';
import { consoleRoutes } from '../../src/console/routes/routes.ts';
import type { RoutesOptions } from '../../src/console/routes/routes.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { completeSums } from '../../src/payments/ledger/sums.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { encodeReference } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { scansOf } from '../support/plans.ts';
import { BUSY_VENDOR, fillUsedMonths, fillUsedPages } from '../support/used-months.ts';

// No page of the console reads a whole large table, whatever it is asked for.

/** Tables with rows for every payment, request or action. */
const LARGE =
  /^(payments|archived_payments|transfers|transfer_days|ledger_blocks|collections|fund_movements|unexecuted_attempts|events|request_log|audit_log|audit_results|statement_rows|receipts|receipt_reports|receipt_events|day_totals|enquiries|account_states|credit_accounts|subjects|subject_documents)$/;

/** Statements that read one anyway, by path without query and table: why that is acceptable. */
const ACCEPTED: Readonly<Record<string, string>> = {};

let database: TestDatabase;
let owner: Pool;
let running: InProcessService;
let planner: Client;
const people = new Map<string, ConsoleClient>();

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

beforeAll(async () => {
  database = await createTestDatabase();
  running = await startInProcess(database.url, {
    environment: { CONSOLE_READS_PER_SECOND: '0', CONSOLE_CHANGES_PER_SECOND: '0' },
  });
  owner = createPool({ url: database.ownerUrl, max: 1, name: 'test owner' });
  await fillUsedMonths(owner, 1_500);
  await fillUsedPages(owner);
  await completeSums(owner);
  await running.service.directory.reload();
  for (const { login } of DEMO_PEOPLE) {
    const client = new ConsoleClient(running.origin);
    await client.signIn(login);
    people.set(login, client);
  }
  planner = new Client({ connectionString: database.ownerUrl });
  await planner.connect();
});
afterAll(async () => {
  await planner.end();
  await running.stop();
  await owner.end();
  await database.drop();
});

/** The statements of the service while something runs. */
async function recorded(work: () => Promise<void>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    await work();
    for (const [first, second] of query.mock.calls as readonly unknown[][]) {
      const named = typeof first === 'object' && first !== null ? (first as Partial<Sent>) : {};
      const text = typeof first === 'string' ? first : (named.text ?? '');
      const values = named.values ?? (Array.isArray(second) ? (second as unknown[]) : []);
      if (/^\s*(with|select)\b/i.test(text)) sent.push({ text, values });
    }
  } finally {
    query.mockRestore();
  }
  return sent;
}

async function pathsToRead() {
  const { vendorId, paymentId, ...searched } = await samplePayment(owner);
  const wireTime = createWireTime('Africa/Nairobi');
  return consolePaths(consoleRoutes({} as RoutesOptions), {
    ...searched,
    busyVid: BUSY_VENDOR,
    quietVid: 'bench-00005',
    reference: encodeReference(vendorId, paymentId),
    caseId: await sampleCase(owner),
    statementId: '00000000-0000-0000-0000-000000000000',
    scorecard: 'malipo-mobile@1',
    dayAgo: (days) => wireTime.format(new Date(Date.now() - days * DAY_MS)).slice(0, 10),
  });
}

test('the rows that the bench writes are consistent', async () => {
  expect((await checkLedger(running.service.pool)).violations).toEqual([]);
});

test('every list, search and chart finds its rows by an index', { timeout: 120_000 }, async () => {
  const seen = new Set<string>();
  const faults = new Map<string, string>();
  // Where an index can be used it is, although the tables are small.
  await planner.query('set enable_seqscan = off');
  for (const { path, route } of await pathsToRead()) {
    const reader = DEMO_PEOPLE.find(({ role }) => isAllowed(role, route.permission));
    const sent = await recorded(async () => {
      const { status, text } = (await people.get(reader?.login ?? '')?.get(path)) ?? {};
      expect([200, 404], `${path}: ${text}`).toContain(status);
    });
    for (const { text, values } of sent) {
      const key = `${text} ${values.map((value) => value === null).join(' ')}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const { table, columns } of await scansOf(planner, text, values)) {
        if (!LARGE.test(table) || columns.length > 0) continue;
        faults.set(`${route.path} ${table}`, `${path}: ${text}`);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(100);
  const found = [...faults].filter(([name]) => ACCEPTED[name] === undefined);
  expect(Object.fromEntries(found)).toEqual({});
  expect(Object.keys(ACCEPTED).filter((name) => !faults.has(name))).toEqual([]);
});
