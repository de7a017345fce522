import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { spreadVendors } from '../support/several-buckets.ts';
import { claim, listQueues, writeProgress } from '../../src/payments/dispatch/store.ts';
import type { Claim, Progress, QueueKey } from '../../src/payments/dispatch/store.ts';
import { askNow } from '../../src/payments/dispatch/handle-store.ts';
import { findViolations } from '../support/books-check.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { create, readAttempts, readQueued, until } from '../support/dispatch-fixture.ts';
import {
  openBooks,
  OPERATOR,
  OTHER_BILLER,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { arrayElements } from '../support/array-elements.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';

// Which worker may send, which may only query, and what a late worker can still write.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
  // Vendors of several buckets, as on a cluster.
  await spreadVendors(books.owner);
});
afterAll(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

function queueOf(made: NewPayment, stage: 'send' | 'verify'): QueueKey {
  return { vendorId: made.vendorId, billerCode: made.billerCode, stage };
}

async function take(
  made: NewPayment,
  stage: 'send' | 'verify',
  leaseMs = 60_000,
): Promise<Claim | undefined> {
  const [taken] = await claim(books.pool, [{ ...queueOf(made, stage), max: 1, leaseMs }]);
  return taken;
}

async function mustTake(...given: Parameters<typeof take>): Promise<Claim> {
  const taken = await take(...given);
  if (taken === undefined) throw new Error('nothing was due');
  return taken;
}

function progress(of: Claim, given: Partial<Progress> = {}): Progress {
  return {
    claim: of,
    next: 'verify',
    delayMs: 0,
    note: 'no answer',
    operatorHandle: null,
    ...given,
  };
}

async function makeOne(): Promise<NewPayment> {
  const made = newPayment({
    vendorId: await books.addVendor(1_000_000n),
    account: '0123',
    phone: '254700000001',
  });
  await create(books, [made]);
  return made;
}

describe('a claim', () => {
  /** Twenty claimers, until none of them finds anything; returns what they took, in no order. */
  async function takeAll(vendorIds: readonly number[], stage: 'send' | 'verify', leaseMs: number) {
    const pool = books.openPool({ max: 20, byIndexOnly: true });
    const wanted = vendorIds.flatMap((vendorId) =>
      [BILLER, OTHER_BILLER].map((billerCode) => ({
        vendorId,
        billerCode,
        stage,
        max: 3,
        leaseMs,
      })),
    );
    const taken: Claim[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        // Rows that others hold are skipped, so one empty result does not mean the end.
        for (let emptyResults = 0; emptyResults < 10; emptyResults += 1) {
          for (;;) {
            const claims = await claim(pool, wanted);
            if (claims.length === 0) break;
            taken.push(...claims);
          }
        }
      }),
    );
    await pool.end();
    return taken;
  }

  test('never gives two claimers the same payment, to send or to verify', async () => {
    const vendorIds = await books.addVendors([10_000_000n, 10_000_000n]);
    const made = Array.from({ length: 120 }, (_, index) =>
      newPayment({
        vendorId: vendorIds[index % 2] ?? 0,
        billerCode: index % 3 === 0 ? OTHER_BILLER : BILLER,
      }),
    );
    await create(books, made);
    const ids = new Set(made.map((one) => one.paymentId));
    // Their leases expire at once, so that all are due for a status query.
    const sent = await takeAll(vendorIds, 'send', 0);
    expect(sent).toHaveLength(made.length);
    expect(new Set(sent.map((one) => one.paymentId))).toEqual(ids);
    const asked = await takeAll(vendorIds, 'verify', 60_000);
    expect(asked).toHaveLength(made.length);
    expect(new Set(asked.map((one) => one.paymentId))).toEqual(ids);
    const attempts = await books.pool.query<{ count: number }>(
      'select count(*)::integer as count from attempts where vendor_id = any($1)',
      [vendorIds],
    );
    expect(attempts.rows).toEqual([{ count: made.length }]);
  });

  test('does not wait for a payment that another is claiming: it takes the next', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const [first, second] = [newPayment({ vendorId }), newPayment({ vendorId })];
    await create(books, [first, second]);
    const claiming = await books.pool.connect();
    await claiming.query('begin');
    const queue = { ...queueOf(first, 'send'), max: 1, leaseMs: 60_000 };
    expect(await claim(claiming, [queue])).toMatchObject([{ paymentId: first.paymentId }]);
    expect(await claim(books.pool, [queue])).toMatchObject([{ paymentId: second.paymentId }]);
    expect(await claim(books.pool, [queue])).toEqual([]);
    await claiming.query('commit');
    claiming.release();
  });

  test('a claim to send records the instruction and returns its data', async () => {
    const made = await makeOne();
    const taken = await take(made, 'send');
    expect(taken).toEqual({
      vendorId: made.vendorId,
      paymentId: made.paymentId,
      billerCode: BILLER,
      stage: 'send',
      claimNumber: 1,
      attemptNumber: 1,
      verifyCount: 0,
      attemptAgeMs: 0,
      operatorHandle: null,
      account: '0123',
      phone: '254700000001',
      amountCents: 10_000n,
      operatorCode: null,
      operatorVersion: null,
      wantedIndex: 0,
    });
    expect(await readAttempts(books, made)).toEqual([
      { attempt_number: 1, outcome: null, note: null, operator_handle: null },
    ]);
    expect(await readQueued(books, made)).toMatchObject({ stage: 'verify', claim_number: 1 });
  });

  test('passes over payments with earlier ids than it was told', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const [early, late] = [newPayment({ vendorId }), newPayment({ vendorId })];
    await create(books, [early, late]);
    const queue = { ...queueOf(late, 'send'), max: 2, leaseMs: 60_000 };
    const taken = await claim(books.pool, [{ ...queue, firstId: late.paymentId }]);
    expect(taken).toMatchObject([{ paymentId: late.paymentId }]);
    expect(await claim(books.pool, [queue])).toMatchObject([{ paymentId: early.paymentId }]);
  });

  test('takes the oldest first, as many as it asked for', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const made = Array.from({ length: 5 }, () => newPayment({ vendorId }));
    await create(books, made.toReversed());
    // Without an index, which would return them in order anyway.
    const url = new URL(books.url);
    url.searchParams.set('options', '-c enable_indexscan=off -c enable_bitmapscan=off');
    const claims = await claim(books.openPool({ url: url.href }), [
      { vendorId, billerCode: BILLER, stage: 'send', max: 3, leaseMs: 60_000 },
    ]);
    expect(claims.map((one) => one.paymentId)).toEqual(
      made.slice(0, 3).map((one) => one.paymentId),
    );
  });

  test('passes over a payment that has had as many attempts as can be counted', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const [first, second] = [newPayment({ vendorId }), newPayment({ vendorId })];
    await create(books, [first, second]);
    await books.owner.query(
      'update dispatch_queue set attempt_number = 32767 where payment_id = $1',
      [first.paymentId],
    );
    const taken = await claim(books.pool, [{ ...queueOf(first, 'send'), max: 9, leaseMs: 60_000 }]);
    expect(taken).toMatchObject([{ paymentId: second.paymentId }]);
  });

  test('a claim is good until its lease ends; then another may ask, and none may send', async () => {
    const made = await makeOne();
    await mustTake(made, 'send', 60_000);
    expect(await take(made, 'send')).toBeUndefined();
    expect(await take(made, 'verify')).toBeUndefined();

    const lapsing = await makeOne();
    await mustTake(lapsing, 'send', 1);
    expect(await take(lapsing, 'send')).toBeUndefined();
    const verifying = await until(async () => await mustTake(lapsing, 'verify'));
    expect(verifying).toMatchObject({
      stage: 'verify',
      claimNumber: 2,
      attemptNumber: 1,
      verifyCount: 1,
    });
    expect(verifying.attemptAgeMs).toBeGreaterThan(0);
    expect(await readAttempts(books, lapsing)).toHaveLength(1);
  });

  test('measures the age of the instruction by the database’s clock', async () => {
    const made = await makeOne();
    await mustTake(made, 'send', 0);
    await books.pool.query(
      `update dispatch_queue set sent_at = now() - interval '1 hour' where payment_id = $1`,
      [made.paymentId],
    );
    const verifying = await until(async () => await mustTake(made, 'verify'));
    expect(verifying.attemptAgeMs).toBeGreaterThanOrEqual(3_600_000);
    expect(verifying.attemptAgeMs).toBeLessThan(3_660_000);
  });
});

