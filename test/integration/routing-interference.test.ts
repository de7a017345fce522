import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { removeRoute, setRoute } from '../../src/payments/billers/administer-routes.ts';
import { putOperator } from '../../src/payments/billers/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { CallbackRequest } from '../../src/connectors/operator-callbacks.ts';
import type { Paid, StatusOutcome } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import {
  create,
  openPaymentsOf,
  outcomeOf,
  readStored,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { OPERATOR, operatorRecord, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { importLines, referenceOf } from '../support/reconciliation-fixture.ts';
import {
  createScriptedConnector,
  NO_CONNECTION,
  NOT_SENT,
  paid,
  SILENCE,
} from '../support/scripted-connector.ts';

// A biller with two operators: changes while an attempt is open, and reports of one operator about the
// payments of the other.

const SECOND = 'second';
const freshBooks = sharedBooks();
let books: Books;
let folder: string;
let running: Dispatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
  folder = await mkdtemp(path.join(tmpdir(), 'routing-'));
  await putOperator(books.pool, operatorRecord({ operatorCode: SECOND }));
  await setRoute(books.pool, { billerCode: BILLER, operatorCode: SECOND }, { position: 1 });
});
afterEach(async () => {
  await Promise.all(running.map(async (dispatch) => await dispatch.stop(0)));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
  await rm(folder, { recursive: true });
});

async function start(connectors: Readonly<Record<string, Connector>>): Promise<Dispatch> {
  const dispatch = await startDispatch(books, { connectors });
  running.push(dispatch);
  return dispatch;
}

async function make(): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(10_000_000n) });
  await create(books, [made]);
  return made;
}

async function readRoutes(made: NewPayment): Promise<(string | null)[][]> {
  const read = await books.pool.query<{ operator: string; outcome: string }>(
    `select operator_code as operator, outcome from attempts
     where payment_id = $1 order by attempt_number`,
    [made.paymentId],
  );
  return read.rows.map(({ operator, outcome }) => [operator, outcome]);
}

async function readCases(): Promise<unknown[]> {
  const read = await books.pool.query(
    'select kind, operator_code from cases order by kind, operator_code',
  );
  return read.rows;
}

/** A protocol with two steps; the first waits, so that the claim is committed and nothing is sent. */
function held() {
  const release = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const scripted = createScriptedConnector({ pay: paid });
  const connector: Connector = {
    ...scripted,
    prepare: {
      deadlineMs: 600_000,
      prepare: async () => {
        reached.resolve();
        await release.promise;
        return { kind: 'prepared', operatorHandle: 'H1' };
      },
    },
  };
  return { connector, scripted, reached: reached.promise, release: release.resolve };
}

describe('between the claim and the instruction', () => {
  test.each<[string, () => Promise<void>]>([
    [
      'the weights are changed',
      async () => {
        const key = { billerCode: BILLER, operatorCode: SECOND };
        await setRoute(books.pool, key, { position: 0, weight: 1_000 });
        await setRoute(books.pool, { ...key, operatorCode: OPERATOR }, { position: 0, weight: 1 });
      },
    ],
    [
      'the route is moved behind the other',
      async () => {
        const key = { billerCode: BILLER, operatorCode: OPERATOR };
        await setRoute(books.pool, key, { position: 9 });
      },
    ],
    [
      'the route takes other amounts',
      async () => {
        const key = { billerCode: BILLER, operatorCode: OPERATOR };
        await setRoute(books.pool, key, { maximumCents: 1n });
      },
    ],
  ])('%s: the payment stays with the operator of its attempt', async (_what, change) => {
    const first = held();
    const second = createScriptedConnector({ pay: paid });
    const { catalogue } = await start({ [OPERATOR]: first.connector, [SECOND]: second });
    const made = await make();
    await first.reached;
    await change();
    await catalogue.reload();
    first.release();
    expect(await outcomeOf(books, made)).toBe('success');
    expect(await readRoutes(made)).toEqual([[OPERATOR, 'paid']]);
    expect(first.scripted.instructions).toHaveLength(1);
    expect(second.instructions).toEqual([]);
  });
});

