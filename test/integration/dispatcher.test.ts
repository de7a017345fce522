import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putBiller } from '../../src/payments/billers/store.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { decodeReference, encodeReference } from '../../src/parties/reference.ts';
import { findViolations } from '../support/books-check.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import {
  create,
  outcomeOf,
  readAttempts,
  readQueued,
  readStored,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import { billerRecord, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import {
  ACCEPTED,
  createScriptedConnector,
  DECLINED,
  NO_CONNECTION,
  NOT_SENT,
  paid,
  SILENCE,
} from '../support/scripted-connector.ts';
import type { Script, ScriptedConnector } from '../support/scripted-connector.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

// One instruction, then verification, and another one only after proof, whatever the operator and its connector do.

const HOUR_MS = 3_600_000;

const freshBooks = sharedBooks();
let books: Books;
let running: Dispatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await Promise.all(running.map(async (dispatch) => await dispatch.stop()));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

async function start(
  connector: Connector,
  options: Partial<Parameters<typeof startDispatch>[1]> = {},
): Promise<Dispatch> {
  const dispatch = await startDispatch(books, {
    connectors: { [OPERATOR]: connector },
    ...options,
  });
  running.push(dispatch);
  return dispatch;
}

async function makeOne(): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(1_000_000n) });
  await create(books, [made]);
  return made;
}

/** Makes one payment through an operator that follows the script, until it ends. */
async function payOne(
  script: Script,
): Promise<{ made: NewPayment; operator: ScriptedConnector; outcome: string }> {
  const operator = createScriptedConnector(script);
  const made = await makeOne();
  await start(operator);
  return { made, operator, outcome: await outcomeOf(books, made) };
}

/** Gives one answer after the other, and then repeats the last one. */
function inTurn<Answer>(...answers: readonly (() => Answer)[]): () => Answer {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    if (answer === undefined) throw new Error('there is no answer');
    return answer();
  };
}

describe('an operator that answers', () => {
  test('paid: the payment is successful', async () => {
    const { made, operator, outcome } = await payOne({
      pay: (instruction) => ({ ...paid(instruction), details: { token: '1234' } }),
    });
    expect(outcome).toBe('success');
    expect(operator.instructions).toEqual([
      {
        reference: encodeReference(made.vendorId, made.paymentId),
        attemptNumber: 1,
        billerCode: BILLER,
        account: made.account,
        operatorHandle: null,
        phone: null,
        amountCents: made.amountCents,
      },
    ]);
    expect(await readStored(books, made)).toMatchObject({
      billerReference: 'OP1',
      message: 'Paid',
      details: { token: '1234' },
    });
  });

  test('declined: it failed, and the money is back', async () => {
    const { made, operator, outcome } = await payOne({ pay: () => DECLINED });
    expect(outcome).toBe('failed');
    expect(operator.instructions).toHaveLength(1);
    expect(await readStored(books, made)).toMatchObject({ message: 'No such account' });
    expect(await books.balances(made.vendorId)).toMatchObject({ float: 1_000_000n });
  });

  test.each([
    ['refused', NOT_SENT],
    ['never reached', NO_CONNECTION],
  ])(
    'a payment that was not executed (%s) is sent again with the same reference',
    async (_, proof) => {
      const answers = inTurn(
        () => proof,
        () => proof,
        () => undefined,
      );
      const { made, operator, outcome } = await payOne({
        pay: (instruction) => answers() ?? paid(instruction),
      });
      expect(outcome).toBe('success');
      expect(operator.instructions.map((one) => one.attemptNumber)).toEqual([1, 2, 3]);
      expect(new Set(operator.instructions.map((one) => one.reference)).size).toBe(1);
      expect((await readAttempts(books, made)).map((attempt) => attempt.outcome)).toEqual([
        'not_sent',
        'not_sent',
        'paid',
      ]);
    },
  );
});

test('an answer about a payment that is gone opens a case of the house', async () => {
  const made = await makeOne();
  const operator = createScriptedConnector({
    pay: async (instruction) => {
      await books.owner.query(
        `with gone as (delete from payments where payment_id = '${made.paymentId}'),
           back as (delete from transfers where source_id = '${made.paymentId}'),
           queued as (delete from dispatch_queue where payment_id = '${made.paymentId}')
         update accounts set balance_cents = case account when 'float' then 1000000 else 0 end
         where vendor_id = ${made.vendorId} and account in ('float', 'reserved')`,
      );
      return paid(instruction);
    },
  });
  await start(operator);
  const kept = await until(async () => {
    const read = await books.pool.query('select * from cases');
    expect(read.rows).toHaveLength(1);
    return read.rows;
  });
  expect(kept).toMatchObject([
    {
      vendor_id: 0,
      kind: 'unmatched_callback',
      evidence_id: made.paymentId,
      operator_code: OPERATOR,
      facts: {
        source: 'answer',
        reference: encodeReference(made.vendorId, made.paymentId),
        paid_cents: Number(made.amountCents),
      },
    },
  ]);
});

