import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryPayments } from '../../src/payments/timeline/query.ts';
import type { PageCursor, PaymentQuery } from '../../src/payments/timeline/query.ts';
import { createWireTime, systemClock } from '../../src/platform/base/clock.ts';
import type { LongReads } from '../../src/platform/base/long-reads.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { StreamedAnswer } from '../../src/platform/http/streamed-answer.ts';
import type { ResourceContext } from '../../src/platform/http/resource.ts';
import type { AnyView } from '../../src/staff/definition.ts';
import type { StaffDeps } from '../../src/staff/deps.ts';
import { fileOf } from '../../src/staff/files.ts';
import { PAYMENTS } from '../../src/staff/payments.ts';
import { ALL_OF_STAFF } from '../../src/staff/viewer.ts';
import type { Viewer } from '../../src/staff/viewer.ts';
import { exportPayments } from '../../src/self-service/export-payments.ts';
import type { SelfServiceDeps } from '../../src/self-service/resource.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createTestDatabase } from '../support/cluster.ts';

const COUNT = 1_300;
let pool: Pool;

/** Payments of one account, every tenth for the biller `rare`. */
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  await pool.query(
    `insert into vendors (vendor_id, vid, name, sector, created_at) values (1, 'shop', 'Shop', 'retail', '2025-01-01')`,
  );
  await pool.query(
    `insert into payments (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents,
       duplicate_key, biller_code, account, merchant_reference)
     select bucket_of(1), 1, ('0197a5b1-7c00-7d2e-9c3f-' || lpad(to_hex(n), 12, '0'))::uuid,
       '2026-03-01T12:00:00Z'::timestamptz + n * interval '1 second', 100, 0, 0,
       case when n % 10 = 0 then 'rare' else 'usual' end, 'account-1', '=1+' || n
     from generate_series(1, $1) n`,
    [COUNT],
  );
});
afterAll(async () => {
  await pool.end();
});

const queryOf = (query: Partial<PaymentQuery>): PaymentQuery => ({
  term: 'account-1',
  filter: {},
  from: new Date(0),
  to: new Date('2026-04-01T00:00:00Z'),
  ...query,
});

async function readAll(query: PaymentQuery, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: PageCursor | undefined;
  do {
    const page = await queryPayments(pool, query, { after, limit });
    ids.push(...page.payments.map(({ paymentId }) => paymentId));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return ids;
}

test.each([
  ['a term', queryOf({}), 1],
  ['a term and a filter', queryOf({ filter: { billerCode: 'rare' } }), 10],
  ['a filter', queryOf({ term: undefined, filter: { billerCode: 'rare' } }), 10],
])('%s: the pages are the whole list, each payment once', async (_name, query, every) => {
  const { rows } = await pool.query<{ id: string }>(
    `select payment_id as id from payments where ('x' || right(payment_id::text, 8))::bit(32)::integer % $1 = 0 order by payment_id desc`,
    [every],
  );
  const expected = rows.map(({ id }) => id);
  expect(expected).toHaveLength(COUNT / every);
  for (const limit of [7, 50, 2000]) expect(await readAll(query, limit)).toEqual(expected);
});

test('searches that find little stop, say how far they got, and continue', async () => {
  const query = queryOf({ filter: { billerCode: 'none' } });
  const first = await queryPayments(pool, query, { after: undefined, limit: 50 });
  expect(first).toMatchObject({ payments: [], next: { kind: 'found' } });
  expect(first.searchedTo).toBeInstanceOf(Date);
  const second = await queryPayments(pool, query, { after: first.next ?? undefined, limit: 50 });
  expect(second).toEqual({ payments: [], next: null, searchedTo: null });
});

test.each(['payment.list', 'payment.find'])(
  'the file of %s has every payment, and each page is read in its turn',
  async (name) => {
    let turns = 0;
    const longReads: LongReads = async (_, read) => {
      turns += 1;
      return await read();
    };
    const of = PAYMENTS.definitions.find((each) => each.name === name);
    const wireTime = createWireTime('Africa/Nairobi');
    const deps = { pool, clock: systemClock, wireTime, longReads } as unknown as StaffDeps;
    const { body } = await fileOf(
      of as AnyView,
      { ...(name === 'payment.find' && { search: 'account-1' }) },
      {
        viewer: { permissions: ALL_OF_STAFF, login: 'ann', personId: newId() } as Viewer,
        ...{ deps, channel: 'console', address: '', requestId: 'test' },
      },
      { format: 'csv', columns: 'created_at,merchant_reference' },
    );
    const text = await body.map(String).toArray();
    const lines = text.join('').split('\r\n').slice(0, -1);
    expect(lines[0]).toBe('\ufeffCreated,Vendor’s reference');
    // A spreadsheet would run the reference without the apostrophe.
    expect(lines[1]).toBe("2026-03-01 15:21:40,'=1+1300");
    expect(new Set(lines)).toHaveLength(COUNT + 1);
    // A hundred rows a turn; a search learns from an empty page that nothing follows.
    expect(turns - COUNT / 100).toBeOneOf([0, 1]);
  },
);

test('an export by program can be refused until it begins, and not later', async () => {
  const haveBegun: unknown[] = [];
  const longReads: LongReads = async ({ isNeverRefused }, read) => {
    haveBegun.push(isNeverRefused);
    return await read();
  };
  const wireTime = createWireTime('Africa/Nairobi');
  const deps = { pool, clock: systemClock, wireTime, longReads } as SelfServiceDeps;
  const context = { signer: { vendorId: 1, vid: 'shop' } } as ResourceContext<unknown>;
  const file = await exportPayments(deps).handle({ params: {}, query: {}, body: {} }, context);
  expect(haveBegun).toEqual([false]);
  if (!(file instanceof StreamedAnswer)) throw new Error('it is not a file');
  const text = await file.body.map(String).toArray();
  const lines = text.join('').split('\r\n').slice(0, -1);
  expect(new Set(lines)).toHaveLength(COUNT + 1);
  expect(haveBegun.length).toBeGreaterThan(2);
  expect(haveBegun.slice(1)).not.toContain(false);
});