/** Rows that only a person with access to the database can add; removed at the end. */
describe('a row of the queue that no create made', () => {
  const added: string[] = [];
  async function addRow(
    made: Pick<NewPayment, 'vendorId' | 'paymentId' | 'billerCode'>,
  ): Promise<void> {
    const dueAt = new Date().toISOString();
    await books.owner.query(
      `insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at, attempt_number)
       values (bucket_of($1), $1, $2, $3, $4, 1)`,
      [made.vendorId, made.billerCode, made.paymentId, dueAt],
    );
    added.push(dueAt);
  }
  afterEach(async () => {
    await books.owner.query('delete from dispatch_queue where due_at = any ($1::timestamptz[])', [
      added.splice(0),
    ]);
  });

  async function violated(): Promise<string[]> {
    const violations = await findViolations(books.pool);
    return violations.map(({ invariant }) => invariant);
  }

  test('reports neither pay nor remove a row that no create made, and the next payment is paid', async () => {
    const made = await makeOne();
    const forged = { ...made, paymentId: '01900000-0000-7000-8000-000000000001' };
    await addRow(forged);
    expect(await take(made, 'send')).toMatchObject({ paymentId: made.paymentId, account: '0123' });
    expect(await take(made, 'send')).toBeUndefined();
    expect(await settlePayments(books.pool, [paidReport(forged)])).toEqual(['no_payment']);
    expect(await violated()).toContain('open_equals_queued');
  });

  test('a settled payment is not paid because of a row that no create made', async () => {
    const made = await makeOne();
    await mustTake(made, 'send');
    await settlePayments(books.pool, [paidReport(made)]);
    await addRow(made);
    expect(await take(made, 'send')).toBeUndefined();
    expect(await violated()).toContain('open_equals_queued');
  });

  test('a row in the name of another biller is not paid', async () => {
    const made = await makeOne();
    const forged = { ...made, billerCode: OTHER_BILLER };
    await addRow(forged);
    expect(await take(forged, 'send')).toBeUndefined();
    expect(await settlePayments(books.pool, [paidReport(forged)])).toEqual(['contradicted']);
    expect(await violated()).toContain('open_equals_queued');
    await books.owner.query('delete from cases where payment_id = $1', [made.paymentId]);
  });
});