test('a route that is removed while its attempt is open is still asked, and settles', async () => {
  await setRoute(books.pool, { billerCode: BILLER, operatorCode: OPERATOR }, { position: 2 });
  let says: typeof SILENCE | 'paid' = SILENCE;
  const removed = createScriptedConnector({
    pay: () => SILENCE,
    status: (query) => (says === 'paid' ? paid(query) : says),
    acceptanceWindowMs: null,
  });
  const other = createScriptedConnector({ pay: paid, status: paid });
  const dispatch = await start({ [SECOND]: removed, [OPERATOR]: other });
  const made = await make();
  await until(() => expect(removed.queries.length).toBeGreaterThan(0));
  await removeRoute(books.pool, { billerCode: BILLER, operatorCode: SECOND });
  await dispatch.catalogue.reload();
  const asked = removed.queries.length;
  await until(() => expect(removed.queries.length).toBeGreaterThan(asked + 1));
  expect((await readStored(books, made)).outcome).toBeNull();
  says = 'paid';
  expect(await outcomeOf(books, made)).toBe('success');
  expect(await readRoutes(made)).toEqual([[SECOND, 'paid']]);
  expect(other.instructions).toEqual([]);
  expect(other.queries).toEqual([]);
});

/** An attempt of the second operator that is open; the first was never instructed. */
async function openWithSecond(): Promise<{ made: NewPayment; second: ReturnType<typeof silent> }> {
  await setRoute(books.pool, { billerCode: BILLER, operatorCode: OPERATOR }, { position: 2 });
  const second = silent();
  await start({
    [OPERATOR]: createScriptedConnector({ pay: () => NO_CONNECTION }),
    [SECOND]: second,
  });
  const made = await make();
  await until(() => expect(second.queries.length).toBeGreaterThan(0));
  await running.pop()?.stop(0);
  return { made, second };
}

function silent() {
  return createScriptedConnector({
    pay: () => SILENCE,
    status: () => SILENCE,
    acceptanceWindowMs: null,
  });
}

test('a statement of one operator that lists a payment of the other is a case, and settles nothing', async () => {
  const { made } = await openWithSecond();
  const lines = [{ of: made, operatorReference: 'OP-1' }];
  const imported = await importLines(books, folder, lines, { operator: OPERATOR });
  expect(imported.casesOpened).toBe(1);
  expect((await readStored(books, made)).outcome).toBeNull();
  expect(await readCases()).toEqual([{ kind: 'contradiction', operator_code: OPERATOR }]);
  // The other's own statement settles it.
  await importLines(books, folder, [{ of: made, operatorReference: 'SE-1' }], {
    operator: SECOND,
  });
  expect((await readStored(books, made)).outcome).toBe('success');
  expect(await books.balances(made.vendorId)).toMatchObject({
    [`operator:${SECOND}`]: made.amountCents,
  });
});

test('people also find out about the next operator that never answers', async () => {
  let answer: StatusOutcome = SILENCE;
  const first = createScriptedConnector({
    pay: () => SILENCE,
    status: () => answer,
    caseAfterMs: 0,
  });
  const second = createScriptedConnector({
    pay: () => SILENCE,
    status: () => SILENCE,
    caseAfterMs: 0,
  });
  await start({ [OPERATOR]: first, [SECOND]: second });
  const made = await make();
  await until(async () => expect(await readCases()).toHaveLength(1));
  await decide(made, 'keep_books');
  const asked = first.queries.length;
  await until(() => expect(first.queries.length).toBeGreaterThan(asked + 2));
  // What people have decided about this instruction is not asked again.
  expect(await readCases()).toEqual([{ kind: 'no_answer', operator_code: OPERATOR }]);
  answer = NOT_SENT;
  await until(() => expect(second.queries.length).toBeGreaterThan(2));
  await until(async () =>
    expect(await readCases()).toEqual([
      { kind: 'no_answer', operator_code: OPERATOR },
      { kind: 'no_answer', operator_code: SECOND },
    ]),
  );
});

