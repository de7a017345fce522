import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { createLane } from '../../src/platform/db/lane.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createBalanceReader } from '../../src/payments/ledger/balance-reader.ts';
import { createStatusReader } from '../../src/payments/create/status-reader.ts';
import { createInstructed, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(async () => {
  await books.close();
});

/** Counts how often a connection was taken; a lane does this once for each query. */
function queriesOf(pool: Pool): { count: number } {
  const taken = { count: 0 };
  pool.on('acquire', () => (taken.count += 1));
  return taken;
}

test('the balances of many requests are one query, each vendor’s own', async () => {
  const [first, second] = [await books.addVendor(70_000n), await books.addVendor(5n)];
  const pool = books.openPool();
  const queries = queriesOf(pool);
  const reader = createBalanceReader({ pool, deadlineMs: 1_000 });
  const wanted = Array.from({ length: 40 }, (_, index) => [first, second, 999_999][index % 3] ?? 0);
  const floats = await Promise.all(wanted.map((vendorId) => reader.float(vendorId)));
  expect(floats).toEqual(wanted.map((_, index) => [70_000n, 5n, 0n][index % 3]));
  expect(queries.count).toBe(1);
  await books.addFloat(first, 100n);
  expect(await reader.float(first)).toBe(70_100n);
});

test('the statuses of many requests are one query, in order, each vendor’s own', async () => {
  const [vendorId, other] = [await books.addVendor(90_000n), await books.addVendor()];
  const made = Array.from({ length: 5 }, (_, index) =>
    newPayment({ vendorId, merchantReference: `r-${index}` }),
  );
  await createInstructed(books.pool, made);
  const pool = books.openPool();
  const queries = queriesOf(pool);
  const reader = createStatusReader({ pool, deadlineMs: 1_000 });
  const rows = await Promise.all([
    reader.read({ vendorId: other, paymentId: made[0]?.paymentId ?? '' }),
    reader.read({ vendorId, paymentId: newId() }),
    ...made.toReversed().map(({ paymentId }) => reader.read({ vendorId, paymentId })),
  ]);
  expect(rows.slice(0, 2)).toEqual([undefined, undefined]);
  expect(rows.slice(2).map((row) => row?.merchantReference)).toEqual(
    made.toReversed().map((payment) => payment.merchantReference),
  );
  expect(rows.at(-1)).toMatchObject({ outcome: null, underWay: true, details: null });
  expect(queries.count).toBe(1);
});

test('a read that loses its connection is unavailable, never of unknown outcome', async () => {
  const lost = Object.assign(new Error('cut'), { code: 'ECONNRESET' });
  const options = {
    name: 'cut',
    pool: books.openPool(),
    maxBatch: 1,
    maxWaiting: 1,
    deadlineMs: 0,
    call: () => Promise.reject(lost),
  };
  await expect(createLane({ ...options, readOnly: true }).add(1)).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(createLane(options).add(1)).rejects.toMatchObject({ code: 'outcome_unknown' });
});