describe('an operator that does not report a result', () => {
  test('the operator is queried until it reports a result, and never instructed twice', async () => {
    const answers = inTurn(
      () => SILENCE,
      () => ({ ...ACCEPTED, operatorHandle: null }),
      () => SILENCE,
      () => undefined,
    );
    const { made, operator, outcome } = await payOne({
      pay: () => ACCEPTED,
      status: (query) => answers() ?? paid(query),
    });
    expect(outcome).toBe('success');
    expect(operator.instructions).toHaveLength(1);
    expect(operator.queries).toHaveLength(4);
    expect(operator.queries.at(-1)).toEqual({
      reference: encodeReference(made.vendorId, made.paymentId),
      attemptNumber: 1,
      billerCode: BILLER,
      account: made.account,
      amountCents: made.amountCents,
      operatorHandle: 'handle-1',
    });
    expect(await readAttempts(books, made)).toMatchObject([{ outcome: 'paid', note: 'status' }]);
  });

  test('fails the payment when the status query says so', async () => {
    const { operator, outcome } = await payOne({ pay: () => SILENCE, status: () => DECLINED });
    expect(outcome).toBe('failed');
    expect(operator.instructions).toHaveLength(1);
  });

  test('a payment that cannot be queried is pending until the result comes from another source', async () => {
    const operator = createScriptedConnector({ pay: () => ACCEPTED });
    const made = await makeOne();
    const dispatch = await start(operator);
    await until(async () =>
      expect((await readQueued(books, made))?.verify_count).toBeGreaterThan(3),
    );
    expect(await readStored(books, made)).toMatchObject({ outcome: null, underWay: true });
    expect(operator.instructions).toHaveLength(1);
    await dispatch.settler.settle(paidReport(made, { source: 'callback' }));
    expect(await outcomeOf(books, made)).toBe('success');
  });
});

describe('an operator that does not know the instruction', () => {
  test('past its acceptance window: sent again with the same reference', async () => {
    const answers = inTurn(
      () => SILENCE,
      () => undefined,
    );
    const { made, operator, outcome } = await payOne({
      pay: (instruction) => answers() ?? paid(instruction),
      status: () => ({ kind: 'not_found' }),
      acceptanceWindowMs: 0,
      payDeadlineMs: 100,
    });
    expect(outcome).toBe('success');
    expect(operator.instructions.map((one) => one.attemptNumber)).toEqual([1, 2]);
    expect(new Set(operator.instructions.map((one) => one.reference)).size).toBe(1);
    expect(await readAttempts(books, made)).toMatchObject([
      { outcome: 'not_sent' },
      { outcome: 'paid' },
    ]);
  });

  test('a payment that the operator does not know is not sent again before the window has passed', async () => {
    const operator = createScriptedConnector({
      pay: () => SILENCE,
      status: () => ({ kind: 'not_found' }),
      acceptanceWindowMs: HOUR_MS,
    });
    const made = await makeOne();
    await start(operator);
    // One query, and the next one when the window is over.
    await until(async () => {
      const queued = await readQueued(books, made);
      expect(queued).toMatchObject({ stage: 'verify', verify_count: 1 });
      expect(queued?.due_in_ms).toBeGreaterThan(HOUR_MS - 60_000);
    });
    expect(operator.instructions).toHaveLength(1);

    await books.pool.query(
      `update dispatch_queue set sent_at = now() - interval '1 hour' where payment_id = $1`,
      [made.paymentId],
    );
    await books.pool.query('update dispatch_queue set due_at = now() where payment_id = $1', [
      made.paymentId,
    ]);
    await until(() => expect(operator.instructions.length).toBeGreaterThan(1));
    expect(await readAttempts(books, made)).toMatchObject([{ outcome: 'not_sent' }, {}]);
  });

  test('a payment is never sent again if the operator’s “not found” proves nothing', async () => {
    const operator = createScriptedConnector({
      pay: () => SILENCE,
      status: () => ({ kind: 'not_found' }),
      acceptanceWindowMs: null,
    });
    const made = await makeOne();
    await start(operator);
    await until(() => expect(operator.queries.length).toBeGreaterThan(8));
    expect(operator.instructions).toHaveLength(1);
    expect(await readStored(books, made)).toMatchObject({ outcome: null, underWay: true });
  });
});

