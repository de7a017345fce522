import { pino } from 'pino';
import { fixedConnectors } from '../../src/payments/dispatch/connectors.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { findViolations } from '../support/books-check.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { FinalOutcome } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import type { Timers } from '../../src/platform/base/timers.ts';
import { startHandleRetention } from '../../src/payments/dispatch/kept-handles.ts';
import {
  create,
  outcomeOf,
  readAttempts,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import { OPERATOR } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import {
  ACCEPTED,
  createScriptedConnector,
  DECLINED,
  NOT_SENT,
  paid,
} from '../support/scripted-connector.ts';
import type { Script } from '../support/scripted-connector.ts';

// Signed callbacks that name a payment only by a handle, after the payment has ended.

const freshBooks = sharedBooks();
let books: Books;
let dispatch: Dispatch | undefined;
/** What the operator's callback says. */
let says: FinalOutcome;

beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await dispatch?.stop();
  dispatch = undefined;
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

/** Its callbacks consist of a handle. */
function createOperator(script: Script): Connector {
  const connector = createScriptedConnector(script);
  return {
    ...connector,
    declaration: { ...connector.declaration, callbackTrust: 'signed' },
    callbacks: {
      acceptedBody: {},
      keepsHandles: true,
      read: async ({ body }, find) => {
        const handle = body.toString();
        const sent = await find.byHandle(handle);
        const reason = sent === undefined ? 'no payment has this handle' : 'an earlier attempt';
        const isOfLast = sent !== undefined && sent.isEarlier !== true;
        const outcome = isOfLast ? says : ({ kind: 'mismatch', reason, says } as const);
        return { kind: 'reports', reports: [{ reference: sent?.reference ?? handle, outcome }] };
      },
    },
  };
}

async function pay(operator: Connector): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(1_000_000n) });
  await create(books, [made]);
  dispatch = await startDispatch(books, { connectors: { [OPERATOR]: operator } });
  return made;
}

/** Stops the dispatcher, so that everything is stored, and receives the callback. Returns the new cases. */
async function receive(operator: Connector, handle: string): Promise<object[]> {
  await dispatch?.stop();
  return await receiveNow(operator, handle, quickTimers());
}

/** Time that passes when somebody waits for it. */
function quickTimers(): Timers {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    after: (delayMs, call) => {
      nowMs += delayMs;
      const waiting = setImmediate(call);
      return () => clearImmediate(waiting);
    },
  };
}

async function receiveNow(operator: Connector, handle: string, timers: Timers): Promise<object[]> {
  const receiver = createCallbackReceiver({
    pool: books.pool,
    ...fixedConnectors(() => operator),
    settler: (dispatch as Dispatch).settler,
    onDue: () => {},
    nowMs: () => 0,
    timers,
    log: pino({ level: 'silent' }),
  });
  const before = await readCases();
  await receiver.receive(OPERATOR, { headers: {}, path: '', body: Buffer.from(handle) });
  return (await readCases()).slice(before.length);
}

async function readCases(): Promise<object[]> {
  const read = await books.pool.query<object>(
    'select kind, payment_id from cases order by opened_at',
  );
  return read.rows;
}

test.each<[string, Script]>([
  ['that an answer gave before the result', { pay: accepted('H1'), status: paid }],
  ['that came with the result', { pay: (about) => ({ ...paid(about), operatorHandle: 'H1' }) }],
  [
    'that a status query gave',
    { pay: () => ACCEPTED, status: (about) => ({ ...paid(about), operatorHandle: 'H1' }) },
  ],
  ['that we made', { prepare: preparing('H1'), pay: paid }],
  [
    'that we made, if the operator gave another',
    { prepare: preparing('H1'), pay: accepted('H2'), status: paid },
  ],
])('a repeated callback with a handle %s opens no case', async (_what, script) => {
  const operator = createOperator(script);
  const made = await pay(operator);
  expect(await outcomeOf(books, made)).toBe('success');
  says = paid(made);
  expect(await receive(operator, 'H1')).toEqual([]);
  expect(await receive(operator, 'H3')).toMatchObject([{ kind: 'unmatched_callback' }]);
});

test('a callback that contradicts a payment that has ended opens a case about it', async () => {
  const operator = createOperator({ pay: () => ({ ...DECLINED, operatorHandle: 'H1' }) });
  const made = await pay(operator);
  expect(await outcomeOf(books, made)).toBe('failed');
  says = paid(made);
  expect(await receive(operator, 'H1')).toMatchObject([{ payment_id: made.paymentId }]);
});

test('callbacks with our own handle settle a payment to which the operator gave another', async () => {
  const operator = createOperator({
    prepare: preparing('H1'),
    pay: accepted('H2'),
    status: accepted('H2'),
  });
  const made = await pay(operator);
  await until(async () => {
    expect(await readAttempts(books, made)).toMatchObject([{ operator_handle: 'H2' }]);
  });
  says = paid(made);
  expect(await receive(operator, 'H1')).toEqual([]);
  expect(await outcomeOf(books, made)).toBe('success');
});