describe('progress', () => {
  test('without proof keeps asking, and keeps the operator’s handle', async () => {
    const made = await makeOne();
    const first = await mustTake(made, 'send');
    expect(await writeProgress(books.pool, [progress(first, { operatorHandle: 'H1' })])).toBe(1);
    expect(await take(made, 'send')).toBeUndefined();
    const second = await mustTake(made, 'verify');
    expect(second).toMatchObject({ operatorHandle: 'H1', attemptNumber: 1, verifyCount: 1 });
    await writeProgress(books.pool, [progress(second, { note: 'still no answer' })]);
    expect(await readAttempts(books, made)).toEqual([
      { attempt_number: 1, outcome: null, note: 'still no answer', operator_handle: 'H1' },
    ]);
  });

  test('keeps what a callback has added to the handle before the answer came', async () => {
    const made = await makeOne();
    const wanted = { ...queueOf(made, 'send'), max: 1, leaseMs: 60_000, route: through(OPERATOR) };
    const [sent] = await claim(books.pool, [wanted]);
    if (sent === undefined) throw new Error('nothing was due');
    expect(await askNow(books.pool, { ...made, operatorCode: OPERATOR }, 'AG_1:1')).toBe(true);
    await writeProgress(books.pool, [progress(sent, { operatorHandle: 'AG_1' })]);
    expect(await readAttempts(books, made)).toMatchObject([{ operator_handle: 'AG_1:1' }]);
    await writeProgress(books.pool, [progress(sent, { operatorHandle: 'AG_2' })]);
    expect(await readAttempts(books, made)).toMatchObject([{ operator_handle: 'AG_2' }]);
  });

  test('progress with proof that nothing was sent ends the instruction and allows another', async () => {
    const made = await makeOne();
    const first = await mustTake(made, 'send');
    await writeProgress(books.pool, [progress(first, { next: 'send', note: 'never left us' })]);
    expect(await readAttempts(books, made)).toMatchObject([
      { outcome: 'not_sent', note: 'never left us' },
    ]);
    expect(await take(made, 'verify')).toBeUndefined();
    expect(await mustTake(made, 'send')).toMatchObject({
      claimNumber: 2,
      attemptNumber: 2,
      verifyCount: 0,
    });
    expect(await readAttempts(books, made)).toMatchObject([
      { attempt_number: 1, outcome: 'not_sent' },
      { attempt_number: 2, outcome: null },
    ]);
  });

  test('counts status queries from the last instruction on', async () => {
    const made = await makeOne();
    let last = await mustTake(made, 'send');
    for (const expected of [1, 2]) {
      await writeProgress(books.pool, [progress(last)]);
      last = await mustTake(made, 'verify');
      expect(last.verifyCount).toBe(expected);
    }
    await writeProgress(books.pool, [progress(last, { next: 'send' })]);
    expect(await mustTake(made, 'send')).toMatchObject({ verifyCount: 0, attemptNumber: 2 });
  });

  test('delays the next attempt as requested', async () => {
    const made = await makeOne();
    const first = await mustTake(made, 'send');
    await writeProgress(books.pool, [progress(first, { delayMs: 60_000 })]);
    expect(await take(made, 'verify')).toBeUndefined();
    const queued = await readQueued(books, made);
    expect(queued?.due_in_ms).toBeGreaterThan(50_000);
    expect(queued?.due_in_ms).toBeLessThanOrEqual(60_000);
  });

  test('progress of a worker whose lease has expired is ignored', async () => {
    const made = await makeOne();
    const stale = await mustTake(made, 'send', 0);
    const current = await until(async () => await mustTake(made, 'verify'));
    const before = [await readQueued(books, made), await readAttempts(books, made)];
    for (const next of ['send', 'verify'] as const) {
      expect(await writeProgress(books.pool, [progress(stale, { next })])).toBe(0);
    }
    expect([await readQueued(books, made), await readAttempts(books, made)]).toMatchObject([
      { stage: 'verify', claim_number: current.claimNumber },
      before[1],
    ]);
    expect(await writeProgress(books.pool, [progress(current)])).toBe(1);
  });

  test('progress after the final result is ignored', async () => {
    const made = await makeOne();
    const first = await mustTake(made, 'send');
    await settlePayments(books.pool, [paidReport(made)]);
    expect(await writeProgress(books.pool, [progress(first, { next: 'send' })])).toBe(0);
    expect(await readAttempts(books, made)).toMatchObject([{ outcome: 'paid' }]);
    expect(await readQueued(books, made)).toBeUndefined();
  });

  test('does not wait for the process that settles the payment', async () => {
    const made = await makeOne();
    const first = await mustTake(made, 'send');
    const settling = await books.pool.connect();
    await settling.query('begin');
    await settlePayments(settling, [paidReport(made)]);
    expect(await writeProgress(books.pool, [progress(first, { next: 'send' })])).toBe(0);
    await settling.query('commit');
    settling.release();
  });

  test('progress of several payments is written independently', async () => {
    const [one, two] = [await makeOne(), await makeOne()];
    const stale = await mustTake(one, 'send', 0);
    await until(async () => await mustTake(one, 'verify'));
    const fresh = await mustTake(two, 'send');
    expect(
      await writeProgress(books.pool, [
        progress(stale, { next: 'send' }),
        progress(fresh, { next: 'send' }),
      ]),
    ).toBe(1);
    expect(await readQueued(books, one)).toMatchObject({ stage: 'verify' });
    expect(await readQueued(books, two)).toMatchObject({ stage: 'send' });
  });
});

