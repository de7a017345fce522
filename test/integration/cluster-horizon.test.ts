import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { completeChain } from '../../src/payments/ledger/chain.ts';
import { horizonOf, readHorizon } from '../../src/platform/cluster/horizon.ts';
import type { NodeActivity } from '../../src/platform/cluster/horizon.ts';
import { CITUS_URL } from '../support/citus.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

// Nothing can be added before the horizon any more, on any node.

let books: Books;
beforeEach(async () => {
  books = await openBooks();
});
afterEach(async () => await books.close());

describe('of nodes whose clocks differ', () => {
  const node = async (
    seconds: number,
    given: Partial<NodeActivity> = {},
  ): Promise<NodeActivity> => {
    const read = await books.pool.query<{ at: string }>(
      `select (clock_timestamp() + $1 * interval '1 second')::text as at`,
      [seconds],
    );
    const at = read.rows[0]?.at ?? '';
    return { now: at, at, hidden: false, pids: [], prepared: [], ...given };
  };
  /** How many seconds ago the horizon is. */
  const secondsBack = async (horizon: string | undefined): Promise<number> => {
    const read = await books.pool.query<{ seconds: number }>(
      'select extract(epoch from clock_timestamp() - $1::timestamptz)::float8 as seconds',
      [horizon],
    );
    return read.rows[0]?.seconds ?? 0;
  };

  test.each([
    ['ahead', 100, 100],
    ['behind', -100, 200],
  ])('a worker that is %s holds it back by the difference', async (_, seconds, back) => {
    const coordinator = await node(0);
    const horizon = await horizonOf(books.pool, coordinator, [await node(seconds)]);
    // A clock that is behind also reports an earlier start.
    expect(await secondsBack(horizon)).toBeGreaterThan(back - 1);
    expect(await secondsBack(horizon)).toBeLessThan(back + 60);
  });

  test('a prepared transaction counts unless the process that prepared it still runs', async () => {
    const worker = await node(0);
    const coordinator = await node(0, { pids: [4711] });
    const prepared = (gid: string) => ({ ...worker, prepared: [{ gid, at: worker.at }] });
    const of = async (gid: string): Promise<string | undefined> =>
      await horizonOf(books.pool, coordinator, [prepared(gid)]);
    expect(await of('citus_0_4711_1_1')).toBeDefined();
    expect(await of('citus_0_4712_1_1')).toBeUndefined();
    expect(await of('somebody else’s')).toBeUndefined();
  });
});

describe.skipIf(CITUS_URL === undefined)('on a cluster', () => {
  /** A connection to a worker itself. */
  async function connectWorker(): Promise<Client> {
    const read = await books.pool.query<{ host: string; port: number }>(
      `select nodename as host, nodeport as port from pg_dist_node
       where groupid > 0 order by groupid limit 1`,
    );
    const url = new URL(CITUS_URL ?? '');
    url.hostname = read.rows[0]?.host ?? '';
    url.port = String(read.rows[0]?.port);
    const client = new Client({ connectionString: url.href });
    await client.connect();
    return client;
  }

  test('the chain waits for a commit in doubt, and continues when Citus has ended it', async () => {
    await books.addVendors([1_000n]);
    const worker = await connectWorker();
    // The state after a coordinator died between the two phases.
    await worker.query('begin');
    await worker.query('select pg_current_xact_id()');
    await worker.query(`prepare transaction 'citus_0_999999_1_1'`);
    expect(await readHorizon(books.pool)).toBeUndefined();
    expect((await completeChain(books.pool, books.ledgerMac)).blocks).toBe(0);
    await vi.waitFor(
      async () => expect(await readHorizon(books.pool)).toBeDefined(),
      // Citus checks once a minute.
      { timeout: 100_000, interval: 500 },
    );
    const left = await worker.query('select from pg_prepared_xacts');
    expect(left.rowCount).toBe(0);
    await worker.end();
    expect((await completeChain(books.pool, books.ledgerMac)).blocks).toBeGreaterThan(0);
  }, 120_000);
});