/**
 * The first operator, which did not take the payment, reports it as paid while the second has it. Then the
 * second proves that it did not execute it.
 */
async function paidByTheFirst() {
  const first = createScriptedConnector({ pay: () => NO_CONNECTION });
  let answer: StatusOutcome = SILENCE;
  const second = createScriptedConnector({
    pay: (instruction) => (second.instructions.length === 1 ? SILENCE : paid(instruction)),
    status: () => answer,
  });
  const { settler } = await start({ [OPERATOR]: first, [SECOND]: second });
  const made = await make();
  await until(() => expect(second.queries.length).toBeGreaterThan(0));
  expect(await settler.settle(paidReport(made, { operatorCode: OPERATOR }))).toBe('contradicted');
  answer = NOT_SENT;
  await until(async () => {
    expect((await readRoutes(made)).slice(0, 2)).toEqual([
      [OPERATOR, 'not_sent'],
      [SECOND, 'not_sent'],
    ]);
  });
  return { made, second };
}

async function decide(made: NewPayment, resolution: string): Promise<void> {
  const [row] = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const proposal = {
    ...{ resolution, note: 'as the first operator says', amount_cents: null },
    ...{ operator_reference: 'OP1', message: null, details: null },
  };
  await proposeResolution(books, { caseId: row?.caseId ?? '', by: 'Asha', proposal });
  await approveCurrent(books, { caseId: row?.caseId ?? '', by: 'Baraka' });
}

test.each([
  ['paid', 1, OPERATOR],
  ['keep_books', 2, SECOND],
])(
  'a payment that an earlier operator reports as paid waits for people before it is sent again (%s)',
  async (resolution, instructions, payer) => {
    const { made, second } = await paidByTheFirst();
    const later = newPayment({ vendorId: made.vendorId });
    await create(books, [later]);
    expect(await outcomeOf(books, later)).toBe('success');
    const ofMade = () => second.instructions.filter((one) => one.reference === referenceOf(made));
    expect(ofMade()).toHaveLength(1);
    expect((await readStored(books, made)).outcome).toBeNull();
    await decide(made, resolution);
    expect(await outcomeOf(books, made)).toBe('success');
    expect(ofMade()).toHaveLength(instructions);
    const paidCents = payer === SECOND ? made.amountCents + later.amountCents : made.amountCents;
    const balances = await books.balances(made.vendorId);
    expect(balances[`operator:${payer}`]).toBe(paidCents);
  },
);

describe('an unsigned hint of one operator that names a payment of the other', () => {
  const says: Paid = {
    kind: 'paid',
    operatorReference: 'FORGED',
    amountCents: 1n,
    message: 'Paid',
    details: {},
  };

  async function receiveHint(
    reference: string,
    hint: { operatorHandle: string | null; says: Paid | null },
  ) {
    const found: unknown[] = [];
    const connector: Connector = {
      ...createScriptedConnector({ pay: paid }),
      callbacks: {
        acceptedBody: {},
        keepsHandles: false,
        read: async (_request: CallbackRequest, find) => {
          found.push(await find.byReference(reference));
          return { kind: 'reports', reports: [{ reference, outcome: { kind: 'hint', ...hint } }] };
        },
      },
    };
    const payments = openPaymentsOf(books, { connectors: { [OPERATOR]: connector } });
    const request = { headers: {}, path: '', body: Buffer.alloc(0) };
    await payments.callbackReceiver.receive(OPERATOR, request);
    await payments.stop(() => 0);
    return found;
  }

  async function readQueue(made: NewPayment): Promise<unknown> {
    const read = await books.pool.query(
      'select operator_code, operator_handle, due_at from dispatch_queue where payment_id = $1',
      [made.paymentId],
    );
    return read.rows[0];
  }

  test('finds nothing, changes nothing, and asks nobody', async () => {
    const { made } = await openWithSecond();
    const before = await readQueue(made);
    const hint = { operatorHandle: 'FORGED', says: null };
    expect(await receiveHint(referenceOf(made), hint)).toEqual([undefined]);
    expect(await readQueue(made)).toEqual(before);
    expect(await readCases()).toEqual([]);
  });

  test('a hint that says “paid” is kept for people, once', async () => {
    const { made } = await openWithSecond();
    for (let count = 0; count < 3; count += 1) {
      await receiveHint(referenceOf(made), { operatorHandle: null, says });
    }
    expect((await readStored(books, made)).outcome).toBeNull();
    expect(await readCases()).toEqual([{ kind: 'unmatched_callback', operator_code: OPERATOR }]);
  });
});

