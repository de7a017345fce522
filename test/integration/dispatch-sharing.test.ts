import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeReference } from '../../src/parties/reference.ts';
import { putBiller, putOperator } from '../../src/payments/billers/store.ts';
import type { PaymentOutcome } from '../../src/connectors/operator-outcomes.ts';
import { findViolations } from '../support/books-check.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import {
  create,
  outcomeOf,
  readQueued,
  readStored,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import {
  billerRecord,
  createInstructed,
  OPERATOR,
  operatorRecord,
} from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, paid, SILENCE } from '../support/scripted-connector.ts';
import { countWaiting } from '../support/waiting.ts';

// How an operator's concurrent calls are shared out, and what a stop leaves behind.

const freshBooks = sharedBooks();
let books: Books;
let running: Dispatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await Promise.all(running.map(async (dispatch) => await dispatch.stop(0)));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

async function start(
  connectors: Parameters<typeof startDispatch>[1]['connectors'],
  options: Partial<Parameters<typeof startDispatch>[1]> = {},
): Promise<Dispatch> {
  const dispatch = await startDispatch(books, { connectors, ...options });
  running.push(dispatch);
  return dispatch;
}

async function makeMany(count: number, given: Partial<NewPayment> = {}): Promise<NewPayment[]> {
  const vendorId = await books.addVendor(100_000_000n);
  const made = Array.from({ length: count }, () => newPayment({ vendorId, ...given }));
  await create(books, made);
  return made;
}

/** Lets other work of the process run in between. */
async function aTurnLater<Result>(result: Result): Promise<Result> {
  return await new Promise((resolve) => setImmediate(() => resolve(result)));
}

/** An operator whose answers wait until the gate is opened. */
function gatedOperator(payDeadlineMs = 3_600_000) {
  const gate = Promise.withResolvers<undefined>();
  const operator = createScriptedConnector({
    payDeadlineMs,
    pay: async (instruction, signal) => {
      const cutOff = new Promise<PaymentOutcome>((resolve) => {
        signal.addEventListener('abort', () => resolve(SILENCE));
      });
      return await Promise.race([gate.promise.then(() => paid(instruction)), cutOff]);
    },
    status: (query) => paid(query),
  });
  return { operator, open: () => gate.resolve(undefined) };
}

describe('a vendor with a long queue', () => {
  test('does not starve another: a single payment is sent within a few turns', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 4 }));
    const operator = createScriptedConnector({
      pay: async (instruction) => await aTurnLater(paid(instruction)),
    });
    await makeMany(500);
    const dispatch = await start({ [OPERATOR]: operator });
    await until(() => expect(operator.instructions.length).toBeGreaterThan(20));
    const vendorId = await books.addVendor(1_000_000n);
    const single = newPayment({ vendorId });
    await create(books, [single]);
    const sentBefore = operator.instructions.length;
    dispatch.dispatcher.hint([{ vendorId, billerCode: single.billerCode, stage: 'send' }]);
    await outcomeOf(books, single);
    const location = operator.instructions.findIndex(
      (one) => decodeReference(one.reference)?.vendorId === vendorId,
    );
    // The payments already claimed, and one or two rounds that were being claimed.
    expect(location - sentBefore).toBeLessThan(16);
  });

  test('the payments of a long queue are sent oldest first', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 1 }));
    const operator = createScriptedConnector({ pay: paid });
    const made = await makeMany(20);
    await start({ [OPERATOR]: operator });
    for (const one of made) await outcomeOf(books, one);
    expect(operator.instructions.map((one) => decodeReference(one.reference)?.paymentId)).toEqual(
      made.map((one) => one.paymentId),
    );
  });
});