describe('the list of queues', () => {
  test('names every queue once, with the time until its first is due', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const made = [
      newPayment({ vendorId }),
      newPayment({ vendorId }),
      newPayment({ vendorId, billerCode: OTHER_BILLER }),
    ];
    await create(books, made);
    await claim(books.pool, [
      { vendorId, billerCode: BILLER, stage: 'send', max: 1, leaseMs: 60_000 },
    ]);
    const listed = (await listQueues(books.pool)).filter((queue) => queue.vendorId === vendorId);
    expect(listed.map((queue) => [queue.billerCode, queue.stage, queue.dueInMs > 0])).toEqual([
      [OTHER_BILLER, 'send', false],
      [BILLER, 'send', false],
      [BILLER, 'verify', true],
    ]);
    expect(listed.find((queue) => queue.stage === 'verify')?.dueInMs).toBeLessThanOrEqual(60_000);
  });
});

/** The pool, with something that happens before each of its named statements. */
function watched(before: (name: string, values: readonly unknown[]) => void): Queryable {
  return {
    query: (async (statement: { name: string; text: string; values: unknown[] }) => {
      before(statement.name, statement.values);
      return await books.pool.query(statement);
    }) as typeof books.pool.query,
  };
}

test('the claims of other buckets are returned when that of one fails', async () => {
  const made = [await makeOne(), await makeOne()];
  const [first, second] = made;
  const broken = watched((name, values) => {
    if (name !== 'claim_to_send') return;
    const [vendorId] = arrayElements(values[1]);
    if (vendorId?.readInt32BE() === second?.vendorId) throw new Error('the worker is away');
  });
  const wanted = made.map((one) => ({ ...queueOf(one, 'send'), max: 1, leaseMs: 60_000 }));
  const errors: unknown[] = [];
  const claimed = await claim(broken, wanted, { onError: (error) => errors.push(error) });
  expect(claimed.map(({ paymentId }) => paymentId)).toEqual([first?.paymentId]);
  expect(errors).toEqual([new Error('the worker is away')]);
  await expect(claim(broken, wanted.slice(1))).rejects.toThrow('the worker is away');
});

