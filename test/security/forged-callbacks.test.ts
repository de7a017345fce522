import { pino } from 'pino';
import { fixedConnectors } from '../../src/payments/dispatch/connectors.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { http } from '../../src/connectors/operators/http/protocol.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackReading } from '../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { VTPASS_SETTINGS } from '../conformance/subjects/vtpass.ts';
import { readAttempts, readStored } from '../support/dispatch-fixture.ts';
import { createInstructed, openBooks, OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { DECLINED, paid } from '../support/scripted-connector.ts';

// Callbacks that are neither signed nor sent to a secret URL. Anybody can send one who knows a payment's
// reference, and its vendor does. So they are no evidence, and cause few queries.

const BLANK = { headers: {}, path: '', body: Buffer.alloc(0) };

let books: Books;
let settler: Settler;
let vtpass: Connector;
let receiver: CallbackReceiver;
/** The receiver's monotonic clock. */
let nowMs = 0;
/** Which payments became due. */
let due: string[] = [];

beforeAll(async () => {
  books = await openBooks();
  settler = createSettler({ pool: books.openPool(), deadlineMs: 8_000 });
  const secret = JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' });
  const operator = {
    operatorCode: OPERATOR,
    name: 'VTpass',
    connector: 'http',
    baseUrl: 'https://pay.example',
    settings: VTPASS_SETTINGS,
    maxConcurrency: 1,
    maxPerSecond: null,
    secrets: [],
    secret,
  };
  vtpass = http.create(operator, `https://m.example/callbacks/${OPERATOR}`);
  receiver = receiverOf(vtpass);
});
beforeEach(() => {
  due = [];
});
afterAll(async () => {
  await vtpass.close();
  await books.close();
});

function receiverOf(connector: Connector): CallbackReceiver {
  return createCallbackReceiver({
    pool: books.pool,
    ...fixedConnectors((code) => (code === OPERATOR ? connector : undefined)),
    settler,
    onDue: ({ paymentId }) => due.push(paymentId),
    nowMs: () => nowMs,
    log: pino({ level: 'silent' }),
  });
}

/** An instructed payment that is due to be queried in an hour. */
async function makeSent(): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(1_000_000n) });
  await createInstructed(books.pool, [made]);
  await books.pool.query('update dispatch_queue set operator_handle = $2 where payment_id = $1', [
    made.paymentId,
    requestIdOf(referenceOf(made)),
  ]);
  await postpone(made);
  return made;
}

async function postpone(made: NewPayment): Promise<void> {
  await books.pool.query(
    `update dispatch_queue set due_at = now() + interval '1 hour' where payment_id = $1`,
    [made.paymentId],
  );
}

function referenceOf(made: NewPayment): string {
  return encodeReference(made.vendorId, made.paymentId);
}

/** What VTpass knows the attempt by. Its time can be guessed. */
function requestIdOf(reference: string): string {
  return `202601051015${reference}a1`;
}

/** VTpass's own callback, as its documentation shows it; anybody can write one. */
async function send(reference: string, status: string): Promise<void> {
  const transactions = { status, transactionId: 'FORGED', amount: 1 };
  const data = { code: '000', requestId: requestIdOf(reference), content: { transactions } };
  const body = Buffer.from(JSON.stringify({ type: 'transaction-update', data }));
  expect(await receiver.receive(OPERATOR, { ...BLANK, body })).toMatchObject({ kind: 'accepted' });
}

async function readKept(): Promise<unknown[]> {
  const read = await books.pool.query(
    'select kind from cases union all select reference from unmatched_callbacks',
  );
  return read.rows;
}

async function readDueMs(made: NewPayment): Promise<number> {
  const read = await books.pool.query<{ due: number }>(
    `select extract(epoch from due_at)::float8 * 1000 as due from dispatch_queue where payment_id = $1`,
    [made.paymentId],
  );
  return read.rows[0]?.due ?? Number.NaN;
}

async function readClockMs(): Promise<number> {
  const read = await books.pool.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  return read.rows[0]?.now ?? Number.NaN;
}

test.each(['reversed', 'failed', 'delivered'])(
  'one that says %s about a settled payment opens no case and changes nothing',
  async (status) => {
    const made = await makeSent();
    await settler.settle(paidReport(made));
    const before = await readStored(books, made);
    await send(referenceOf(made), status);
    expect(await readKept()).toEqual([]);
    expect(await readStored(books, made)).toEqual(before);
    expect(due).toEqual([]);
  },
);

test('one about a payment that does not exist keeps nothing', async () => {
  await send(encodeReference(1, newId()), 'delivered');
  await send('0'.repeat(32), 'delivered');
  expect(await readKept()).toEqual([]);
});

test('one about an open payment settles nothing: the operator is queried at once', async () => {
  const made = await makeSent();
  await send(referenceOf(made), 'failed');
  expect(await readDueMs(made)).toBeLessThanOrEqual(await readClockMs());
  expect(due).toEqual([made.paymentId]);
  expect(await readStored(books, made)).toMatchObject({ outcome: null });
});

test('however many come, the operator is queried once in 30 seconds about each payment', async () => {
  nowMs = 1_000_000;
  const [made, other] = [await makeSent(), await makeSent()];
  await send(referenceOf(made), 'delivered');
  await postpone(made);
  nowMs += 10_500;
  const before = await readClockMs();
  for (let count = 0; count < 50; count += 1) await send(referenceOf(made), 'delivered');
  const after = await readClockMs();
  expect(due).toEqual([made.paymentId]);
  // The operator's own callback may be among them, so the next query comes as soon as it is allowed.
  expect(await readDueMs(made)).toBeGreaterThanOrEqual(before + 20_000);
  expect(await readDueMs(made)).toBeLessThanOrEqual(after + 20_000);
  await send(referenceOf(other), 'delivered');
  expect(due).toEqual([made.paymentId, other.paymentId]);
  nowMs += 20_000;
  await send(referenceOf(made), 'delivered');
  expect(due).toEqual([made.paymentId, other.paymentId, made.paymentId]);
});

test('nothing but the name of the payment is used, whatever a connector reads', async () => {
  const made = await makeSent();
  const settled = await makeSent();
  await settler.settle(paidReport(settled));
  const says = paid(made);
  const outcomes = [
    says,
    DECLINED,
    { kind: 'reversed', message: 'Returned' },
    { kind: 'mismatch', reason: 'another handle', says },
    { kind: 'hint', operatorHandle: 'FORGED', says },
  ] as const;
  const readings: CallbackReading[] = [
    { kind: 'balance', balanceCents: 1n },
    ...outcomes.map((outcome) => ({
      kind: 'reports' as const,
      reports: [made, settled].map((one) => ({ reference: referenceOf(one), outcome })),
    })),
  ];
  for (const reading of readings) {
    const read = async () => reading;
    const connector = { ...vtpass, callbacks: { acceptedBody: {}, keepsHandles: false, read } };
    await receiverOf(connector).receive(OPERATOR, BLANK);
  }
  expect(await readStored(books, made)).toMatchObject({ outcome: null });
  const [attempt] = await readAttempts(books, made);
  expect(attempt?.operator_handle).toBe(requestIdOf(referenceOf(made)));
  expect(await readKept()).toEqual([]);
});

test('their senders are strangers; those of an operator that signs are not', () => {
  expect(receiver.canBeForged(OPERATOR)).toBe(true);
  expect(receiver.canBeForged('nobody')).toBe(false);
  const declaration = { ...vtpass.declaration, callbackTrust: 'signed' } as const;
  expect(receiverOf({ ...vtpass, declaration }).canBeForged(OPERATOR)).toBe(false);
});
