import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setBuckets } from '../../src/parties/buckets-store.ts';
import { countBuckets } from '../../src/parties/read-buckets.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { rebucket } from '../../src/platform/cluster/rebucket.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import { TABLE_CLASSES } from '../../src/schema.ts';
import { CITUS_URL } from '../support/citus.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { inProcess, malipo } from './cli-support.ts';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
  await books.addVendors(Array.from({ length: 20 }, () => 100_00n));
});
afterAll(async () => await books.close());

const distributed = Object.keys(TABLE_CLASSES).filter(
  (name) => TABLE_CLASSES[name] === 'distributed',
);

const READ_ACCOUNTS =
  'select vendor_id, account, balance_cents from accounts order by vendor_id, account';

async function bucketsOf(table: string): Promise<number[]> {
  const read = await books.owner.query<{ bucket: number }>(
    `select distinct bucket from ${table} order by bucket`,
  );
  return read.rows.map(({ bucket }) => bucket);
}

describe.skipIf(CITUS_URL !== undefined)('on one PostgreSQL', () => {
  test('vendors are spread over buckets and back, with every row that is theirs', async () => {
    const assign = async (count: number): Promise<void> =>
      await databaseTransaction(books.owner, async (db) => {
        await setBuckets(db, count);
        await rebucket(db, distributed);
      });
    const before = await books.owner.query(READ_ACCOUNTS);
    await assign(7);
    expect(await countBuckets(books.pool)).toBe(7);
    for (const table of ['accounts', 'transfers', 'fund_movements', 'buckets']) {
      expect(await bucketsOf(table), table).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
    expect((await checkLedger(books.owner)).violations).toEqual([]);
    await assign(1);
    expect(await bucketsOf('transfers')).toEqual([0]);
    const after = await books.owner.query(READ_ACCOUNTS);
    expect(after.rows).toEqual(before.rows);
    expect((await checkLedger(books.owner)).violations).toEqual([]);
  });

  test('there is no cluster', async () => {
    const environment = { DATABASE_URL: books.url, DATABASE_OWNER_URL: books.ownerUrl };
    for (const command of ['distribute', 'undistribute']) {
      const ran = await inProcess(environment, 'cluster', command);
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain(
        'This database is not on a Citus cluster. The database does not have',
      );
    }
    const status = await inProcess(environment, 'cluster', 'status', '--json');
    expect(status.json()).toMatchObject({ citus: null, distributed: false, buckets: 1, nodes: [] });
    expect((await inProcess(environment, 'cluster', 'status')).stdout).toContain('on one machine');
  });

  test('numbers of buckets and shards are whole and positive', async () => {
    for (const wrong of ['0', '-1', '1.5', '10000', 'many']) {
      const ran = await inProcess({}, 'cluster', 'distribute', '--buckets', wrong);
      expect(ran.exitCode).toBe(2);
    }
  });
});

describe.skipIf(CITUS_URL === undefined)('on a cluster', () => {
  const environment = { DATABASE_URL: CITUS_URL ?? '' };
  const sums = async (): Promise<unknown> =>
    (
      await books.pool.query(
        'select account, sum(balance_cents)::text as sum from accounts group by 1 order by 1',
      )
    ).rows;

  test('a move is refused while another program is connected, and moves nothing', async () => {
    const ran = await inProcess(environment, 'cluster', 'undistribute');
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('Writes must be stopped, and other programs are connected');
    expect(ran.stderr).toContain('malipo test');
    expect((await inProcess(environment, 'cluster', 'status', '--json')).json()).toMatchObject({
      distributed: true,
      wrong: [],
    });
  });

  test('an installation moves to one machine and to the cluster again, killed in between', async () => {
    const before = await sums();
    await books.close();
    const point = { NODE_OPTIONS: '--conditions=crash-points' };
    const killed = await malipo(
      { ...environment, ...point, CRASH_AT: 'cluster:before-commit#20' },
      'cluster',
      'undistribute',
    );
    expect(killed.exitCode).toBeNull();
    const half = await inProcess(environment, 'cluster', 'status', '--json');
    expect(half.exitCode).toBe(1);
    expect(half.json()).toMatchObject({ distributed: false });

    const back = await inProcess(environment, 'cluster', 'undistribute', '--json');
    expect(back.json()).toMatchObject({ ledger_violations: 0 });
    // A database that a dump moves to another server needs no parts of Citus there.
    const checked = createPool({ url: CITUS_URL ?? '', max: 1, name: 'test' });
    const kept = await checked.query(`select name from schema_objects where place like 'citus%'`);
    await checked.end();
    expect(kept.rows).toEqual([]);

    // The last one is after every reference table and some others.
    const references = Object.values(TABLE_CLASSES).filter((each) => each === 'reference').length;
    for (const at of [
      'cluster:before-commit#1',
      'cluster:before-commit#9',
      `cluster:after-commit#${references}`,
    ]) {
      const again = await malipo(
        { ...environment, ...point, CRASH_AT: at },
        'cluster',
        'distribute',
        ...['--buckets', '8', '--shards', '4'],
      );
      expect(again.exitCode, again.stderr).toBeNull();
    }
    const other = await inProcess(environment, 'cluster', 'distribute', '--buckets', '16');
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toContain('distributed by 8 buckets already');
    const there = await inProcess(
      environment,
      ...['cluster', 'distribute', '--buckets', '8', '--shards', '4', '--json'],
    );
    expect(there.json()).toMatchObject({ ledger_violations: 0 });
    const repeated = await inProcess(
      environment,
      ...['cluster', 'distribute', '--buckets', '8', '--json'],
    );
    expect(repeated.json()).toEqual({ moved: [], ledger_violations: 0 });

    const pool = createPool({ url: CITUS_URL ?? '', max: 1, name: 'test' });
    // Citus sends a call to a worker only if it knows the function as one of these tables.
    const elsewhere = await pool.query(
      `select p.proname as name from pg_proc p join pg_catalog.pg_dist_object o
         on o.classid = 'pg_proc'::regclass and o.objid = p.oid
       where p.proargnames[1] = 'p_bucket' and o.colocationid is distinct from (
         select colocationid from pg_dist_partition where logicalrelid = 'accounts'::regclass)`,
    );
    expect(elsewhere.rows).toEqual([]);
    const after = await pool.query(
      'select account, sum(balance_cents)::text as sum from accounts group by 1 order by 1',
    );
    await pool.end();
    expect(after.rows).toEqual(before);
  }, 180_000);
});
