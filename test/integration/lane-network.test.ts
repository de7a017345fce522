import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../src/platform/base/errors.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { createLane } from '../../src/platform/db/lane.ts';
import { createPool, isConnectionError } from '../../src/platform/db/pool.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { CreateLane } from '../../src/payments/create/create.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import type { CreateDecision, NewPayment } from '../../src/payments/create/payment.ts';
import { holdFloats } from '../support/held-floats.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { findWaiting } from '../support/waiting.ts';

// A network that fails at the worst moment: the server has committed, but its answer is lost.

let books: Books;
let proxy: TcpProxy;
beforeAll(async () => {
  books = await openBooks();
});
beforeEach(async () => {
  proxy = await startTcpProxy(books.url);
});
afterEach(async () => {
  await proxy.close();
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
});

const CREATE = 'create_payments';

function openLane(deadlineMs: number): CreateLane {
  return createCreateLane({
    pool: books.openPool({ url: proxy.url }),
    deadlineMs,
    onAccepted: () => undefined,
  });
}

async function codeOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    () => 'answered',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
}

async function countPayments(vendorId: number): Promise<number> {
  const counted = await books.pool.query<{ count: number }>(
    'select count(*)::integer as count from payments where vendor_id = $1',
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

describe('creates whose answer is lost after the commit', () => {
  test('repeats find creates whose answer is lost: accepted once, answered once', async () => {
    const vendorId = await books.addVendor(25_000n);
    const lane = openLane(8_000);
    const batch = [
      newPayment({ vendorId, merchantReference: 'A' }),
      newPayment({ vendorId, merchantReference: 'A' }),
      newPayment({ vendorId, duplicateSeconds: 30, account: '77' }),
      newPayment({ vendorId, duplicateSeconds: 30, account: '77' }),
      newPayment({ vendorId }),
    ];
    const lost = proxy.loseAnswerTo(CREATE, 'cut');
    const answers = Promise.all(batch.map(async (row) => await lane.add(row)));
    await lost;
    expect((await answers).map((decision) => decision.kind)).toEqual([
      'accepted',
      'replayed',
      'accepted',
      'likely_duplicate',
      'insufficient_float',
    ]);
    expect(await countPayments(vendorId)).toBe(2);
    expect(await books.balances(vendorId)).toMatchObject({ float: 5_000n, reserved: 20_000n });
  });

  test('repeats find creates of several vendors, too', async () => {
    const vendorIds = [await books.addVendor(15_000n), await books.addVendor(100_000n)];
    const lane = openLane(8_000);
    const batch = [0, 1, 0, 1].map((vendor) => newPayment({ vendorId: vendorIds[vendor] ?? 0 }));
    const lost = proxy.loseAnswerTo('create_payments', 'cut');
    const answers = Promise.all(batch.map(async (row) => await lane.add(row)));
    await lost;
    expect((await answers).map((decision) => decision.kind)).toEqual([
      'accepted',
      'accepted',
      'insufficient_float',
      'accepted',
    ]);
    expect(await countPayments(vendorIds[0] ?? 0)).toBe(1);
    expect(await countPayments(vendorIds[1] ?? 0)).toBe(2);
  });

  test('repeats do not overtake the creates: the server stops them first', async () => {
    const vendorId = await books.addVendor(25_000n);
    const lane = createCreateLane({
      pool: books.openPool({ url: proxy.url, name: 'lost call' }),
      deadlineMs: 8_000,
      onAccepted: () => undefined,
    });
    const release = await holdFloats(books.pool, vendorId);
    const answer = lane.add(newPayment({ vendorId }));
    const waiting = async (except?: number): Promise<number> =>
      await vi.waitFor(async () => {
        const found = await findWaiting(books.pool, 'lost call', except);
        if (found === undefined) throw new Error('nothing waits');
        return found;
      }, 60_000);
    const first = await waiting();
    proxy.goDown();
    proxy.comeBack();
    await waiting(first);
    const running = await books.pool.query('select from pg_stat_activity where pid = $1', [first]);
    await release();
    // It could not end by itself: the float was still locked.
    expect(running.rowCount).toBe(0);
    expect(await answer).toMatchObject({ kind: 'accepted' });
    expect(await countPayments(vendorId)).toBe(1);
  });

  test('may have been accepted when the database does not come back in time', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lane = openLane(100);
    const wanted = newPayment({ vendorId, merchantReference: 'A' });
    const lost = proxy.loseAnswerTo(CREATE, 'cut');
    const code = codeOf(lane.add(wanted));
    await lost;
    proxy.goDown();
    expect(await code).toBe('outcome_unknown');
    expect(await countPayments(vendorId)).toBe(1);

    proxy.comeBack();
    const repeat = newPayment({ vendorId, merchantReference: 'A' });
    expect(await lane.add(repeat)).toMatchObject({
      kind: 'replayed',
      paymentId: wanted.paymentId,
    });
    expect(await countPayments(vendorId)).toBe(1);
  });

  test('may have been accepted when the database comes back read-only', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lane = openLane(8_000);
    const name = new URL(books.url).pathname.slice(1);
    // Opens the connection, which stays as it is while the next one will be read-only.
    await lane.add(newPayment({ vendorId }));
    await books.owner.query(`alter database ${name} set default_transaction_read_only = on`);
    const lost = proxy.loseAnswerTo(CREATE, 'cut');
    const code = codeOf(lane.add(newPayment({ vendorId })));
    await lost;
    const answered = await code;
    const client = await books.owner.connect();
    await client.query('set default_transaction_read_only = off');
    await client.query(`alter database ${name} reset default_transaction_read_only`);
    client.release(true);
    expect(answered).toBe('outcome_unknown');
    expect(await countPayments(vendorId)).toBe(2);
  });

  test('repeats find creates when the dead connection reports no error', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lane = createLane<NewPayment, CreateDecision>({
      name: 'half-open lane',
      pool: books.openPool({ url: proxy.url }),
      maxBatch: 10,
      maxWaiting: 10,
      deadlineMs: 8_000,
      // Longer than a call may take; otherwise the proxy would catch a call that was given up.
      silenceMaxMs: 1_000,
      call: async (db, batch) => await createPayments(db, batch),
    });
    const wanted = newPayment({ vendorId });
    const lost = proxy.loseAnswerTo(CREATE, 'silence');
    const answer = lane.add(wanted);
    await lost;
    expect(await answer).toMatchObject({
      kind: 'accepted',
      paymentId: wanted.paymentId,
    });
    expect(await countPayments(vendorId)).toBe(1);
  });
});

