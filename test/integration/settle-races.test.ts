import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { askNow, saveHandle } from '../../src/payments/dispatch/handle-store.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import type { Claim, Stage } from '../../src/payments/dispatch/store.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import {
  createInstructed,
  openBooks,
  OPERATOR,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { countWaiting } from '../support/waiting.ts';

// A final report arrives while another process is changing the payment's row in the queue, and waits for it.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

async function progress(db: Queryable, one: Claim, next: Stage): Promise<void> {
  const learnt = { claim: one, next, delayMs: 0, note: 'not found', operatorHandle: null };
  expect(await writeProgress(db, [learnt])).toBe(1);
}

async function claimOne(
  db: Queryable,
  { vendorId, billerCode }: Claim,
  stage: Stage,
): Promise<void> {
  const queue = { vendorId, billerCode, stage, max: 1, leaseMs: 60_000 };
  const of = stage === 'verify' ? { operatorCode: OPERATOR } : { route: through(OPERATOR) };
  expect(await claim(db, [{ ...queue, ...of }])).toHaveLength(1);
}

/** Changes that another process may be making. */
const CHANGES: Readonly<Record<string, (db: Queryable, one: Claim) => Promise<void>>> = {
  'a callback makes it due': async (db, one) => {
    expect(await askNow(db, { ...one, operatorCode: OPERATOR }, null)).toBe(true);
  },
  'a handle is saved': async (db, one) => {
    expect(await saveHandle(db, one, `H${one.paymentId}`)).toBe(true);
  },
  'the outcome stays unknown': async (db, one) => await progress(db, one, 'verify'),
  'it is proven not executed': async (db, one) => await progress(db, one, 'send'),
  'it is asked about again': async (db, one) => {
    await askNow(db, { ...one, operatorCode: OPERATOR }, null);
    await claimOne(db, one, 'verify');
  },
  'it is sent again': async (db, one) => {
    await progress(db, one, 'send');
    await claimOne(db, one, 'send');
  },
};

describe.each(Object.entries(CHANGES))('a report of “paid” while %s', (_, change) => {
  test.each(['commit', 'rollback'])('settles the payment after a %s', async (end) => {
    const vendorId = await books.addVendor(1_000_000n);
    // Others are settled in the same call.
    const made = Array.from({ length: 3 }, () => newPayment({ vendorId }));
    const claims = await createInstructed(books.pool, made);
    const [, one] = claims;
    if (one === undefined) throw new Error('nothing was claimed');
    const other = await books.pool.connect();
    await other.query('begin');
    await change(other, one);
    const settling = settlePayments(
      books.pool,
      claims.map(({ paymentId, billerCode, amountCents }) =>
        paidReport({ vendorId, paymentId, billerCode, amountCents }, { operatorCode: OPERATOR }),
      ),
    );
    await vi.waitFor(async () => {
      expect(await countWaiting(books.pool)).toBe(1);
    }, 60_000);
    await other.query(end);
    other.release();
    expect(await settling).toEqual(['settled', 'settled', 'settled']);
    const left = await books.pool.query('select 1 from dispatch_queue where vendor_id = $1', [
      vendorId,
    ]);
    expect(left.rowCount).toBe(0);
  });
});