describe('an operator that is slow', () => {
  test('does not hold up another', async () => {
    await putOperator(books.pool, operatorRecord({ operatorCode: 'slow', maxConcurrency: 4 }));
    await putBiller(books.pool, billerRecord('slow_biller', { operatorCode: 'slow' }));
    const slow = gatedOperator();
    const quick = createScriptedConnector({ pay: paid });
    const waiting = await makeMany(10, { billerCode: 'slow_biller' });
    await start({ [OPERATOR]: quick, slow: slow.operator });
    await until(() => expect(slow.operator.instructions).toHaveLength(4));
    for (const one of await makeMany(20)) expect(await outcomeOf(books, one)).toBe('success');
    expect(slow.operator.instructions).toHaveLength(4);
    slow.open();
    for (const one of waiting) expect(await outcomeOf(books, one)).toBe('success');
  });

  test('never has more calls than it allows, payments and status queries together', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 6 }));
    const gate = Promise.withResolvers<undefined>();
    const operator = createScriptedConnector({
      pay: async (instruction) => {
        await gate.promise;
        return paid(instruction);
      },
      status: async (query) => {
        await gate.promise;
        return paid(query);
      },
    });
    const vendorId = await books.addVendor(100_000_000n);
    const asked = Array.from({ length: 10 }, () => newPayment({ vendorId }));
    await createInstructed(books.pool, asked);
    await books.pool.query('update dispatch_queue set due_at = now()');
    const sent = await makeMany(10);
    // Both kinds are due from the start.
    await start({ [OPERATOR]: operator });
    await until(() => expect(operator.instructions.length + operator.queries.length).toBe(6));
    gate.resolve(undefined);
    for (const one of [...asked, ...sent]) expect(await outcomeOf(books, one)).toBe('success');
    expect(operator.maxAtOnce).toBe(6);
    expect(operator.instructions).toHaveLength(10);
  });

  test('gives a place that a status query does not need to a waiting payment', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 1 }));
    const operator = createScriptedConnector({ pay: paid });
    const dispatch = await start({ [OPERATOR]: operator }, { pollMs: 3_600_000 });
    const [made] = await makeMany(1);
    if (made === undefined) throw new Error('nothing was made');
    // The only place is first kept for status queries, of which none is due.
    dispatch.dispatcher.hint([
      { ...made, stage: 'verify' },
      { ...made, stage: 'send' },
    ]);
    expect(await outcomeOf(books, made)).toBe('success');
  });

  test('an operator that is slow to answer status queries keeps half of its places for payments', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 4 }));
    let silent = true;
    const operator = createScriptedConnector({
      payDeadlineMs: 3_600_000,
      pay: (instruction) => (silent ? SILENCE : paid(instruction)),
      status: async () => await new Promise(() => undefined),
    });
    await makeMany(10);
    await start({ [OPERATOR]: operator });
    await until(() => {
      expect(operator.instructions).toHaveLength(10);
      expect(operator.queries).toHaveLength(2);
    });
    silent = false;
    for (const one of await makeMany(10)) expect(await outcomeOf(books, one)).toBe('success');
    expect(operator.queries).toHaveLength(2);
  });
});

describe('a stop', () => {
  test('waits for what is under way and leaves the rest queued', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 5 }));
    const { operator, open } = gatedOperator();
    const made = await makeMany(12);
    const dispatch = await start({ [OPERATOR]: operator });
    await until(() => expect(operator.instructions).toHaveLength(5));
    let stopped = false;
    const stopping = dispatch.stop(60_000).finally(() => {
      stopped = true;
    });
    const late = await makeMany(1);
    dispatch.dispatcher.hint(late.map((one) => ({ ...one, stage: 'send' as const })));
    expect(dispatch.dispatcher.underWay).toBe(5);
    expect(stopped).toBe(false);
    open();
    await stopping;
    expect(dispatch.dispatcher.underWay).toBe(0);
    expect(operator.instructions).toHaveLength(5);
    for (const [index, one] of [...made, ...late].entries()) {
      const { outcome, underWay } = await readStored(books, one);
      expect({ outcome, underWay }).toEqual({
        outcome: index < 5 ? 'success' : null,
        underWay: false,
      });
    }
  });

  test('claims nothing more, even if it was just looking for work', async () => {
    const operator = createScriptedConnector({ pay: paid });
    const dispatch = await start({ [OPERATOR]: operator });
    const vendorId = await books.addVendor(1_000_000n);
    const made = newPayment({ vendorId });
    // Listing the queues waits for this database transaction, and then finds its payment.
    const holder = await books.owner.connect();
    await holder.query('begin');
    await holder.query('lock table dispatch_queue in access exclusive mode');
    await createPayments(holder, [made]);
    await until(async () => {
      expect(await countWaiting(books.pool)).toBe(1);
    });
    const stopping = dispatch.stop();
    await holder.query('commit');
    holder.release();
    await stopping;
    expect(operator.instructions).toEqual([]);
    expect(await readQueued(books, made)).toMatchObject({ stage: 'send', claim_number: 0 });
  });

  test('cuts off longer calls; their payments are verified after the next start', async () => {
    const { operator } = gatedOperator();
    const [made] = await makeMany(1);
    if (made === undefined) throw new Error('nothing was made');
    const dispatch = await start({ [OPERATOR]: operator });
    await until(() => expect(operator.instructions).toHaveLength(1));
    await dispatch.stop(1);
    expect(await readStored(books, made)).toMatchObject({ outcome: null, underWay: true });
    expect(await readQueued(books, made)).toMatchObject({ stage: 'verify', claim_number: 1 });

    await start({ [OPERATOR]: operator });
    expect(await outcomeOf(books, made)).toBe('success');
    expect(operator.instructions).toHaveLength(1);
    expect(operator.queries).toHaveLength(1);
  });

  test('does not wait for a connector that ignores the cut-off', async () => {
    const operator = createScriptedConnector({
      payDeadlineMs: 3_600_000,
      pay: async () => await new Promise(() => undefined),
    });
    const [made] = await makeMany(1);
    if (made === undefined) throw new Error('nothing was made');
    const dispatch = await start({ [OPERATOR]: operator });
    await until(() => expect(operator.instructions).toHaveLength(1));
    await dispatch.stop(1);
    expect(await readStored(books, made)).toMatchObject({ outcome: null, underWay: true });
  });
});