describe('a statement outside of lanes', () => {
  test('fails when no answer arrives, and its connection is closed', async () => {
    const pool = createPool({
      url: proxy.url,
      max: 1,
      name: 'half-open',
      statementTimeoutMs: 2_000,
    });
    try {
      const lost = proxy.loseAnswerTo('select 7 as lucky', 'silence');
      const answer = pool.query('select 7 as lucky').catch((error: unknown) => error);
      await lost;
      expect(isConnectionError(await answer)).toBe(true);
      expect((await pool.query('select 8 as next')).rows).toEqual([{ next: 8 }]);
    } finally {
      await pool.end();
    }
  });
});

describe('a create that never reached the server', () => {
  test('lost creates that never reached the server are repeated', async () => {
    const vendorId = await books.addVendor(100_000n);
    const lane = openLane(8_000);
    const lost = proxy.loseRequest(CREATE);
    const answer = lane.add(newPayment({ vendorId }));
    await lost;
    expect(await answer).toMatchObject({ kind: 'accepted' });
    expect(await countPayments(vendorId)).toBe(1);
  });
});

describe('a settlement whose answer is lost after the commit', () => {
  test('payments are settled once although the answer to the settlement is lost', async () => {
    const vendorId = await books.addVendor(100_000n);
    await openLane(8_000).add(newPayment({ vendorId }));
    const [taken] = await claim(books.pool, [
      { vendorId, billerCode: BILLER, stage: 'send', max: 1, leaseMs: 60_000 },
    ]);
    if (taken === undefined) throw new Error('nothing was claimed');
    const settler = createSettler({
      pool: books.openPool({ url: proxy.url }),
      deadlineMs: 8_000,
    });
    const lost = proxy.loseAnswerTo('settle_payments', 'cut');
    const answer = settler.settle({
      vendorId,
      paymentId: taken.paymentId,
      billerCode: taken.billerCode,
      operatorCode: null,
      outcome: 'success',
      paidCents: taken.amountCents,
      billerReference: 'OP1',
      message: 'Paid',
      details: null,
      failureCode: null,
      source: 'answer',
    });
    await lost;
    expect(await answer).toBe('repeated');
    expect(await books.balances(vendorId)).toMatchObject({
      float: 90_000n,
      reserved: 0n,
      'operator:kplc': 10_000n,
    });
  });
});

describe('collected income and funding whose answer is lost after the commit', () => {
  test('fail, and answer the first movement when they are repeated', async () => {
    const vendorId = await books.addVendor();
    const pool = books.openPool({ url: proxy.url });
    const income = {
      collector: COLLECTOR,
      reference: 'lost',
      vendorId,
      amountCents: 700n,
      paidAt: new Date('2026-01-05T09:00:00Z'),
    };
    for (const [move, amounts] of [
      [
        async () => await collect({ pool, ledgerMac: books.ledgerMac }, income),
        { collected: 700n, float: 0n },
      ],
      [
        async () => await fund(pool, { vendorId, requestedAt: new Date('2026-01-05T10:00:00Z') }),
        { collected: 0n, float: 700n },
      ],
    ] as const) {
      const lost = proxy.loseAnswerTo('commit\0', 'cut');
      const failed = expect(move()).rejects.toMatchObject({ code: 'outcome_unknown' });
      await lost;
      await failed;
      expect(await move()).toMatchObject({ amountCents: 700n, fresh: false });
      expect(await books.balances(vendorId)).toMatchObject(amounts);
    }
  });
});
