import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallbackReport } from '../../src/connectors/operator-callbacks.ts';
import type { Paid, StatusOutcome } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import pino from 'pino';
import { encodeReference } from '../../src/parties/reference.ts';
import { awakeTimers } from '../../src/platform/base/awake-timers.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { readArchivedPayment } from '../../src/payments/archive/archive-store.ts';
import { archivePayments, verifyArchive } from '../../src/payments/archive/archive.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { Capacity } from '../../src/payments/dispatch/capacity.ts';
import { askForDetails, pauseAfter } from '../../src/payments/dispatch/late-details.ts';
import type { Payments } from '../../src/payments/payments.ts';
import {
  claimQuestion,
  listDueDetails,
  noteOwed,
  takeDetails,
} from '../../src/payments/settle/late-details-store.ts';
import { countOwedDetails, listOwedDetails } from '../../src/payments/settle/read-late-details.ts';
import { findPayment } from '../../src/payments/timeline/find.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { findViolations } from '../support/books-check.ts';
import { create, openPaymentsOf, outcomeOf, until } from '../support/dispatch-fixture.ts';
import { createInstructed, OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, paid, SILENCE } from '../support/scripted-connector.ts';
import type { Script, ScriptedConnector } from '../support/scripted-connector.ts';
import { sharedBooks } from '../support/shared-books.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// The operator says that a payment is made, and its token comes later.

const OTHER_OPERATOR = 'airtel';
const TOKEN = '00001111222233334444';

const freshBooks = sharedBooks();
let books: Books;
let running: Payments[] = [];
/** What the operator's next callback says. */
let said: CallbackReport[] = [];
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await Promise.all(running.map(async (one) => await one.stop(() => 1_000)));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

const owing = (asked: { readonly amountCents: bigint }): Paid => ({
  ...paid(asked),
  detailsFollow: true,
});
const complete = (asked: { readonly amountCents: bigint }): Paid => ({
  ...paid(asked),
  details: { token: TOKEN },
});

async function start(connector: Connector): Promise<Payments> {
  const heard: Connector = {
    ...connector,
    callbacks: {
      acceptedBody: {},
      keepsHandles: false,
      read: async () => ({ kind: 'reports', reports: said }),
    },
  };
  const payments = openPaymentsOf(books, {
    connectors: { [OPERATOR]: heard, [OTHER_OPERATOR]: heard },
    roles: ['dispatcher'],
  });
  running.push(payments);
  await payments.catalogue.reload();
  payments.start();
  return payments;
}

/** A vendor that has a webhook. */
async function addShop(): Promise<number> {
  const vendorId = await books.addVendor(1_000_000n);
  await books.pool.query(
    `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
     values (bucket_of($1), $1, 'http://127.0.0.1:9/', true, now())`,
    [vendorId],
  );
  return vendorId;
}

/** A payment that is settled as paid; its operator follows the script. */
async function payOne(script: Script): Promise<{
  readonly made: NewPayment;
  readonly operator: ScriptedConnector;
  readonly payments: Payments;
}> {
  const operator = createScriptedConnector(script);
  const made = newPayment({ vendorId: await addShop() });
  await create(books, [made]);
  const payments = await start(operator);
  expect(await outcomeOf(books, made)).toBe('success');
  return { made, operator, payments };
}

const dueNow = async () => [...(await listDueDetails(books.pool)).values()].flat();

function referenceOf({ vendorId, paymentId }: NewPayment): string {
  return encodeReference(vendorId, paymentId);
}

async function callBack(
  payments: Payments,
  made: NewPayment,
  outcome: CallbackReport['outcome'],
  operatorCode = OPERATOR,
): Promise<void> {
  said = [{ reference: referenceOf(made), outcome }];
  const request = { headers: {}, path: '', body: Buffer.alloc(0) };
  await payments.callbackReceiver.receive(operatorCode, request);
}

async function statusOf(payments: Payments, { vendorId, paymentId }: NewPayment) {
  const { outcome, details, detailsPending } =
    (await payments.statuses.read({ vendorId, paymentId })) ?? {};
  return { outcome, details, detailsPending };
}

async function eventsOf({ paymentId }: NewPayment) {
  const read = await books.pool.query<{ type: string; details: object | null }>(
    'select type, details from events where payment_id = $1 order by occurred_at',
    [paymentId],
  );
  return read.rows.map(({ type, details }) => [type, details]);
}

