import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statementTable } from '../../src/payments/reports/statement-table.ts';
import type { ReadPart } from '../../src/platform/base/long-reads.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { SelfServiceClient, refusalIn } from '../support/self-service-client.ts';
import { encode, send, signed } from '../support/vendor-client.ts';
import { until } from '../support/until.ts';
import { countWaitingFor } from '../support/waiting.ts';

// Somebody who asks for more than others does not delay them.

const running = useService({
  environment: { SELF_SERVICE_REQUESTS_PER_SECOND: '0', CONSOLE_READS_PER_SECOND: '0' },
});
let owner: Pool;
let person: SignedIn;
beforeAll(async () => {
  owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'test' });
  person = await signInAll(running.origin, ['demo-admin', 'demo-viewer', 'finance', 'support']);
});
afterAll(async () => {
  await owner.end();
});

const ALL_OF_A_NAME = 1 + LIMITS.longReadsWaiting;

interface Locked {
  /** Waits for a number of reads that wait for the lock. */
  readonly waiting: (count: number) => Promise<void>;
  /** Waits for a condition. PostgreSQL ends a database transaction that does nothing meanwhile. */
  readonly waitFor: (what: string, isMet: () => boolean) => Promise<void>;
}

/** Nothing can be read from the table before this ends. */
async function whileLocked<Result>(
  table: 'transfers' | 'payments' | 'events' | 'request_log' | 'batches',
  work: (locked: Locked) => Promise<Result>,
): Promise<Result> {
  return await databaseTransaction(owner, async (db) => {
    await db.query(`lock table ${table} in access exclusive mode`);
    const waitFor = async (what: string, isMet: (waiting: number) => boolean): Promise<void> => {
      await until(what, async () => isMet(await countWaitingFor(db, table)));
    };
    return await work({
      waiting: async (count) =>
        await waitFor(`${count} to wait for the lock`, (waiting) => waiting === count),
      waitFor,
    });
  });
}

/** Starts calls, and collects their answers as they come. */
function sendMany<Answer>(count: number, call: () => Promise<Answer>) {
  const answered: Answer[] = [];
  const all = Array.from({ length: count }, async () => {
    answered.push(await call());
  });
  return { answered, all: Promise.all(all).then(() => answered) };
}

