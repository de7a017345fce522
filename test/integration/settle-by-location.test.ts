import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { settlePayments } from '../../src/payments/create/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { writeProgress } from '../../src/payments/dispatch/store.ts';
import type { Claim } from '../../src/payments/dispatch/store.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createInstructed, openBooks, OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// A report says where the claim left the payment's rows. It is only a hint: the rows may be elsewhere by now,
// and other rows there.

let books: Books;
let pool: Pool;
beforeAll(async () => {
  books = await openBooks();
  pool = books.openPool({ byIndexOnly: true });
});
afterEach(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

/** Payments of a vendor that were sent, and their claims in the same order. */
async function sendSome(count: number): Promise<{ made: NewPayment[]; claims: Claim[] }> {
  const vendorId = await books.addVendor(100_000_000n);
  const made = Array.from({ length: count }, () => newPayment({ vendorId }));
  return { made, claims: await createInstructed(books.pool, made) };
}

function reportOf(
  { vendorId, paymentId, billerCode, amountCents, locations }: Claim,
  given: Partial<FinalReport> = {},
): FinalReport {
  const about = { vendorId, paymentId, billerCode, amountCents };
  return paidReport(about, { operatorCode: OPERATOR, locations, ...given });
}

async function countQueued({ vendorId }: Claim): Promise<number> {
  const read = await pool.query<{ count: number }>(
    'select count(*)::integer as count from dispatch_queue where vendor_id = $1',
    [vendorId],
  );
  return read.rows[0]?.count ?? 0;
}

/** The two claims, of which each has the locations of the other's rows. */
function swapped([one, other]: readonly Claim[]): [Claim, Claim] {
  if (one === undefined || other === undefined) throw new Error('there are no two claims');
  return [
    { ...one, locations: other.locations },
    { ...other, locations: one.locations },
  ];
}

describe('a report with the locations of the rows', () => {
  /** Rows found by an index of the queue and of payments, by the server's statistics. */
  async function lookUps(): Promise<number> {
    await pool.query('select pg_stat_force_next_flush()');
    const read = await pool.query<{ count: number }>(
      `select sum(idx_tup_fetch)::integer as count from pg_stat_user_tables
       where relname in ('dispatch_queue', 'payments')`,
    );
    return read.rows[0]?.count ?? 0;
  }

  test('settles the payment without looking it up', async () => {
    const { claims } = await sendSome(20);
    await settlePayments(pool, [reportOf((await sendSome(1)).claims[0] as Claim)]);
    const before = await lookUps();
    const results = await settlePayments(
      pool,
      claims.map((one) => reportOf(one)),
    );
    expect(new Set(results)).toEqual(new Set(['settled']));
    expect(await lookUps()).toBe(before);
  });

  test('settles in one call with others that are looked up', async () => {
    const { claims } = await sendSome(6);
    const results = await settlePayments(
      pool,
      claims.map((one, index) =>
        reportOf(one, index % 2 === 0 ? {} : { locations: undefined, source: 'callback' }),
      ),
    );
    expect(results).toEqual(claims.map(() => 'settled'));
  });

  test('may come a second time, when another payment’s rows are there', async () => {
    const { claims } = await sendSome(3);
    const reports = claims.map((one) => reportOf(one));
    expect(await settlePayments(pool, reports)).toEqual(['settled', 'settled', 'settled']);
    await books.owner.query('vacuum dispatch_queue');
    const later = await sendSome(30);
    expect(await settlePayments(pool, reports)).toEqual(['repeated', 'repeated', 'repeated']);
    expect(await countQueued(later.claims[0] as Claim)).toBe(30);
  });
});

describe('locations at which the payment’s rows are not', () => {
  test('of another payment: each report settles its own payment', async () => {
    const { claims } = await sendSome(3);
    const [one, other] = swapped(claims);
    expect(await settlePayments(pool, [reportOf(one)])).toEqual(['settled']);
    expect(await countQueued(one)).toBe(2);
    expect(await settlePayments(pool, [reportOf(other)])).toEqual(['settled']);
    expect(await countQueued(one)).toBe(1);
  });

  test('only of the payment: neither that payment nor the row in the queue is touched', async () => {
    const { claims } = await sendSome(2);
    const [one, other] = claims as [Claim, Claim];
    const { paymentRow } = other.locations;
    const report = reportOf(one, { locations: { ...one.locations, paymentRow } });
    expect(await settlePayments(pool, [report])).toEqual(['settled']);
    expect(await settlePayments(pool, [reportOf(other)])).toEqual(['settled']);
    expect(await countQueued(one)).toBe(0);
  });

  test.each([
    ['the payment was asked about meanwhile', 'verify'],
    ['the instruction is proven not executed, which the operator then contradicts', 'send'],
  ] as const)('because %s', async (_, next) => {
    const { claims } = await sendSome(1);
    const [one] = claims as [Claim];
    const learnt = { note: 'no answer', operatorHandle: null, delayMs: 0 };
    await writeProgress(pool, [{ claim: one, next, ...learnt }]);
    expect(await settlePayments(pool, [reportOf(one)])).toEqual(['settled']);
  });

  test('because the tables were rewritten', async () => {
    const { claims } = await sendSome(40);
    const first = claims.slice(0, 20);
    await settlePayments(
      pool,
      first.map((one) => reportOf(one)),
    );
    await books.owner.query('vacuum full payments');
    const rest = claims.slice(20).map((one) => reportOf(one));
    expect(new Set(await settlePayments(pool, rest))).toEqual(new Set(['settled']));
    expect(await countQueued(claims[0] as Claim)).toBe(0);
  });
});

describe('by its location, a payment is not settled by', () => {
  test('another operator than the one that has the instruction', async () => {
    const { claims } = await sendSome(1);
    const [one] = claims as [Claim];
    const report = reportOf(one, { operatorCode: 'other' });
    expect(await settlePayments(pool, [report])).toEqual(['contradicted']);
    expect(await countQueued(one)).toBe(1);
    expect(await settlePayments(pool, [reportOf(one)])).toEqual(['settled']);
  });

  test('an operator that is to be tried next', async () => {
    const { claims } = await sendSome(1);
    const [one] = claims as [Claim];
    const note = { note: 'not found', operatorHandle: null, delayMs: 0 };
    await writeProgress(pool, [{ claim: one, next: 'send', nextOperator: 'other', ...note }]);
    const moved = await pool.query<{ queueRow: string }>(
      'select ctid::text as "queueRow" from dispatch_queue where payment_id = $1',
      [one.paymentId],
    );
    const locations = { ...one.locations, ...moved.rows[0] };
    const report = reportOf(one, { operatorCode: 'other', locations });
    expect(await settlePayments(pool, [report])).toEqual(['contradicted']);
    expect(await countQueued(one)).toBe(1);
  });
});
