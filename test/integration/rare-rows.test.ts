import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listRequests } from '../../src/parties/request-log-store.ts';
import type { EventState, EventType } from '../../src/payments/events/event-types.ts';
import { replayAfter } from '../../src/payments/events/webhooks-store.ts';
import { listEvents } from '../../src/payments/events/read-events.ts';
import type { ReplayFilter } from '../../src/payments/events/webhooks-store.ts';
import { listSpan } from '../../src/payments/timeline/list-store.ts';
import { beforeTime, listPayments } from '../../src/payments/timeline/list.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

// Lists of what is rare: they read what they return, not everything else.

const ROWS = 5_000;
/** Several ranges of the index by time. */
const PAYMENTS = 20_000;
const VENDOR = 7;
const LIMIT = 51;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  // What is rare is the oldest, so that a list from the newest on finds it last.
  await client.query(
    `insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at, state,
       due_at, ended_at, created_at, amount_cents, biller_code, account)
     select bucket_of($1), $1, lpad(to_hex(n), 32, '0')::uuid, gen_random_uuid(), s.type, 'success', now(),
       s.state, case when s.state = 'waiting' then now() end,
       case when s.state <> 'waiting' then now() end, now(), 100, 'kplc_prepaid', '1'
     from generate_series(1, $2::integer) n cross join lateral (
       select case n when 1 then 'float.low' when 2 then 'credit.default' when 3 then 'transaction.failed'
           else 'transaction.succeeded' end as type,
         case n when 4 then 'waiting' when 5 then 'given_up' when 6 then 'off' else 'delivered' end as state) s`,
    [VENDOR, ROWS],
  );
  await client.query(
    `insert into request_log (bucket, vendor_id, at, request_id, duration_us, status, method, route, code)
     select bucket_of($1), $1, now() - (1 + $2 - n) * interval '1 second', gen_random_uuid(), 900, 200, 'POST',
       '/transaction/create', case when n <= 3 then 'invalid_field' end
     from generate_series(1, $2::integer) n`,
    [VENDOR, ROWS],
  );
  await client.query(
    `insert into payments (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents, duplicate_key,
       biller_code, account)
     select bucket_of($1), $1, gen_random_uuid(), now() - ($2 - n) * interval '1 minute',
       5000, 0, n, case n when 1 then 'rare' else 'usual' end, '1'
     from generate_series(1, $2::integer) n`,
    [VENDOR, PAYMENTS],
  );
  await client.query(
    `insert into vendors (vendor_id, vid, name, sector, created_at) values ($1, 'shop', 'Shop', 'retail', now())`,
    [VENDOR],
  );
  await client.query(
    `insert into dispatch_queue (bucket, vendor_id, payment_id, biller_code, due_at, stage, sent_at)
     select bucket, vendor_id, payment_id, biller_code, created_at, 'verify', created_at
     from payments order by created_at limit 2`,
  );
  await client.query('vacuum analyze');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of tables the statement of `list` reads, and how many it returns. */
async function rowsOf(
  list: (db: Queryable) => Promise<readonly unknown[]>,
): Promise<{ readonly read: number; readonly returned: number }> {
  let read = 0;
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      await client.query('begin');
      const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      );
      await client.query('rollback');
      for (const row of explained.rows) read += rowsBelow(row['QUERY PLAN'][0].Plan);
      return await client.query(text, values);
    },
  };
  const found = await list(explaining);
  return { read, returned: found.length };
}

function rowsBelow(node: PlanNode): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Actual Rows': kept, Plans: plans = [] } = node;
  const removed = filtered + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : (kept + removed) * node['Actual Loops'];
  return plans.reduce((sum, plan) => sum + rowsBelow(plan), own);
}

interface Filter {
  readonly state?: EventState;
  readonly type?: EventType;
}

test.each<[Filter]>([
  [{ state: 'waiting' }],
  [{ state: 'given_up' }],
  [{ state: 'off' }],
  [{ type: 'float.low' }],
  [{ type: 'credit.default' }],
  [{ type: 'transaction.failed' }],
])('events: %j', async (filter) => {
  const options = { state: filter.state, type: filter.type, limit: LIMIT };
  const { read, returned } = await rowsOf(async (db) => await listEvents(db, VENDOR, options));
  expect(returned).toBe(1);
  expect(read).toBeLessThanOrEqual(2);
  const beforeId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const later = await rowsOf(async (db) => await listEvents(db, VENDOR, { ...options, beforeId }));
  expect(later).toEqual({ read, returned });
});

test('refused requests', async () => {
  const filter = { onlyRefused: true, since: new Date(0), before: undefined, limit: LIMIT };
  const { read, returned } = await rowsOf(async (db) => await listRequests(db, VENDOR, filter));
  expect({ read, returned }).toEqual({ read: 3, returned: 3 });
});

test('events to send again', async () => {
  const all = { paymentId: undefined, since: undefined, until: undefined };
  const filter: ReplayFilter = { ...all, state: 'given_up' };
  const { read, returned } = await rowsOf(
    async (db) =>
      await replayAfter(db, VENDOR, { ...filter, afterId: FIRST_ID, limit: LIMIT, offTypes: [] }),
  );
  expect(returned).toBe(1);
  expect(read).toBeLessThanOrEqual(4);
});

test('payments of a rare biller: ranges of time without one are skipped', async () => {
  const span = { from: new Date(0), before: beforeTime(new Date(Date.now() + 60_000)) };
  const { read, returned } = await rowsOf(
    async (db) => await listSpan(db, { billerCode: 'rare' }, { ...span, limit: LIMIT }),
  );
  expect(returned).toBe(1);
  expect(read).toBeLessThan(PAYMENTS / 2);
});

test('payments that wait for an answer: other payments are not read', async () => {
  const span = { from: new Date(0), before: beforeTime(new Date(Date.now() + 60_000)) };
  const { read, returned } = await rowsOf(async (db) => {
    const { payments } = await listPayments(db, { status: 'PENDING' }, { ...span, limit: LIMIT });
    return payments;
  });
  expect(returned).toBe(2);
  expect(read).toBeLessThan(20);
});