async function casesOf({ paymentId }: NewPayment): Promise<string[]> {
  const read = await books.pool.query<{ kind: string }>(
    'select kind from cases where payment_id = $1 order by opened_at',
    [paymentId],
  );
  return read.rows.map(({ kind }) => kind);
}

/** Number of callbacks that people have to read. */
async function unmatched(): Promise<number> {
  const read = await books.pool.query("select from cases where kind = 'unmatched_callback'");
  return read.rowCount ?? 0;
}

/** Two people decide the payment's case: the vendor keeps what it has. */
async function keepBooks({ paymentId }: NewPayment): Promise<void> {
  const read = await books.pool.query<{ case_id: string }>(
    'select case_id from cases where payment_id = $1',
    [paymentId],
  );
  const caseId = read.rows[0]?.case_id ?? '';
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'keep_books', ...nothing, note: 'the vendor keeps the first' };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

const RECEIVED = ['transaction.details_received', { token: TOKEN }];

describe('details that follow', () => {
  test('are asked for until they come: the vendor is told of its success at once, and of the token by an event of its own', async () => {
    let queries = 0;
    const { made, operator, payments } = await payOne({
      pay: owing,
      status: (query) => ((queries += 1) < 4 ? owing(query) : complete(query)),
    });
    await until(async () => expect(await eventsOf(made)).toHaveLength(2));
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
    expect(await statusOf(payments, made)).toEqual({
      ...{ outcome: 'success', details: { token: TOKEN }, detailsPending: false },
    });
    const found = await findPayment(books.pool, referenceOf(made));
    expect(found?.payment.details).toEqual({ token: TOKEN });
    expect(found?.timeline.map(({ kind }) => kind)).toContain('details');
    expect(operator.instructions).toHaveLength(1);
    expect(operator.queries).toHaveLength(4);
    expect(await listOwedDetails(books.pool, { limit: 10 })).toEqual([]);
  });

  test('are listed with since when they are owed, and the status says that they are', async () => {
    const { made, payments } = await payOne({ pay: owing, status: () => SILENCE });
    expect(await statusOf(payments, made)).toEqual({
      ...{ outcome: 'success', details: null, detailsPending: true },
    });
    expect(await listOwedDetails(books.pool, { limit: 10 })).toMatchObject([
      { paymentId: made.paymentId, operatorCode: OPERATOR, since: expect.any(Date) },
    ]);
    expect(await countOwedDetails(books.pool)).toMatchObject([
      { operatorCode: OPERATOR, count: 1 },
    ]);
    await until(async () => {
      const [owed] = await listOwedDetails(books.pool, { limit: 10 });
      expect(owed?.asked).toBeGreaterThan(1);
      expect(owed?.note).toBe('no answer');
    });
  });

  test('come by callback from an operator that cannot be asked, once, however often it repeats', async () => {
    const { made, payments } = await payOne({ pay: owing });
    for (let times = 0; times < 3; times += 1) {
      await callBack(payments, made, complete(made));
    }
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
    expect(await casesOf(made)).toEqual([]);
  });

  test('may come in parts', async () => {
    const { made, payments } = await payOne({ pay: owing });
    await callBack(payments, made, { ...owing(made), details: { units: '4.00' } });
    expect(await statusOf(payments, made)).toMatchObject({
      ...{ details: { units: '4.00' }, detailsPending: true },
    });
    await callBack(payments, made, complete(made));
    expect(await statusOf(payments, made)).toMatchObject({
      ...{ details: { units: '4.00', token: TOKEN }, detailsPending: false },
    });
  });

  test('come without being announced, too: a token is never lost', async () => {
    const { made, payments } = await payOne({ pay: paid });
    await callBack(payments, made, complete(made));
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
    expect(await statusOf(payments, made)).toMatchObject({ details: { token: TOKEN } });
  });

  test('are asked for at once after a hint, which brings none itself', async () => {
    const asked = Promise.withResolvers<void>();
    let answer: (query: { readonly amountCents: bigint }) => StatusOutcome = () => SILENCE;
    const { made, payments } = await payOne({
      pay: owing,
      status: (query) => {
        asked.resolve();
        return answer(query);
      },
    });
    const says = { ...paid(made), details: { token: 'forged' } };
    await callBack(payments, made, { kind: 'hint', operatorHandle: null, says });
    expect(await statusOf(payments, made)).toMatchObject({ details: null, detailsPending: true });
    answer = complete;
    await asked.promise;
    await until(async () =>
      expect(await statusOf(payments, made)).toMatchObject({ details: { token: TOKEN } }),
    );
    expect(await casesOf(made)).toEqual([]);
  });

  test('an unsigned callback brings none from an operator that cannot be asked', async () => {
    const { made, payments } = await payOne({ pay: owing });
    const says = { ...paid(made), details: { token: 'forged' } };
    for (let times = 0; times < 2; times += 1) {
      await callBack(payments, made, { kind: 'hint', operatorHandle: null, says });
    }
    expect(await statusOf(payments, made)).toMatchObject({ details: null, detailsPending: true });
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null]]);
    expect(await casesOf(made)).toEqual([]);
  });

  test('keep their payment out of the archive until they have come, and go there with it', async () => {
    const folder = await makeTemporaryFolder();
    try {
      const { made, payments } = await payOne({ pay: owing });
      const soon = new Date(Date.now() + 60_000);
      const wanted = { vendorIds: [made.vendorId], before: soon, folder };
      expect(await archivePayments(books.owner, wanted)).toMatchObject({ payments: 0 });
      await callBack(payments, made, complete(made));
      expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
      expect(await archivePayments(books.owner, wanted)).toMatchObject({ payments: 1 });
      const [name = ''] = await readdir(folder);
      const line = gunzipSync(await readFile(path.join(folder, name))).toString();
      expect(JSON.parse(line)).toMatchObject({ late_details: { token: TOKEN } });
      // The operator repeats itself after months.
      await callBack(payments, made, complete(made));
      expect(await casesOf(made)).toEqual([]);
      expect(await unmatched()).toBe(0);
      expect(await eventsOf(made)).toHaveLength(2);
    } finally {
      await removeFolder(folder);
    }
  });

  test('are asked for at once when a person wants it', async () => {
    const { made, payments } = await payOne({ pay: owing });
    await payments.verifyNow(made);
    await callBack(payments, made, complete(made));
    await expect(payments.verifyNow(made)).rejects.toThrow('nothing to query');
  });
});

