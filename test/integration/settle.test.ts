import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { spreadVendors } from '../support/several-buckets.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import { findViolations } from '../support/books-check.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { createPayments, readPayment } from '../../src/payments/create/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OTHER_BILLER,
  paidReport,
} from '../support/money-fixture.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { countWaiting } from '../support/waiting.ts';

// The operators' final reports and their effect on the ledger, in every situation.

const FLOAT_CENTS = 1_000_000n;
const FEE_CENTS = 150n;
const AMOUNT_CENTS = 10_000n;

let books: Books;
let settlers: Settler[];
beforeAll(async () => {
  books = await openBooks();
  // Vendors of several buckets, as on a cluster.
  await spreadVendors(books.owner);
});
// Whatever a test reports, the ledger stays consistent.
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

async function settle(report: FinalReport, process = 0): Promise<string> {
  const settler = settlers[process % settlers.length];
  if (settler === undefined) throw new Error('there is no settler');
  return await settler.settle(report);
}

/** A vendor with one payment of 100.00 and a fee of 1.50, with an instruction in progress. */
async function payOne(given: Partial<NewPayment> = {}): Promise<NewPayment> {
  const vendorId = await books.addVendor(FLOAT_CENTS);
  const made = newPayment({
    vendorId,
    amountCents: AMOUNT_CENTS,
    feeCents: FEE_CENTS,
    ...given,
  });
  await createInstructed(books.pool, [made]);
  return made;
}

async function readStored(made: NewPayment) {
  const stored = await readPayment(books.pool, made.vendorId, made.paymentId);
  if (stored === undefined) throw new Error('the transaction is gone');
  return stored;
}

function queueOf({ vendorId, billerCode }: NewPayment) {
  return { vendorId, billerCode, stage: 'send' as const, max: 1, leaseMs: 60_000 };
}

/** Makes the instruction in progress look as if it was sent this long ago. */
async function setSentAt(made: NewPayment, ago: string): Promise<Date> {
  const updated = await books.pool.query<{ sent_at: Date }>(
    `update dispatch_queue set sent_at = date_trunc('second', now()) - $2::interval
     where payment_id = $1 returning sent_at`,
    [made.paymentId, ago],
  );
  const [row] = updated.rows;
  if (row === undefined) throw new Error('it is not in the queue');
  return row.sent_at;
}

/** Records proof that the instruction in progress was not executed. */
async function sendAgain(made: NewPayment): Promise<void> {
  const read = await books.pool.query<{ claim_number: number }>(
    'select claim_number from dispatch_queue where payment_id = $1',
    [made.paymentId],
  );
  const progress = {
    claim: { ...made, claimNumber: read.rows[0]?.claim_number ?? 0 },
    next: 'send' as const,
    delayMs: 0,
    note: 'not found',
    operatorHandle: null,
  };
  expect(await writeProgress(books.pool, [progress])).toBe(1);
}

async function readCases(made: NewPayment): Promise<{ kind: string; facts: unknown }[]> {
  const found = await books.pool.query<{ kind: string; facts: unknown }>(
    'select kind, facts from cases where vendor_id = $1 and payment_id = $2 order by kind',
    [made.vendorId, made.paymentId],
  );
  return found.rows;
}

const UNTOUCHED = {
  float: FLOAT_CENTS - AMOUNT_CENTS - FEE_CENTS,
  reserved: AMOUNT_CENTS + FEE_CENTS,
  fees: 0n,
};
const PAID = {
  float: FLOAT_CENTS - AMOUNT_CENTS - FEE_CENTS,
  reserved: 0n,
  fees: FEE_CENTS,
  'operator:kplc': AMOUNT_CENTS,
};
const RETURNED = { float: FLOAT_CENTS, reserved: 0n, fees: 0n };

