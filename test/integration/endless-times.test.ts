import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillConsole } from '../../bench/console-fill.ts';
import { consolePaths } from '../../bench/console-paths.ts';
import type { ConsoleSamples } from '../../bench/console-paths.ts';
import { fillFloats, insertVendors } from '../../bench/store.ts';
import { DEMO_PEOPLE } from '../../sandbox/data.ts';
import { definedRoutes } from '../support/defined-routes.ts';
import { isAllowed } from '../../src/parties/people/permissions.ts';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { create, outcomeOf, startDispatch } from '../support/dispatch-fixture.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { openBooks, OPERATOR } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, paid } from '../support/scripted-connector.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// Whoever can write to the database may set a time to `infinity`, which is no time in JavaScript. The row shows it,
// and nothing else is lost.

const TIMES = ['infinity', '-infinity'] as const;

/** For each table: all times of one row that has not been changed. Reading people's sessions would sign them out. */
const CHANGES = `select t.relname as name, format('update %I set %s where ctid = (
      select ctid from %I where not to_jsonb(%I)::text like ''%%infinity%%'' limit 1)', t.relname,
    string_agg(format('%I = case when %I is not null then %L::timestamptz end', a.attname, a.attname, $1::text), ', '),
    t.relname, t.relname) as change
  from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and a.atttypid = 'timestamptz'::regtype
    and t.relname <> 'sessions'
  group by t.relname order by t.relname`;

/** Returns the tables that refused it. */
async function changeTimes(owner: Pool, time: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string; change: string }>(CHANGES, [time]);
  const refused: string[] = [];
  for (const { name, change } of rows) {
    await owner.query(`alter table ${name} disable trigger user`);
    await owner.query(change).catch(() => refused.push(name));
  }
  return refused;
}

describe('a service with times that never come', () => {
  let database: TestDatabase;
  let running: InProcessService;
  let samples: ConsoleSamples;
  let owner: Pool;
  const readers = new Map<(typeof DEMO_PEOPLE)[number]['role'], ConsoleClient>();

  beforeAll(async () => {
    database = await createServiceDatabase();
    running = await startInProcess(database.url, {
      environment: { CONSOLE_READS_PER_SECOND: '0', CONSOLE_CHANGES_PER_SECOND: '0' },
    });
    owner = createPool({ url: database.ownerUrl, max: 1, name: 'test owner' });
    await insertVendors(owner, 12);
    await fillFloats(owner, 100_000_000_000n);
    samples = await fillConsole(owner, {
      ...{ payments: 400, logRows: 40, quietVid: 'bench-00002' },
      log: () => {},
    });
    await running.service.directory.reload();
    for (const { login, role } of DEMO_PEOPLE) {
      readers.set(role, await signedIn(running.origin, login));
    }
  });
  afterAll(async () => {
    await owner.end();
    await running.stop();
    await database.drop();
  });

  test.each(TIMES)('shows every page, list and file (%s)', async (time) => {
    expect(await changeTimes(owner, time)).toEqual(expect.arrayContaining(['people']));
    for (const { path: page, body, route } of consolePaths(await definedRoutes(), samples)) {
      const [, reader] = [...readers].find(([role]) => isAllowed(role, route.of.permission)) ?? [];
      const answer =
        body === undefined ? await reader?.get(page) : await reader?.send('POST', page, body);
      expect(answer?.status, `${page}: ${answer?.text}`).toBe(200);
    }
  });

  test('programs of a vendor still read its other payments and movements', async () => {
    const vendor = running.demo();
    await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
    for (let number = 1; number <= 4; number += 1) {
      await vendor.call('create', {
        ...{ biller_name: 'kplc_prepaid', amount: '100', account: `1423456${number}0000` },
        ...{ phone: '0722000001', merchant_reference: `order-${number}` },
      });
    }
    const { rows } = await owner.query<{ vendorId: number }>(
      `select vendor_id as "vendorId" from vendors where vid = 'demo'`,
    );
    for (const [n, time] of TIMES.entries()) {
      await owner.query('update payments set created_at = $1 where merchant_reference = $2', [
        time,
        `order-${n + 1}`,
      ]);
      for (const table of ['transfers', 'fund_movements', 'events', 'request_log']) {
        const column = { events: 'occurred_at', request_log: 'at' }[table] ?? 'created_at';
        await owner.query(
          `update ${table} set ${column} = $1 where ctid = (
             select ctid from ${table} where vendor_id = $2 and isfinite(${column}) limit 1)`,
          [time, rows[0]?.vendorId],
        );
      }
    }
    const program = new SelfServiceClient(running.origin, { vid: 'demo', key: vendor.key });
    const references = (await program.all('listPayments')).map((one) => one['merchant_reference']);
    expect(references).toEqual(expect.arrayContaining(['order-4', 'order-3']));
    for (const list of ['getStatement', 'listEvents', 'listRequests', 'listEnquiries']) {
      await program.all(list);
    }
    const file = await program.send('exportPayments');
    expect(file.text).toContain('order-4');
    expect((await program.send('exportStatement')).status).toBe(200);
  });
});

describe('with times of a payment that never come', () => {
  test.each(TIMES)(
    'others are paid and archived, and the check shows one in the future (%s)',
    async (time) => {
      const books = await openBooks();
      const folder = await makeTemporaryFolder();
      const vendorId = await books.addVendor(1_000_000n);
      const changed = newPayment({ vendorId });
      const other = newPayment({ vendorId });
      await create(books, [changed, other]);
      for (const set of ['payments set created_at', 'dispatch_queue set due_at']) {
        await books.owner.query(`alter table ${set.replace(/ .*/, '')} disable trigger user`);
        await books.owner.query(`update ${set} = $1 where payment_id = $2`, [
          time,
          changed.paymentId,
        ]);
      }
      const operator = createScriptedConnector({ pay: paid });
      const dispatch = await startDispatch(books, { connectors: { [OPERATOR]: operator } });
      expect(await outcomeOf(books, other)).toBe('success');
      await dispatch.stop();
      const before = new Date(Date.now() + 1_000);
      const archived = await archivePayments(books.owner, {
        vendorIds: [vendorId],
        before,
        folder,
      });
      expect(archived.files).toBe(1);
      // A payment's row has no code. A time before everything is none that the check could know to be wrong.
      const { violations } = await checkLedger(books.pool);
      const shown = violations.map(({ invariant }) => invariant);
      expect(shown).toEqual(time === 'infinity' ? ['nothing_in_future'] : []);
      await books.close();
      await removeFolder(folder);
    },
  );
});