describe('details of an archived payment', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(async () => {
    await removeFolder(folder);
  });

  /** A payment that was settled with a token, or without, and archived. */
  async function archiveOne(pays: Script['pay'] = paid) {
    const { made, payments } = await payOne({ pay: pays });
    const before = new Date(Date.now() + 60_000);
    const wanted = { vendorIds: [made.vendorId], before, folder };
    expect(await archivePayments(books.owner, wanted)).toMatchObject({ payments: 1 });
    return { made, payments };
  }
  const archivedStatus = async ({ vendorId, paymentId }: NewPayment) =>
    await readArchivedPayment(books.pool, { vendorId, paymentId });

  test('that come later reach the vendor once, its status and the history', async () => {
    const { made, payments } = await archiveOne();
    for (let times = 0; times < 3; times += 1) {
      await callBack(payments, made, complete(made));
    }
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
    expect(await archivedStatus(made)).toMatchObject({ details: { token: TOKEN } });
    const found = await findPayment(books.pool, referenceOf(made));
    expect(found?.payment).toMatchObject({ archived: true, details: { token: TOKEN } });
    expect(found?.timeline.map(({ kind }) => kind)).toContain('details');
    expect([await casesOf(made), await unmatched()]).toEqual([[], 0]);
    expect(await verifyArchive(books.pool, folder)).toEqual({ files: 1, faults: [] });
  });

  test('are taken also if the payment was archived after the callback had found it', async () => {
    const { made, payments } = await archiveOne();
    const report = { ...paidReport(made), operatorCode: OPERATOR, details: { token: TOKEN } };
    expect(await payments.settler.settle(report)).toBe('repeated');
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', null], RECEIVED]);
  });

  test('bring no news if they are those in its file', async () => {
    const { made, payments } = await archiveOne(complete);
    await callBack(payments, made, complete(made));
    await callBack(payments, made, paid(made));
    expect(await eventsOf(made)).toEqual([['transaction.succeeded', { token: TOKEN }]]);
    expect([await casesOf(made), await unmatched()]).toEqual([[], 0]);
  });

  test('may add to those in its file', async () => {
    const { made, payments } = await archiveOne(complete);
    await callBack(payments, made, {
      ...complete(made),
      details: { token: TOKEN, units: '4.00' },
    });
    expect(await archivedStatus(made)).toMatchObject({ details: { units: '4.00' } });
  });

  test('that contradict those in its file are a case, which people can decide', async () => {
    const { made, payments } = await archiveOne(complete);
    const other = { ...complete(made), details: { token: '9' } };
    for (let times = 0; times < 2; times += 1) await callBack(payments, made, other);
    expect(await casesOf(made)).toEqual(['details_conflict']);
    expect(await eventsOf(made)).toHaveLength(1);
    await keepBooks(made);
    await callBack(payments, made, other);
    expect(await casesOf(made)).toEqual(['details_conflict']);
  });

  test('whatever else its operator, or another one, says of it is kept for people', async () => {
    const { made, payments } = await archiveOne();
    await callBack(payments, made, { kind: 'reversed', message: 'Returned' });
    await callBack(payments, made, complete(made), OTHER_OPERATOR);
    expect(await unmatched()).toBe(2);
    expect(await eventsOf(made)).toHaveLength(1);
  });
});