describe('a settler', () => {
  beforeAll(() => {
    settlers = [0, 1].map(() => openPaymentsOf(books, { laneConnections: 2 }).settler);
  });

  describe('the first result', () => {
    test('paid: the reservation goes to the operator and to the fees', async () => {
      const made = await payOne();
      const details = { token: '1234 5678', units: '12.5' };
      expect(await settle(paidReport(made, { details, source: 'callback' }))).toBe('settled');
      expect(await books.balances(made.vendorId)).toMatchObject(PAID);
      const stored = await readStored(made);
      expect(stored).toMatchObject({
        outcome: 'success',
        billerReference: 'OP1',
        message: 'Paid',
        details,
        underWay: false,
      });
      const attempts = await books.pool.query(
        'select outcome, note, ended_at is not null as ended from attempts where payment_id = $1',
        [made.paymentId],
      );
      expect(attempts.rows).toEqual([{ outcome: 'paid', note: 'callback', ended: true }]);
      expect(stored.failureCode).toBeNull();
      expect(await readCases(made)).toEqual([]);
    });

    test('declined: all of it comes back, the fee too', async () => {
      const made = await payOne();
      expect(await settle(failedReport(made, { failureCode: 'invalid_account' }))).toBe('settled');
      expect(await books.balances(made.vendorId)).toMatchObject(RETURNED);
      expect(await readStored(made)).toMatchObject({
        outcome: 'failed',
        message: 'Declined',
        failureCode: 'invalid_account',
        billerReference: null,
        underWay: false,
      });
      expect(await readCases(made)).toEqual([]);
    });

    test.each([
      ['paid', paidReport, 'transaction.succeeded', 'success'],
      ['declined', failedReport, 'transaction.failed', 'failed'],
    ] as const)('%s, with a webhook: one event says so', async (_, report, type, outcome) => {
      const made = await payOne({ merchantReference: 'R1' });
      const silent = await payOne();
      await books.pool.query(
        `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
         values (bucket_of($1), $1, 'http://127.0.0.1:9', true, now())`,
        [made.vendorId],
      );
      await Promise.all([made, made, silent].map(async (one) => await settle(report(one))));
      const stored = await readStored(made);
      const events = await books.pool.query(
        'select * from events where vendor_id = any($1::integer[])',
        [[made.vendorId, silent.vendorId]],
      );
      expect(events.rows).toEqual([
        expect.objectContaining({
          event_id: made.paymentId,
          type,
          outcome,
          occurred_at: stored.settledAt,
          biller_response_time: stored.billerResponseTime,
          created_at: stored.createdAt,
          amount_cents: AMOUNT_CENTS,
          account: made.account,
          merchant_reference: 'R1',
          biller_reference: stored.billerReference,
          message: stored.message,
          failure_code: stored.failureCode,
        }),
      ]);
    });

    test('the operator’s time is when the instruction was sent, however late the answer', async () => {
      const made = await payOne();
      const sentAt = await setSentAt(made, '1 hour');
      expect(await settle(paidReport(made, { source: 'status' }))).toBe('settled');
      const stored = await readStored(made);
      expect(stored.billerResponseTime).toEqual(sentAt);
      expect(stored.settledAt).not.toEqual(sentAt);
    });

    test('the instruction that was not proven unexecuted counts, of two', async () => {
      const made = await payOne();
      await setSentAt(made, '2 hours');
      await sendAgain(made);
      const [claimed] = await claim(books.pool, [queueOf(made)]);
      expect(claimed).toMatchObject({ attemptNumber: 2 });
      const sentAt = await setSentAt(made, '1 hour');
      expect(await settle(paidReport(made))).toBe('settled');
      expect((await readStored(made)).billerResponseTime).toEqual(sentAt);
    });

    test('the time of an instruction counts although it was recorded as not executed', async () => {
      const [made, other] = [await payOne(), await payOne()];
      const sentAt = await setSentAt(made, '2 hours');
      await sendAgain(made);
      const words = [made, other].map((one) => settle(paidReport(one, { source: 'callback' })));
      expect(await Promise.all(words)).toEqual(['settled', 'settled']);
      expect((await readStored(made)).billerResponseTime).toEqual(sentAt);
      expect((await readStored(other)).billerResponseTime).not.toBeNull();
    });

    test('a result about a payment that does not exist is unknown, and nothing is written', async () => {
      const made = await payOne();
      expect(await settle(paidReport({ ...made, paymentId: newId() }))).toBe('no_payment');
      // Another vendor's payment is also unknown.
      const other = await books.addVendor(FLOAT_CENTS);
      expect(await settle(paidReport({ ...made, vendorId: other }))).toBe('no_payment');
      expect(await books.balances(made.vendorId)).toMatchObject(UNTOUCHED);
    });

    test('a result about a payment that was never sent opens a case, and the payment stays queued', async () => {
      const vendorId = await books.addVendor(FLOAT_CENTS);
      const made = newPayment({ vendorId, feeCents: FEE_CENTS });
      await createPayments(books.pool, [made]);
      expect(await settle(paidReport(made, { source: 'callback' }))).toBe('contradicted');
      expect(await books.balances(vendorId)).toMatchObject(UNTOUCHED);
      expect(await readStored(made)).toMatchObject({ outcome: null, underWay: false });
      expect(await readCases(made)).toMatchObject([
        {
          kind: 'contradiction',
          facts: { books_say: null, operator_says: 'success', source: 'callback' },
        },
      ]);
    });

    test.each([0n, -500n])(
      'paid %s cents: a case, as no payment of that much exists',
      async (paid) => {
        const made = await payOne();
        expect(await settle(paidReport(made, { paidCents: paid }))).toBe('contradicted');
        expect(await books.balances(made.vendorId)).toMatchObject(UNTOUCHED);
        expect(await readStored(made)).toMatchObject({ outcome: null });
        expect(await readCases(made)).toMatchObject([{ kind: 'contradiction' }]);
        expect(await settle(paidReport(made))).toBe('settled');
      },
    );
  });

  describe('the same result again', () => {
    test.each([
      ['paid', paidReport, PAID],
      ['declined', failedReport, RETURNED],
    ] as const)('%s, a hundred times at once: one effect', async (_, report, expected) => {
      const made = await payOne();
      const results = await Promise.all(
        Array.from({ length: 100 }, async (__, index) => await settle(report(made), index)),
      );
      expect(results.filter((result) => result === 'settled')).toHaveLength(1);
      expect(results.filter((result) => result === 'repeated')).toHaveLength(99);
      expect(await books.balances(made.vendorId)).toMatchObject(expected);
      expect(await readCases(made)).toEqual([]);
    });
  });

  describe('a result that contradicts the first', () => {
    test.each([
      ['paid, then declined', paidReport, failedReport, PAID],
      ['declined, then paid', failedReport, paidReport, RETURNED],
    ] as const)(
      '%s: a case, and the ledger does not change',
      async (_, first, second, expected) => {
        const made = await payOne();
        await settle(first(made));
        const before = await readStored(made);
        expect(await settle(second(made, { source: 'callback' }))).toBe('contradicted');
        expect(await settle(second(made, { source: 'callback' }))).toBe('contradicted');
        expect(await readStored(made)).toEqual(before);
        expect(await books.balances(made.vendorId)).toMatchObject(expected);
        expect(await readCases(made)).toMatchObject([
          {
            kind: 'contradiction',
            facts: {
              books_say: first(made).outcome,
              operator_says: second(made).outcome,
              source: 'callback',
            },
          },
        ]);
      },
    );
  });

  describe('another amount than was instructed', () => {
    test('less: the amount paid goes out, the rest is returned, the fee is kept, and a case is opened', async () => {
      const made = await payOne();
      expect(await settle(paidReport(made, { paidCents: 4_000n }))).toBe('settled');
      expect(await books.balances(made.vendorId)).toMatchObject({
        float: FLOAT_CENTS - 4_000n - FEE_CENTS,
        reserved: 0n,
        fees: FEE_CENTS,
        'operator:kplc': 4_000n,
      });
      expect(await readCases(made)).toMatchObject([
        {
          kind: 'amount_difference',
          facts: { amount_cents: Number(AMOUNT_CENTS), paid_cents: 4_000 },
        },
      ]);
    });

    test('more: only the reservation goes out, and a case is opened', async () => {
      const made = await payOne();
      expect(await settle(paidReport(made, { paidCents: 12_000n }))).toBe('settled');
      expect(await books.balances(made.vendorId)).toMatchObject(PAID);
      expect(await readCases(made)).toMatchObject([
        { kind: 'amount_difference', facts: { paid_cents: 12_000 } },
      ]);
    });
  });

  describe('a batch', () => {
    test('takes each report on its own', async () => {
      const [one, two] = await books.addVendors([FLOAT_CENTS, FLOAT_CENTS]);
      const make = (vendorId = 0, given: Partial<NewPayment> = {}): NewPayment =>
        newPayment({ vendorId, feeCents: FEE_CENTS, ...given });
      const [paid, declined, known, less] = [make(one), make(two), make(one), make(two)];
      const other = make(one, { billerCode: OTHER_BILLER });
      await createInstructed(books.pool, [paid, declined, known, less, other]);
      await settle(paidReport(known));
      const unsent = make(two);
      await createPayments(books.pool, [unsent]);

      const results = await Promise.all(
        [
          paidReport(paid),
          failedReport(declined),
          paidReport(known),
          paidReport(less, { paidCents: 1n }),
          failedReport(unsent),
          paidReport({ ...paid, paymentId: newId() }),
          paidReport(other),
          // The same payment again in the same batch: first the same report, then the opposite.
          paidReport(paid),
          failedReport(paid),
        ].map(async (report) => await settle(report)),
      );
      expect(results).toEqual([
        'settled',
        'settled',
        'repeated',
        'settled',
        'contradicted',
        'no_payment',
        'settled',
        'repeated',
        'contradicted',
      ]);
      expect(await books.balances(one ?? 0)).toMatchObject({
        reserved: 0n,
        fees: 3n * FEE_CENTS,
        'operator:kplc': 3n * AMOUNT_CENTS,
      });
      expect(await books.balances(two ?? 0)).toMatchObject({
        reserved: AMOUNT_CENTS + FEE_CENTS,
        fees: FEE_CENTS,
        'operator:kplc': 1n,
      });
    });
  });

  describe('a result that arrives while the payment is sent again', () => {
    test('waits for that instruction to be written, and ends it too', async () => {
      const made = await payOne();
      const [first] = await books.pool
        .query<{ claim_number: number }>(
          'select claim_number from dispatch_queue where payment_id = $1',
          [made.paymentId],
        )
        .then((read) => read.rows);
      await writeProgress(books.pool, [
        {
          claim: { ...made, claimNumber: first?.claim_number ?? 0 },
          next: 'send',
          delayMs: 0,
          note: 'never left us',
          operatorHandle: null,
        },
      ]);
      // Another process has claimed it and is about to commit.
      const sender = await books.pool.connect();
      await sender.query('begin');
      const queue = { vendorId: made.vendorId, billerCode: BILLER, stage: 'send' as const };
      expect(await claim(sender, [{ ...queue, max: 1, leaseMs: 60_000 }])).toHaveLength(1);

      const answer = settle(paidReport(made, { source: 'callback' }));
      await vi.waitFor(async () => {
        expect(await countWaiting(books.pool)).toBe(1);
      }, 60_000);
      await sender.query('commit');
      sender.release();
      expect(await answer).toBe('settled');
      const attempts = await books.pool.query(
        'select outcome from attempts where payment_id = $1 order by attempt_number',
        [made.paymentId],
      );
      expect(attempts.rows).toEqual([{ outcome: 'not_sent' }, { outcome: 'paid' }]);
    });
  });
});