describe('a connector that breaks its promise', () => {
  test.each([
    ['throws', async () => await Promise.reject(new Error('a bug'))],
    [
      'throws before it has a promise',
      () => {
        throw new Error('a bug');
      },
    ],
  ])('a payment is verified and not sent again if its connector %s', async (_, pay) => {
    const answers = inTurn(
      () => {
        throw new Error('a bug in the status query, too');
      },
      () => undefined,
    );
    const { operator, outcome } = await payOne({
      pay,
      status: (query) => answers() ?? paid(query),
    });
    expect(outcome).toBe('success');
    expect(operator.instructions).toHaveLength(1);
    expect(operator.queries).toHaveLength(2);
  });

  test('a payment whose connector never returns is verified past its deadline, and others are not delayed', async () => {
    let first = true;
    const operator = createScriptedConnector({
      payDeadlineMs: 1,
      pay: async (instruction) => {
        if (!first) return paid(instruction);
        first = false;
        return await new Promise(() => undefined);
      },
      status: (query) => paid(query),
    });
    const [stuck, other] = [await makeOne(), await makeOne()];
    await start(operator);
    expect(await outcomeOf(books, other)).toBe('success');
    expect(await outcomeOf(books, stuck)).toBe('success');
    expect(operator.instructions).toHaveLength(2);
    expect(operator.queries).toHaveLength(1);
  });
});

describe('a biller that people took offline', () => {
  test('nothing is sent to a biller that people took offline, while instructions already sent are verified', async () => {
    let answer = SILENCE as ReturnType<typeof paid> | typeof SILENCE;
    const operator = createScriptedConnector({ pay: () => SILENCE, status: () => answer });
    const sent = await makeOne();
    const dispatch = await start(operator);
    await until(() => expect(operator.queries.length).toBeGreaterThan(0));
    await putBiller(books.pool, billerRecord(BILLER, { status: 'OFFLINE' }));
    await dispatch.catalogue.reload();
    const waiting = await makeOne();
    dispatch.dispatcher.hint([{ vendorId: waiting.vendorId, billerCode: BILLER, stage: 'send' }]);
    answer = paid(sent);
    expect(await outcomeOf(books, sent)).toBe('success');
    expect(operator.instructions).toHaveLength(1);
    expect(await readStored(books, waiting)).toMatchObject({ outcome: null, underWay: false });

    await putBiller(books.pool, billerRecord(BILLER));
    await dispatch.catalogue.reload();
    expect(await outcomeOf(books, waiting)).toBe('success');
  });
});

describe('several processes', () => {
  test('several processes send each payment once', async () => {
    const vendorIds = await books.addVendors([10_000_000n, 10_000_000n, 10_000_000n]);
    const made = Array.from({ length: 120 }, (_, index) =>
      newPayment({ vendorId: vendorIds[index % 3] ?? 0 }),
    );
    const operator = createScriptedConnector({
      pay: async (instruction) => {
        await new Promise(setImmediate);
        return paid(instruction);
      },
    });
    await Promise.all([start(operator), start(operator), start(operator)]);
    await create(books, made);
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
    const references = operator.instructions.map((one) => one.reference);
    expect(references).toHaveLength(120);
    expect(new Set(references.map((reference) => decodeReference(reference)?.paymentId))).toEqual(
      new Set(made.map((one) => one.paymentId)),
    );
  });
});

describe('a database that goes away for a while', () => {
  test('a database that goes away only delays payments: each is made once', async () => {
    const proxy = await startTcpProxy(books.url);
    try {
      const vendorId = await books.addVendor(10_000_000n);
      const executed = new Map<string, number>();
      const operator = createScriptedConnector({
        pay: (instruction) => {
          // In the middle the database goes down, and results cannot be written.
          if (executed.size === 10) proxy.goDown();
          executed.set(instruction.reference, (executed.get(instruction.reference) ?? 0) + 1);
          return paid(instruction);
        },
        status: (query) => (executed.has(query.reference) ? paid(query) : { kind: 'not_found' }),
        acceptanceWindowMs: 0,
        payDeadlineMs: 1,
      });
      const made = Array.from({ length: 40 }, () => newPayment({ vendorId }));
      await create(books, made);
      const dispatch = await start(operator, { url: proxy.url });
      await until(() => expect(executed.size).toBeGreaterThan(10));
      await until(() =>
        expect(dispatch.settler.waiting + dispatch.dispatcher.underWay).toBeGreaterThan(0),
      );
      proxy.comeBack();
      for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
      expect([...executed.values()]).toEqual(made.map(() => 1));
    } finally {
      await Promise.all(running.map(async (dispatch) => await dispatch.stop()));
      await proxy.close();
    }
  });
});
