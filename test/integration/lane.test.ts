import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../src/platform/base/errors.ts';
import { createLane, POSTPONED } from '../../src/platform/db/lane.ts';
import type { Lane, LaneOptions } from '../../src/platform/db/lane.ts';
import type { PoolOptions, Queryable } from '../../src/platform/db/pool.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateLane } from '../../src/payments/create/create.ts';
import { createOrPostponePayments } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { CITUS_URL } from '../support/citus.ts';
import { holdFloats } from '../support/held-floats.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { until } from '../support/until.ts';
import { findWaiting } from '../support/waiting.ts';

// The answers of a lane when the database misbehaves.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** One lane over a pool of its own. */
function openLane(pool: Partial<PoolOptions> = {}, deadlineMs = 8_000): CreateLane {
  return createCreateLane({
    pool: books.openPool(pool),
    deadlineMs,
    onAccepted: () => undefined,
  });
}

/** A lane of numbers on its own pool. */
function numberLane(
  call: LaneOptions<number, number>['call'],
  given: Partial<LaneOptions<number, number>> = {},
): Lane<number, number> {
  const pool = books.openPool();
  const limits = { maxBatch: 10, maxWaiting: 10, deadlineMs: 8_000 };
  return createLane({ name: 'number lane', pool, ...limits, call, ...given });
}

async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return 'answered';
  } catch (error) {
    return error instanceof Refusal ? error.code : `not a refusal: ${String(error)}`;
  }
}