const statuses = (answers: readonly { readonly status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);

const repeat = (count: number, status: number): number[] =>
  Array.from({ length: count }, () => status);

test('the people of a vendor take turns as one, and few of their reads wait', async () => {
  const statement = '/vendors/demo/account-statement';
  const { sent, staffs } = await whileLocked('transfers', async ({ waiting, waitFor }) => {
    const byAdmin = sendMany(10, async () => await person('demo-admin').get(statement));
    const byViewer = sendMany(10, async () => await person('demo-viewer').get(statement));
    await waitFor(
      'all others to be refused',
      () => byAdmin.answered.length + byViewer.answered.length === 20 - ALL_OF_A_NAME,
    );
    for (const { code, headers } of [...byAdmin.answered, ...byViewer.answered]) {
      expect(code).toBe('too_many_requests');
      expect(headers.get('retry-after')).toBe('1');
    }
    await waiting(1);
    const byStaff = person('finance').get('/vendors/demo2/account-statement');
    // Staff's read has begun, although the vendor's wait.
    await waiting(2);
    return { sent: [byAdmin, byViewer], staffs: byStaff };
  });
  expect((await staffs).status).toBe(200);
  const answers = (await Promise.all(sent.map(async ({ all }) => await all))).flat();
  expect(statuses(answers)).toEqual([
    ...repeat(ALL_OF_A_NAME, 200),
    ...repeat(20 - ALL_OF_A_NAME, 429),
  ]);
});

test.each([
  ['payments', '/payments'],
  ['events', '/vendors/demo/events'],
  ['request_log', '/vendors/demo/requests'],
] as const)(
  'a list of %s takes a turn of its vendor’s people, and staff wait for none of them',
  async (table, path) => {
    const { sent, byStaff } = await whileLocked(table, async ({ waiting, waitFor }) => {
      const many = sendMany(ALL_OF_A_NAME + 3, async () => await person('demo-admin').get(path));
      await waitFor('the others are refused', () => many.answered.length === 3);
      await waiting(1);
      const staff = person('support').get(path);
      await waiting(2);
      return { sent: many, byStaff: staff };
    });
    expect((await byStaff).status).toBe(200);
    expect(statuses(await sent.all)).toEqual([...repeat(ALL_OF_A_NAME, 200), ...repeat(3, 429)]);
  },
);

test('a vendor’s programs and its people read one at a time, and another vendor waits for neither', async () => {
  const program = new SelfServiceClient(running.origin, running.demo());
  const { answers } = await whileLocked('transfers', async ({ waiting }) => {
    const byProgram = program.send('getStatement');
    await waiting(1);
    const byPerson = person('demo-viewer').get('/vendors/demo/account-statement');
    const others = person('finance').get('/vendors/demo2/account-statement');
    await waiting(2);
    expect((await person('finance').get('/session')).status).toBe(200);
    await waiting(2);
    return { answers: Promise.all([byProgram, byPerson, others]) };
  });
  expect(statuses(await answers)).toEqual(repeat(3, 200));
});

test('reads of a client that has disconnected are dropped', async () => {
  const url = `${running.origin}/console/api/vendors/demo/account-statement`;
  const { server } = running.service.app;
  const { first, others } = await whileLocked('transfers', async ({ waiting, waitFor }) => {
    const begun = person('demo-admin').get('/vendors/demo/account-statement');
    await waiting(1);
    const received: IncomingMessage[] = [];
    const note = (request: IncomingMessage): void => void received.push(request);
    server.on('request', note);
    const leaving = new AbortController();
    const { signal } = leaving;
    const headers = { cookie: person('demo-admin').cookie };
    const left = Promise.allSettled(
      repeat(LIMITS.longReadsWaiting, 0).map(async () => await fetch(url, { headers, signal })),
    );
    await waitFor('the requests arrive', () => received.length >= LIMITS.longReadsWaiting);
    server.off('request', note);
    leaving.abort();
    await left;
    await waitFor('their end is noticed', () => received.every(({ socket }) => socket.closed));
    const sent = sendMany(
      LIMITS.longReadsWaiting + 1,
      async () => await person('demo-viewer').get('/vendors/demo/account-statement'),
    );
    await waitFor('one is refused', () => sent.answered.length > 0);
    return { first: begun, others: sent };
  });
  expect((await first).status).toBe(200);
  expect(statuses(await others.all)).toEqual([...repeat(LIMITS.longReadsWaiting, 200), 429]);
});

test.each([
  ['exportPayments', 'payments'],
  ['exportStatement', 'transfers'],
  ['getStatement', 'transfers'],
] as const)('few reads of %s by programs may wait', async (operation, table) => {
  const program = new SelfServiceClient(running.origin, running.demo());
  const sent = await whileLocked(table, async ({ waitFor }) => {
    const many = sendMany(ALL_OF_A_NAME + 3, async () => await program.send(operation));
    await waitFor('the others are refused', () => many.answered.length === 3);
    return many;
  });
  for (const refused of sent.answered.slice(0, 3)) {
    expect(refusalIn(refused).code).toBe('too_many_requests');
    expect(refused.headers['retry-after']).toBe('1');
  }
  expect(statuses(await sent.all)).toEqual([...repeat(ALL_OF_A_NAME, 200), ...repeat(3, 429)]);
});

test('few reads of the results of files wait, and other operations wait for none of them', async () => {
  const vendor = running.demo();
  const asked = signed({ vid: vendor.vid, batch_reference: 'never-sent' }, vendor.key);
  const request = encode('/transaction/bulk/result', asked, 'urlencoded');
  const sent = await whileLocked('batches', async ({ waitFor }) => {
    const many = sendMany(ALL_OF_A_NAME + 3, async () => await send(running.origin, request));
    await waitFor('the others are refused', () => many.answered.length === 3);
    expect((await vendor.call('balance')).status).toBe(200);
    return many;
  });
  expect(statuses(await sent.all)).toEqual([...repeat(ALL_OF_A_NAME, 404), ...repeat(3, 429)]);
});

test('the pages of a list of payments of the console are read one at a time for a vendor', async () => {
  const many = 6;
  const { cookie } = person('demo-admin');
  const headers = { cookie, 'x-malipo-console': '1', 'content-type': 'application/json' };
  const url = `${running.origin}/console/api/payments.csv`;
  const files = await whileLocked('payments', async ({ waiting }) => {
    const all = sendMany(many, async () => {
      const file = await fetch(url, { headers });
      await file.text();
      return file;
    });
    await waiting(1);
    // Others find a connection meanwhile.
    expect((await person('finance').get('/session')).status).toBe(200);
    await waiting(1);
    return all;
  });
  expect(statuses(await files.all)).toEqual(repeat(many, 200));
});

test('each page of the file of a statement is read when its turn comes', async () => {
  const { pool, directory } = running.service;
  const { vendorId } = directory.vendor('demo') ?? { vendorId: 0 };
  const period = { from: new Date(0), to: new Date() };
  let parts = 0;
  const read: ReadPart = async (work) => {
    parts += 1;
    return await work();
  };
  const { head, table } = await statementTable(
    pool,
    { kind: 'vendor', vendorId, withOwnTerms: true },
    period,
    read,
  );
  expect(head.count).toBeGreaterThan(0);
  expect(parts).toBe(1);
  for await (const rows of table.rows) expect(rows).not.toHaveLength(0);
  expect(parts).toBe(2);
});