describe('details that contradict what is known', () => {
  test.each<[string, (made: NewPayment) => Paid]>([
    ['another token', (made) => ({ ...complete(made), details: { token: '9' } })],
    ['another amount', (made) => complete({ amountCents: made.amountCents - 100n })],
    ['another payment', (made) => ({ ...complete(made), operatorReference: 'OP2' })],
  ])('%s: people see it, and nothing is overwritten', async (_, contradicting) => {
    const { made, payments } = await payOne({ pay: owing });
    await callBack(payments, made, complete(made));
    for (let times = 0; times < 2; times += 1) {
      await callBack(payments, made, contradicting(made));
    }
    expect(await casesOf(made)).toEqual(['details_conflict']);
    expect(await statusOf(payments, made)).toMatchObject({ details: { token: TOKEN } });
    expect(await eventsOf(made)).toHaveLength(2);
  });

  test('are not shown again after people have decided', async () => {
    const { made, payments } = await payOne({ pay: owing });
    const other = { ...complete(made), details: { token: '9' } };
    await callBack(payments, made, complete(made));
    await callBack(payments, made, other);
    await keepBooks(made);
    await callBack(payments, made, other);
    expect(await casesOf(made)).toEqual(['details_conflict']);
  });

  test('the operator has not paid after all: a contradiction, as for any settled payment', async () => {
    const { made } = await payOne({
      pay: owing,
      status: () => ({ kind: 'reversed', message: 'Returned' }),
    });
    await until(async () => expect(await casesOf(made)).toEqual(['contradiction']));
  });

  test('a stranger: another operator’s report adds nothing', async () => {
    const { made, payments } = await payOne({ pay: owing });
    await callBack(payments, made, complete(made), OTHER_OPERATOR);
    expect(await statusOf(payments, made)).toMatchObject({ details: null, detailsPending: true });
    const { paymentId } = made;
    const report = { ...paidReport(made), details: { token: 'x' } };
    expect(await takeDetails(books.pool, { ...report, operatorCode: OTHER_OPERATOR })).toBe(
      'no_payment',
    );
    const otherVendor = await books.addVendor();
    expect(await takeDetails(books.pool, { ...report, vendorId: otherVendor, paymentId })).toBe(
      'no_payment',
    );
  });
});

describe('kills and several processes', () => {
  test('killed after the note and before the settlement: nothing is owed until the payment is paid', async () => {
    const made = newPayment({ vendorId: await addShop() });
    await createInstructed(books.pool, [made]);
    const report = { ...paidReport(made), operatorCode: OPERATOR };
    await noteOwed(books.pool, { ...report, detailsFollow: { operatorHandle: 'H' } });
    await books.pool.query("update late_details set due_at = now() - interval '1 s'");
    expect(await dueNow()).toEqual([]);
    expect(await listOwedDetails(books.pool, { limit: 10 })).toEqual([]);
    const payments = openPaymentsOf(books);
    running.push(payments);
    expect(await payments.settler.settle(report)).toBe('settled');
    expect(await listOwedDetails(books.pool, { limit: 10 })).toMatchObject([
      { operatorHandle: 'H', attemptNumber: 1 },
    ]);
  });

  test('one of several processes asks; one that is killed while it asks delays the question only', async () => {
    const { made, payments } = await payOne({ pay: owing });
    await payments.stop(() => 1_000);
    await books.pool.query("update late_details set due_at = now() - interval '1 s'");
    const [owed] = await dueNow();
    if (owed === undefined) throw new Error('no question is due');
    const claimed = await Promise.all(
      Array.from({ length: 5 }, async () => await claimQuestion(books.pool, owed, 60_000)),
    );
    expect(claimed.filter(Boolean)).toHaveLength(1);
    // The process that claimed it is gone.
    expect(await dueNow()).toEqual([]);
    await books.pool.query("update late_details set due_at = now() - interval '1 s'");
    const next = await start(createScriptedConnector({ pay: owing, status: complete }));
    await until(async () =>
      expect(await statusOf(next, made)).toMatchObject({ details: { token: TOKEN } }),
    );
  });
});

