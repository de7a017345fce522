import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { readHorizon } from '../../src/platform/cluster/horizon.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createInstructed, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { until } from '../support/until.ts';
import { newPayment } from '../support/new-transaction.ts';
import { completeChain, readChainEnd } from '../../src/payments/ledger/chain.ts';
import { readCompleteUntil } from '../../src/payments/ledger/sums.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';

const freshBooks = sharedBooks();
let books: Books;
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => await books.close());

test('the horizon is the start of the oldest other database transaction of the same role', async () => {
  const writer = await books.pool.connect();
  const free = await readHorizon(books.pool);
  await writer.query('begin');
  const began = await writer.query<{ at: string }>('select now()::text as at');
  expect(await readHorizon(books.pool)).toBe(began.rows[0]?.at);
  await writer.query('commit');
  writer.release();
  // Of less than a millisecond.
  const later = await books.pool.query('select $1::timestamptz > $2::timestamptz as later', [
    await readHorizon(books.pool),
    free,
  ]);
  expect(later.rows).toEqual([{ later: true }]);
});

// The role of a cluster to test on is the only one, and the owner.
test.skipIf(CITUS_URL !== undefined)(
  'a database transaction of another role, whose start is not visible, delays the chain',
  async () => {
    await books.addVendors([1_000n]);
    const other = await books.owner.connect();
    // Idle connections of another role do not delay it.
    await other.query('select 1');
    expect(await readHorizon(books.pool)).toBeDefined();
    await other.query('begin');
    await other.query('select 1');
    expect(await readHorizon(books.pool)).toBeUndefined();
    expect((await completeChain(books.pool, books.ledgerMac)).blocks).toBe(0);
    await other.query('rollback');
    other.release();
    // A new posting may be dated a millisecond ahead.
    await expect
      .poll(async () => (await completeChain(books.pool, books.ledgerMac)).blocks, {
        timeout: 60_000,
      })
      .toBeGreaterThan(0);
  },
);

test.skipIf(CITUS_URL !== undefined)(
  'statements wait a moment for a database transaction of another role, and then end with the chain',
  async () => {
    await books.addVendors([1_000n]);
    await expect
      .poll(async () => (await completeChain(books.pool, books.ledgerMac)).blocks, {
        timeout: 60_000,
      })
      .toBeGreaterThan(0);
    const chained = await readChainEnd(books.pool);
    const other = await books.owner.connect();
    await other.query('begin');
    await other.query('select 1');
    expect(await readCompleteUntil(books.pool)).toEqual(chained);
    const reading = readCompleteUntil(books.pool);
    await other.query('rollback');
    other.release();
    expect(Number(await reading)).toBeGreaterThan(Number(chained));
  },
);

// A trigger on log-in is the superuser's.
test.skipIf(CITUS_URL !== undefined)(
  'a process that is starting, and has no state yet, does not hide the horizon',
  async () => {
    const gate = 4_711;
    const closed = await books.owner.connect();
    const starting = new Client({ connectionString: books.url });
    await books.owner.query(`
      create function wait_at_log_in() returns event_trigger language plpgsql as $$
        begin perform pg_advisory_lock_shared(${gate}); perform pg_advisory_unlock_shared(${gate}); end $$;
      create event trigger wait_at_log_in on login execute function wait_at_log_in()`);
    await closed.query('select pg_advisory_lock($1)', [gate]);
    const connected = starting.connect();
    await until('the process that starts', async () => {
      const read = await books.owner.query(
        `select from pg_locks l join pg_stat_activity a using (pid)
         where l.locktype = 'advisory' and not l.granted and a.state is null`,
      );
      return read.rowCount === 1;
    });
    const horizon = await readHorizon(books.pool);
    await closed.query('select pg_advisory_unlock($1)', [gate]);
    closed.release();
    await connected;
    await starting.end();
    expect(horizon).toBeDefined();
  },
);

test('only a correction changes a settled result, and only once', async () => {
  const vendorId = await books.addVendor(100_000n);
  const payment = newPayment({ vendorId });
  await createInstructed(books.pool, [payment]);
  await settlePayments(books.pool, [paidReport(payment)]);
  const { paymentId } = payment;
  const set = async (correctionId: string): Promise<boolean | undefined> => {
    const done = await books.pool.query<{ corrected: boolean }>(
      `select set_corrected_outcome(bucket_of($1), $1, $2, null, 'Corrected', null) as corrected`,
      [vendorId, correctionId],
    );
    return done.rows[0]?.corrected;
  };
  const outcome = async (): Promise<unknown> =>
    (
      await books.pool.query('select outcome, message from payments where payment_id = $1', [
        paymentId,
      ])
    ).rows[0];
  if (CITUS_URL === undefined) {
    await expect(
      books.pool.query(`update payments set message = 'mine' where vendor_id = $1`, [vendorId]),
    ).rejects.toMatchObject({ code: '42501' });
  }
  expect(await set(newId())).toBe(false);
  const before = await outcome();
  const correctionId = newId();
  // The service does this with its transfers; here only the row is inserted.
  const insert = async (id: string, from: string, to: string): Promise<void> => {
    await books.pool.query(
      `insert into corrections (bucket, vendor_id, correction_id, case_id, payment_id, resolution,
         amount_cents, posted_at, outcome_before, outcome_after, settled_before)
       values (bucket_of($1), $1, $2, $2, $3, 'test', 0, now(), $4, $5, '\\x00')`,
      [vendorId, id, paymentId, from, to],
    );
  };
  const unfit = newId();
  await insert(unfit, 'failed', 'success');
  expect(await set(unfit)).toBe(false);
  expect(await outcome()).toEqual(before);
  await insert(correctionId, 'success', 'failed');
  expect(await set(correctionId)).toBe(true);
  expect(await outcome()).toEqual({ outcome: 'failed', message: 'Corrected' });
  expect(await set(correctionId)).toBe(false);
});