test('the statement of an operator that was tried before opens a case', async () => {
  const first = createScriptedConnector({ pay: () => NO_CONNECTION });
  const second = createScriptedConnector({ pay: () => SILENCE, status: () => SILENCE });
  await start({ [OPERATOR]: first, [SECOND]: second });
  const made = await make();
  await until(() => expect(second.queries.length).toBeGreaterThan(0));
  const imported = await importLines(books, folder, [{ of: made }], { operator: OPERATOR });
  expect(imported).toMatchObject({ verdicts: { theirs_only: 1 }, casesOpened: 1 });
  expect(await readCases()).toEqual([{ kind: 'contradiction', operator_code: OPERATOR }]);
});

describe('a restore lost that the payment went on to the second operator', () => {
  /** According to the ledger the first one has it; the statement of the second lists it. */
  async function listedByTheSecond(status: () => StatusOutcome) {
    const first = createScriptedConnector({ pay: () => SILENCE, status });
    const second = createScriptedConnector({ pay: paid });
    await start({ [OPERATOR]: first, [SECOND]: second });
    const made = await make();
    await until(() => expect(first.queries.length).toBeGreaterThan(0));
    await importLines(books, folder, [{ of: made }], { operator: SECOND });
    return { made, second };
  }

  async function casesAbout(made: NewPayment): Promise<object[]> {
    expect(await readCases()).toHaveLength(1);
    return await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  }

  test.each([
    ['paid', 0],
    ['keep_books', 1],
  ])('it waits for people before it is sent again (%s)', async (resolution, instructions) => {
    let answer: StatusOutcome = SILENCE;
    const { made, second } = await listedByTheSecond(() => answer);
    expect(await casesAbout(made)).toMatchObject([{ kind: 'contradiction', operatorCode: SECOND }]);
    answer = NOT_SENT;
    await until(async () => expect(await readRoutes(made)).toEqual([[OPERATOR, 'not_sent']]));
    const later = newPayment({ vendorId: made.vendorId });
    await create(books, [later]);
    await setRoute(
      books.pool,
      { billerCode: BILLER, operatorCode: SECOND },
      { position: 0, weight: 1_000 },
    );
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    const ofMade = () => second.instructions.filter((one) => one.reference === referenceOf(made));
    expect(ofMade()).toEqual([]);
    await decide(made, resolution);
    expect(await outcomeOf(books, made)).toBe('success');
    expect(ofMade()).toHaveLength(instructions);
    expect(await readRoutes(made)).toContainEqual([SECOND, 'paid']);
  });

  test('if the first one pays it too, the second owes it', async () => {
    let answer: StatusOutcome = SILENCE;
    const { made, second } = await listedByTheSecond(() => answer);
    answer = paid(made);
    expect(await outcomeOf(books, made)).toBe('success');
    await decide(made, 'receivable');
    expect(second.instructions).toEqual([]);
    expect(await books.balances(0)).toMatchObject({
      [`receivable:${SECOND}`]: made.amountCents,
    });
  });

  test('a statement settles it if nobody has it', async () => {
    const first = createScriptedConnector({ pay: () => NO_CONNECTION });
    const dispatch = await start({ [OPERATOR]: first });
    const made = await make();
    await until(async () => expect(await readRoutes(made)).toContainEqual([OPERATOR, 'not_sent']));
    await dispatch.stop(0);
    const imported = await importLines(books, folder, [{ of: made }], { operator: SECOND });
    expect(imported).toMatchObject({ verdicts: { settled: 1 }, casesOpened: 0 });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
    expect(await readRoutes(made)).toContainEqual([SECOND, 'paid']);
  });
});