/** Payments that are paid, and whose details their operator owes and may be asked for now, the oldest first. */
async function payOwing(count: number): Promise<{
  readonly made: readonly NewPayment[];
  readonly payments: Payments;
}> {
  const vendorId = await addShop();
  const made = Array.from({ length: count }, () => newPayment({ vendorId }));
  await createInstructed(books.pool, made);
  const payments = openPaymentsOf(books);
  running.push(payments);
  for (const each of made) {
    const report = { ...paidReport(each), operatorCode: OPERATOR };
    await noteOwed(books.pool, { ...report, detailsFollow: { operatorHandle: 'H' } });
    expect(await payments.settler.settle(report)).toBe('settled');
  }
  await books.pool.query(
    `update late_details set due_at = now() - interval '1 hour' + n * interval '1 s'
     from unnest($1::uuid[]) with ordinality as u (id, n) where payment_id = u.id`,
    [made.map(({ paymentId }) => paymentId)],
  );
  return { made, payments };
}

describe('an operator that cannot be asked now delays no other one', () => {
  test('one that owes the details of many payments leaves the others their places', async () => {
    const { made } = await payOwing(LIMITS.detailsQuestions + 1);
    const last = made.at(-1)?.paymentId;
    await books.pool.query('update late_details set operator_code = $1 where payment_id = $2', [
      ...[OTHER_OPERATOR, last],
    ]);
    const due = await listDueDetails(books.pool);
    expect(due.get(OPERATOR)).toHaveLength(LIMITS.detailsQuestions);
    expect(due.get(OTHER_OPERATOR)).toMatchObject([{ paymentId: last }]);
  });

  test('nobody to ask about one payment: it waits, and the next ones are asked about', async () => {
    const { made, payments } = await payOwing(2);
    const [unasked, asked] = made as [NewPayment, NewPayment];
    await books.pool.query('update late_details set operator_version = 99 where payment_id = $1', [
      unasked.paymentId,
    ]);
    const operator = createScriptedConnector({ pay: owing, status: complete });
    await payments.catalogue.reload();
    const options = {
      ...{ pool: books.pool, catalogue: payments.catalogue, settler: payments.settler },
      witnessOf: (_: string, version: number | null) => (version === 99 ? undefined : operator),
      capacity: { free: () => 1, begin: () => {}, end: () => {} } as unknown as Capacity,
      ...{
        policy: { firstMs: 60_000, maxMs: 60_000 },
        awakeTimers,
        log: pino({ level: 'silent' }),
      },
    };
    await askForDetails(options, new AbortController().signal);
    expect(await statusOf(payments, asked)).toMatchObject({ details: { token: TOKEN } });
    expect(await dueNow()).toEqual([]);
    expect(await listOwedDetails(books.pool, { limit: 10 })).toMatchObject([
      { paymentId: unasked.paymentId, asked: 1, note: expect.stringMatching('cannot be asked') },
    ]);
  });
});

test('pauses grow up to an hour, and after a month only a callback brings details', () => {
  const policy = { firstMs: 4_000, maxMs: 3_600_000 };
  const since = new Date('2026-01-01T00:00:00Z');
  const pauses = [0, 1, 2, 9, 10, 1_000].map((asked) =>
    pauseAfter({ asked, since }, policy, since),
  );
  expect(pauses).toEqual([4_000, 8_000, 16_000, 2_048_000, 3_600_000, 3_600_000]);
  const later = new Date('2026-02-01T00:00:00Z');
  expect(pauseAfter({ asked: 500, since }, policy, later)).toBeNull();
});