async function countPayments(vendorId: number): Promise<number> {
  const counted = await books.pool.query<{ count: number }>(
    'select count(*)::integer as count from payments where vendor_id = $1',
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

/** Locks the vendor's float until released, at the latest at the end of the test. */
async function holdFloat(vendorId: number): Promise<() => Promise<void>> {
  const release = await holdFloats(books.pool, vendorId);
  cleanups.push(release);
  return release;
}

/** A batch of a lane has vendors of one bucket only; on a cluster, vendors are in several. */
async function addTwoOfOneBucket(
  floatsCents: readonly [bigint, bigint],
): Promise<readonly [number, number]> {
  const [one, other] = floatsCents;
  const first = await books.addVendor(one);
  for (;;) {
    const second = await books.addVendor(other);
    const compared = await books.pool.query<{ equal: boolean }>(
      'select bucket_of($1) = bucket_of($2) as equal',
      [first, second],
    );
    if (compared.rows[0]?.equal === true) return [first, second];
  }
}

describe('a row that the database cannot take', () => {
  test('fails alone', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const lane = openLane();
    const batch = Array.from({ length: 9 }, (_, index) =>
      newPayment({ vendorId, account: index === 5 ? 'nul \u0000' : '0123' }),
    );
    const answers = await Promise.allSettled(batch.map(async (row) => await lane.add(row)));
    expect(answers.map((answer) => answer.status)).toEqual(
      batch.map((_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    );
    expect(answers[5]).toMatchObject({ reason: { code: '22021' } });
    expect(await countPayments(vendorId)).toBe(8);
  });
});

describe('a full queue', () => {
  test('refuses further items as overloaded, and loses nothing it accepted', async () => {
    const gate = Promise.withResolvers<undefined>();
    const lane: Lane<number, number> = createLane({
      name: 'narrow lane',
      pool: books.openPool(),
      maxBatch: 2,
      maxWaiting: 3,
      deadlineMs: 8_000,
      call: async (_, items) => {
        await gate.promise;
        return items;
      },
    });
    const first = [lane.add(1), lane.add(2)];
    await vi.waitFor(() => expect(lane.waiting).toBe(0), 60_000);
    const second = [lane.add(3), lane.add(4), lane.add(5)];
    expect(await codeOf(lane.add(6))).toBe('overloaded');
    gate.resolve(undefined);
    expect(await Promise.all([...first, ...second])).toEqual([1, 2, 3, 4, 5]);
    await lane.idle();
  });
});

describe('a lost connection', () => {
  test('a connection lost during the call is followed by the same call again', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lane = openLane({ name: 'to be killed' });
    const release = await holdFloat(vendorId);
    const wanted = newPayment({ vendorId });
    const answer = lane.add(wanted);
    const pid = await until('it waits', async () => await findWaiting(books.pool, 'to be killed'));
    await books.pool.query('select pg_terminate_backend($1::integer)', [pid]);
    await release();
    expect(await answer).toMatchObject({
      kind: 'accepted',
      paymentId: wanted.paymentId,
    });
    expect(await countPayments(vendorId)).toBe(1);
    expect(await books.balances(vendorId)).toMatchObject({ float: 90_000n, reserved: 10_000n });
  });

  test('a connection lost between two batches is not noticed', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lost = vi.fn();
    const lane = openLane({ name: 'idle and killed', onError: lost });
    await lane.add(newPayment({ vendorId }));
    await books.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'malipo idle and killed'`,
    );
    await vi.waitFor(() => expect(lost).toHaveBeenCalled(), 60_000);
    expect(await lane.add(newPayment({ vendorId }))).toMatchObject({ kind: 'accepted' });
  });

  test('nothing was committed if the connection cannot be opened', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const lane = openLane({ url: `postgres://nobody@127.0.0.1:${port}/none` }, 50);
    expect(await codeOf(lane.add(newPayment({ vendorId: 1 })))).toBe('unavailable');
  });
});

describe('a float that another process has locked', () => {
  test('does not delay the others of its batch', async () => {
    const [busy, free] = await addTwoOfOneBucket([100_000n, 100_000n]);
    const lane = openLane({ name: 'postponing' });
    const release = await holdFloat(busy);
    const wanted = [free, busy, free, busy].map((vendorId) => newPayment({ vendorId }));
    const answers = wanted.map(async (row) => await lane.add(row));
    expect(await Promise.all([answers[0], answers[2]])).toMatchObject([
      { kind: 'accepted', paymentId: wanted[0]?.paymentId },
      { kind: 'accepted', paymentId: wanted[2]?.paymentId },
    ]);
    // It is the first of the second call, which waits for it.
    await until('it waits', async () => await findWaiting(books.pool, 'postponing'));
    expect(await countPayments(busy)).toBe(0);
    await release();
    expect(await Promise.all(answers)).toMatchObject(
      wanted.map(({ paymentId }) => ({ kind: 'accepted', paymentId })),
    );
    expect(await books.balances(busy)).toMatchObject({ float: 80_000n, reserved: 20_000n });
    expect(await books.balances(free)).toMatchObject({ float: 80_000n, reserved: 20_000n });
  });

  test('the first payment of a batch waits for a locked float, and the others are accepted meanwhile', async () => {
    const [busy, free] = await addTwoOfOneBucket([100_000n, 100_000n]);
    const lane = openLane({ name: 'waiting first' });
    const release = await holdFloat(busy);
    const waiting = lane.add(newPayment({ vendorId: busy }));
    expect(await lane.add(newPayment({ vendorId: free }))).toMatchObject({ kind: 'accepted' });
    await until('it waits', async () => await findWaiting(books.pool, 'waiting first'));
    // Nobody has the other float.
    const releaseOther = await holdFloat(free);
    await releaseOther();
    await release();
    expect(await waiting).toMatchObject({ kind: 'accepted' });
  });

  test('waits for the first vendor if all floats are locked, and then decides its payments alone', async () => {
    const [busy, other] = await addTwoOfOneBucket([100_000n, 100_000n]);
    const releases = [await holdFloat(busy), await holdFloat(other)];
    const batch = [busy, other, busy].map((vendorId) => newPayment({ vendorId }));
    const deciding = createOrPostponePayments(books.openPool({ name: 'all locked' }), batch);
    await until('it waits', async () => await findWaiting(books.pool, 'all locked'));
    await releases[0]?.();
    expect(await deciding).toMatchObject([{ kind: 'accepted' }, {}, { kind: 'accepted' }]);
    expect((await deciding)[1]).toBe(POSTPONED);
    await releases[1]?.();
  });

  test('does not change what is decided about the others', async () => {
    const [busy, short] = await addTwoOfOneBucket([100_000n, 15_000n]);
    const release = await holdFloat(busy);
    const batch = [
      newPayment({ vendorId: short, merchantReference: 'R' }),
      newPayment({ vendorId: busy, merchantReference: 'R' }),
      newPayment({ vendorId: short, merchantReference: 'R' }),
      newPayment({ vendorId: short, feeCents: 5n }),
      newPayment({ vendorId: busy }),
    ];
    const pool = books.openPool();
    const decisions = await createOrPostponePayments(pool, batch);
    expect(decisions.map((one) => (one === POSTPONED ? 'postponed' : one.kind))).toEqual([
      'accepted',
      'postponed',
      'replayed',
      'insufficient_float',
      'postponed',
    ]);
    expect(await books.balances(short)).toMatchObject({ float: 5_000n, reserved: 10_000n });
    await release();
    const postponed = batch.filter((_, index) => decisions[index] === POSTPONED);
    const then = await createOrPostponePayments(pool, postponed);
    expect(then).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
    // The limit of the first attempt is not left in the session.
    const setting = await pool.query<{ lock_timeout: string }>('show lock_timeout');
    expect(setting.rows[0]?.lock_timeout).toBe('10s');
  });

  test('does not postpone a vendor that has no float: its payment is refused', async () => {
    const [busy] = await addTwoOfOneBucket([100_000n, 0n]);
    const unknown = newPayment({ vendorId: busy + 8 * 1_000_000 });
    await holdFloat(busy);
    const decisions = await createOrPostponePayments(books.openPool(), [
      unknown,
      newPayment({ vendorId: busy }),
    ]);
    expect(decisions).toEqual([{ kind: 'insufficient_float' }, POSTPONED]);
  });
});

// On a cluster the rows are inserted on workers, whose tables have no triggers.
describe.skipIf(CITUS_URL !== undefined)('a first attempt that is cancelled', () => {
  /** While the limit of 1 ms applies, an insert does this. */
  async function duringFirstAttempt(statement: string): Promise<void> {
    await books.owner
      .query(`create function cancel_first() returns trigger language plpgsql as $$ begin
        if current_setting('lock_timeout') = '1ms' then ${statement}; end if;
        return new;
      end $$;
      create trigger cancel_first before insert on payments for each row execute function cancel_first()`);
    cleanups.push(() => books.owner.query('drop function cancel_first cascade'));
  }

  test('an attempt that is cancelled at once is made again, because PostgreSQL may report the limit in this way', async () => {
    const [one, other] = await addTwoOfOneBucket([100_000n, 100_000n]);
    await duringFirstAttempt(`raise sqlstate '57014'`);
    const batch = [newPayment({ vendorId: one }), newPayment({ vendorId: other })];
    expect(await createOrPostponePayments(books.openPool(), batch)).toMatchObject([
      { kind: 'accepted' },
      { kind: 'accepted' },
    ]);
    expect(await books.balances(one)).toMatchObject({ float: 90_000n, reserved: 10_000n });
  });

  test('an attempt that is cancelled after a while was stopped by a time-out or a person, and is not made again', async () => {
    const [one, other] = await addTwoOfOneBucket([100_000n, 100_000n]);
    await duringFirstAttempt('perform pg_sleep(60)');
    const pool = books.openPool({ statementTimeoutMs: 1_100 });
    const batch = [newPayment({ vendorId: one }), newPayment({ vendorId: other })];
    await expect(createOrPostponePayments(pool, batch)).rejects.toMatchObject({ code: '57014' });
    expect(await countPayments(one)).toBe(0);
  });
});

describe('nothing is postponed', () => {
  /** Fails in a given way at the first call. Returns which items each call had, and whether it might postpone. */
  async function callsOf(
    fail: (db: Queryable, items: readonly number[]) => Promise<unknown>,
  ): Promise<[number[], boolean][]> {
    const calls: [number[], boolean][] = [];
    const lane = numberLane(async (db, items, mayPostpone) => {
      calls.push([[...items], mayPostpone]);
      if (calls.length === 1) await fail(db, items);
      return items;
    });
    expect(await Promise.all([lane.add(1), lane.add(2)])).toEqual([1, 2]);
    return calls;
  }

  test('nothing is postponed after a lost connection, because the lost call may still be running', async () => {
    const kill = 'select pg_terminate_backend(pg_backend_pid())';
    expect(await callsOf((db) => db.query(kill))).toEqual([
      [[1, 2], true],
      [[1, 2], false],
    ]);
  });

  test('parts of a batch postpone nothing, because items would be decided in another order', async () => {
    expect(await callsOf((db) => db.query('select 1 / 0'))).toEqual([
      [[1, 2], true],
      [[1], false],
      [[2], false],
    ]);
  });
});

/** Adds a setting to the connection string, which overrides the pool's own settings. */
function urlWith(name: string, value: string): string {
  const url = new URL(books.url);
  url.searchParams.set(name, value);
  return url.href;
}

describe('a database that takes no writes for now', () => {
  test('because the float is locked: unavailable, and nothing is half done', async () => {
    const vendorId = await books.addVendor(100_000n);
    const release = await holdFloat(vendorId);
    // A setting for locks would apply only to the coordinator, and the lock is on a worker.
    const lane = openLane(
      CITUS_URL === undefined
        ? { url: urlWith('lock_timeout', '30') }
        : { statementTimeoutMs: 1_000 },
    );
    const batch = [newPayment({ vendorId }), newPayment({ vendorId })];
    expect(await Promise.all(batch.map(async (row) => await codeOf(lane.add(row))))).toEqual([
      'unavailable',
      'unavailable',
    ]);
    await release();
    expect(await countPayments(vendorId)).toBe(0);
    expect(await lane.add(newPayment({ vendorId }))).toMatchObject({ kind: 'accepted' });
  });

  // On a cluster the setting would apply only to the coordinator, and a worker would still write.
  test.skipIf(CITUS_URL !== undefined)(
    'because it is a standby: unavailable, and nothing is half done',
    async () => {
      const vendorId = await books.addVendor(100_000n);
      const lane = openLane({ url: urlWith('options', '-c default_transaction_read_only=on') });
      expect(await codeOf(lane.add(newPayment({ vendorId })))).toBe('unavailable');
      expect(await countPayments(vendorId)).toBe(0);
    },
  );
});

describe('a refusal by the server', () => {
  test.each([
    ['read-only', '25006'],
    ['lock wait', '55P03'],
    ['statement time-out', '57014'],
    ['disk full', '53100'],
  ])('(%s) is reported at once, and not repeated', async (_, code) => {
    let calls = 0;
    const lane = numberLane(async (db, items) => {
      calls += 1;
      await db.query(`do $$ begin raise sqlstate '${code}'; end $$`);
      return items;
    });
    expect(await Promise.all([codeOf(lane.add(1)), codeOf(lane.add(2))])).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect(calls).toBe(1);
  });
});

describe('a worker of a cluster that is down', () => {
  const raise = (message: string): string =>
    `do $$ begin raise sqlstate '08006' using message = '${message}'; end $$`;

  test('delays only its own part, and its items are unavailable in the end', async () => {
    const kinds = new Set<string>();
    const lane = numberLane(
      async (db, items) => {
        kinds.add(items.map((item) => item % 2).join(' '));
        if (items.some((item) => item % 2 === 1)) await db.query(raise('Connection refused'));
        const read = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
        return items.map(() => read.rows[0]?.pid ?? 0);
      },
      { partOf: (item) => item % 2, deadlineMs: 5_000 },
    );
    const away = codeOf(lane.add(1));
    const [first] = await Promise.all([lane.add(2), lane.add(4)]);
    expect(await lane.add(6)).toBe(first);
    expect(await Promise.race([away, Promise.resolve('not yet')])).toBe('not yet');
    expect(await away).toBe('unavailable');
    // No call had items of both, and the connection of all stayed.
    expect([...kinds].toSorted()).toEqual(['0', '0 0', '1']);
    expect(await lane.add(8)).toBe(first);
  });

  test('leaves in doubt what may have reached it', async () => {
    const lane = numberLane(
      async (db, items) => {
        await db.query(raise('server closed the connection unexpectedly'));
        return items;
      },
      { deadlineMs: 50 },
    );
    expect(await codeOf(lane.add(1))).toBe('outcome_unknown');
  });
});

describe('a conflict that rolled everything back', () => {
  test.each([
    ['deadlock', '40P01'],
    ['serialization failure', '40001'],
  ])('(%s) is followed by the same call again', async (_, code) => {
    let calls = 0;
    const lane = numberLane(async (db, items) => {
      calls += 1;
      if (calls === 1) await db.query(`do $$ begin raise sqlstate '${code}'; end $$`);
      return items;
    });
    expect(await Promise.all([lane.add(1), lane.add(2)])).toEqual([1, 2]);
    expect(calls).toBe(2);
  });
});

test('lanes report accepted payments, and nothing else', async () => {
  const vendorId = await books.addVendor(15_000n);
  const reported: NewPayment[] = [];
  const lane = createCreateLane({
    pool: books.openPool(),
    deadlineMs: 8_000,
    onAccepted: (accepted) => reported.push(...accepted),
  });
  const batch = [
    newPayment({ vendorId, merchantReference: 'R' }),
    newPayment({ vendorId, merchantReference: 'R' }),
    newPayment({ vendorId }),
  ];
  const decisions = await Promise.all(batch.map(async (row) => await lane.add(row)));
  expect(decisions.map((decision) => decision.kind)).toEqual([
    'accepted',
    'replayed',
    'insufficient_float',
  ]);
  await lane.idle();
  expect(reported).toEqual([batch[0]]);
  expect(lane.waiting).toBe(0);
});

/** A lane of vendors’ ids that makes two calls at once. */
function laneOfTwoCalls(
  call: LaneOptions<number, number>['call'],
  minItems: number,
): Lane<number, number> {
  const atOnce = { maxCalls: 2, minItems, vendorOf: (vendorId: number) => vendorId };
  return numberLane(call, { pool: books.openPool({ max: 2 }), atOnce, deadlineMs: 60_000 });
}

test('lanes make several calls at once, each on its own connection and with vendors of its own', async () => {
  const calls: (readonly number[])[] = [];
  const gate = Promise.withResolvers<undefined>();
  const lane = laneOfTwoCalls(async (db, vendorIds) => {
    calls.push(vendorIds);
    const read = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
    await gate.promise;
    return vendorIds.map(() => read.rows[0]?.pid ?? 0);
  }, 2);
  const first = lane.add(1);
  await vi.waitFor(() => expect(calls).toEqual([[1]]), 60_000);
  const others = [2, 1, 3].map(async (vendorId) => await lane.add(vendorId));
  await vi.waitFor(() => expect(calls).toEqual([[1], [2, 3]]), 60_000);
  expect(lane.waiting).toBe(1);
  gate.resolve(undefined);
  await lane.idle();
  expect(lane.waiting).toBe(0);
  expect(calls).toEqual([[1], [2, 3], [1]]);
  expect((await Promise.all(others))[0]).not.toBe(await first);
});

test('while a lost call is repeated, calls of other vendors go on', async () => {
  const gate = Promise.withResolvers<undefined>();
  let lost = 0;
  const lane = laneOfTwoCalls(async (_db, vendorIds) => {
    if (!vendorIds.includes(1)) return vendorIds;
    lost += 1;
    if (lost < 3) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    await gate.promise;
    return vendorIds;
  }, 1);
  const slow = lane.add(1);
  await vi.waitFor(() => expect(lost).toBe(3), 60_000);
  expect([await lane.add(2), await lane.add(3)]).toEqual([2, 3]);
  gate.resolve(undefined);
  expect(await slow).toBe(1);
});