test('a callback that comes before the answer with its handle settles the payment', async () => {
  const released = Promise.withResolvers<void>();
  const operator = createOperator({
    pay: async () => {
      await released.promise;
      return { ...ACCEPTED, operatorHandle: 'H1' };
    },
    status: accepted('H1'),
  });
  const made = await pay(operator);
  await until(async () => expect(await readAttempts(books, made)).toHaveLength(1));
  says = paid(made);
  const hasHandle = async (): Promise<void> =>
    expect(await readAttempts(books, made)).toMatchObject([{ operator_handle: 'H1' }]);
  const timers: Timers = {
    nowMs: () => 0,
    after: (_delayMs, call) => {
      released.resolve();
      void until(hasHandle).then(call);
      return () => {};
    },
  };
  expect(await receiveNow(operator, 'H1', timers)).toEqual([]);
  expect(await outcomeOf(books, made)).toBe('success');
});

test('a callback long before the answer with its handle is for people, and the payment is asked about', async () => {
  const released = Promise.withResolvers<void>();
  const operator = createOperator({
    pay: async () => {
      await released.promise;
      return { ...ACCEPTED, operatorHandle: 'H1' };
    },
    status: paid,
  });
  const made = await pay(operator);
  await until(async () => expect(await readAttempts(books, made)).toHaveLength(1));
  says = paid(made);
  expect(await receiveNow(operator, 'H1', quickTimers())).toMatchObject([
    { kind: 'unmatched_callback', payment_id: null },
  ]);
  released.resolve();
  expect(await outcomeOf(books, made)).toBe('success');
});

test.each<['paid' | 'declined', 'success' | 'failed']>([
  ['paid', 'success'],
  ['declined', 'failed'],
])(
  'an operator that calls back (%s) and waits for our response before it answers opens one case, gets one instruction, and is asked',
  async (kind, outcome) => {
    const calledBack = Promise.withResolvers<object[]>();
    let instructions = 0;
    const resultOf = (of: Parameters<typeof paid>[0]): FinalOutcome =>
      kind === 'paid' ? paid(of) : DECLINED;
    const operator = createOperator({
      pay: async (instruction) => {
        instructions += 1;
        await until(() => expect(dispatch).toBeDefined());
        says = resultOf(instruction);
        calledBack.resolve(await receiveNow(operator, 'H1', quickTimers()));
        return { ...ACCEPTED, operatorHandle: 'H1' };
      },
      status: resultOf,
    });
    const made = await pay(operator);
    expect(await calledBack.promise).toMatchObject([
      { kind: 'unmatched_callback', payment_id: null },
    ]);
    expect(await outcomeOf(books, made)).toBe(outcome);
    expect(instructions).toBe(1);
    // Repeated once its handle is known, it says nothing new.
    expect(await receive(operator, 'H1')).toEqual([]);
    const [opened] = await listCases(books.pool, { resolved: false, limit: 2 });
    const caseId = opened?.caseId ?? '';
    const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
    const proposal = { resolution: 'keep_books', note: 'it is our payment', ...terms } as const;
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
    await approveCurrent(books, { caseId, by: 'Baraka' });
    expect(await listCases(books.pool, { resolved: false, limit: 2 })).toEqual([]);
    expect(await outcomeOf(books, made)).toBe(outcome);
  },
);

test('a callback about an earlier attempt is not taken for one about the last', async () => {
  let attempts = 0;
  const operator = createOperator({
    prepare: {
      deadlineMs: 1_000,
      prepare: async ({ attemptNumber }) => ({
        kind: 'prepared',
        operatorHandle: `H${attemptNumber}`,
      }),
    },
    pay: (about) => {
      attempts += 1;
      return attempts === 1 ? NOT_SENT : paid(about);
    },
  });
  const made = await pay(operator);
  expect(await outcomeOf(books, made)).toBe('success');
  says = paid(made);
  expect(await receive(operator, 'H1')).toMatchObject([{ kind: 'unmatched_callback' }]);
  const [opened] = await listCases(books.pool, { resolved: false, limit: 2 });
  expect(opened?.facts).toMatchObject({
    reference: encodeReference(made.vendorId, made.paymentId),
    report: { reason: 'an earlier attempt' },
  });
  expect(await receive(operator, 'H2')).toEqual([]);
});

test('handles that several payments had name none', async () => {
  const operator = createOperator({ pay: (about) => ({ ...paid(about), operatorHandle: 'H1' }) });
  const one = await pay(operator);
  expect(await outcomeOf(books, one)).toBe('success');
  await dispatch?.stop();
  const two = await pay(operator);
  expect(await outcomeOf(books, two)).toBe('success');
  says = paid(two);
  expect(await receive(operator, 'H1')).toMatchObject([{ kind: 'unmatched_callback' }]);
});

test('handles are kept for 90 days', async () => {
  const operator = createOperator({ pay: (about) => ({ ...paid(about), operatorHandle: 'H1' }) });
  const made = await pay(operator);
  expect(await outcomeOf(books, made)).toBe('success');
  await dispatch?.stop();
  const handles = async (): Promise<number | null> =>
    (await books.pool.query('select from operator_handles')).rowCount;
  const removeAfter = async (days: number): Promise<void> => {
    const now = new Date(Date.now() + days * 86_400_000);
    const job = startHandleRetention({
      pool: books.pool,
      clock: { now: () => now },
      everyMs: 3_600_000,
      log: pino({ level: 'silent' }),
    });
    await job.stop();
  };
  await removeAfter(89);
  expect(await handles()).toBe(1);
  await removeAfter(91);
  expect(await handles()).toBe(0);
});

function accepted(operatorHandle: string): () => typeof ACCEPTED {
  return () => ({ ...ACCEPTED, operatorHandle });
}

function preparing(operatorHandle: string): NonNullable<Script['prepare']> {
  return { deadlineMs: 1_000, prepare: async () => ({ kind: 'prepared', operatorHandle }) };
}