test('the claims of one stage are returned when that of the other fails', async () => {
  const [sent, verified] = [await makeOne(), await makeOne()];
  await mustTake(verified, 'send', 0);
  const wanted = [queueOf(verified, 'verify'), queueOf(sent, 'send')].map((queue) => ({
    ...queue,
    ...{ max: 1, leaseMs: 60_000 },
  }));
  const claimWithout = async (broken: string): Promise<Claim[]> =>
    await claim(
      watched((name) => {
        if (name === broken) throw new Error('the statement failed');
      }),
      wanted,
    );
  expect(await claimWithout('claim_to_ask')).toMatchObject([
    { paymentId: sent.paymentId, stage: 'send', wantedIndex: 1 },
  ]);
  expect(await claimWithout('claim_to_send')).toMatchObject([
    { paymentId: verified.paymentId, stage: 'verify', wantedIndex: 0, verifyCount: 1 },
  ]);
});

test('each call has its own time, and what it claimed does not wait for the calls of other buckets', async () => {
  const toVerify = [await makeOne(), await makeOne()];
  for (const one of toVerify) await mustTake(one, 'send', 0);
  const wanted = [
    ...toVerify.map((one) => queueOf(one, 'verify')),
    ...[await makeOne(), await makeOne()].map((one) => queueOf(one, 'send')),
  ];
  const steps: string[] = [];
  const claimed = await claim(
    watched((name) => void steps.push(name)),
    wanted.map((queue) => ({ ...queue, max: 1, leaseMs: 60_000 })),
    {
      beforeCall: () => void steps.push('time'),
      onClaimed: (claims) => void steps.push(`${claims.length} claimed`),
    },
  );
  expect(claimed).toHaveLength(4);
  const call = (name: string): string[] => ['time', name, '1 claimed'];
  expect(steps.filter((name) => name !== 'buckets_of')).toEqual([
    ...[...call('claim_to_ask'), ...call('claim_to_ask')],
    ...[...call('claim_to_send'), ...call('claim_to_send')],
  ]);
});
