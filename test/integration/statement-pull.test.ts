import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { findViolations } from '../support/books-check.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type {
  FloatMovement,
  StatementPage,
  StatementQuery,
} from '../../src/connectors/operator-statements.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { putOperator } from '../../src/payments/billers/store.ts';
import { setPull } from '../../src/payments/reconciliation/administer-pull.ts';
import {
  pullDueStatements,
  pullingOf,
  pullPeriod,
} from '../../src/payments/reconciliation/pull.ts';
import { findPull } from '../../src/payments/reconciliation/pull-store.ts';
import { readCoverage } from '../../src/payments/reconciliation/covered-store.ts';
import {
  createInstructed,
  OPERATOR,
  operatorRecord,
  paidReport,
} from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import { databaseTime, importLines, referenceOf } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { createScriptedConnector, paid } from '../support/scripted-connector.ts';

// Statements that are pulled from the operator, page by page.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const freshBooks = sharedBooks();
let books: Books;
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  const violations = await findViolations(books.pool, { mac: books.ledgerMac });
  expect(violations).toEqual([]);
  await books.close();
});

type Pull = (query: StatementQuery) => StatementPage;

function connectorOf(pull: Pull): Connector {
  return {
    ...createScriptedConnector({ pay: paid }),
    pullStatement: async (query) => pull(query),
  };
}

/** Pages of `size` movements of the period, in order of time. */
function inPages(all: readonly FloatMovement[], size: number): Pull {
  return ({ from, to, cursor }) => {
    const listed = all.filter(({ at }) => from <= at && at < to);
    const start = Number(cursor ?? 0);
    const end = start + size;
    const next = end < listed.length ? String(end) : null;
    return { kind: 'page', movements: listed.slice(start, end), next };
  };
}

let movements = 0;
function movement(given: Partial<FloatMovement> & Pick<FloatMovement, 'at'>): FloatMovement {
  movements += 1;
  return {
    kind: 'payment',
    operatorReference: `M${movements}`,
    reference: null,
    billerCode: null,
    account: null,
    amountCents: 10_000n,
    ...given,
  };
}

async function pullHour(pull: Pull, to: Date) {
  const connector = pullingOf(connectorOf(pull));
  if (connector === undefined) throw new Error('it cannot be asked');
  const { signal } = new AbortController();
  const asked = { from: new Date(Number(to) - HOUR_MS), to, signal };
  return await pullPeriod(books, { operator: OPERATOR, connector }, asked);
}

async function instructed() {
  const vendorId = await books.addVendor();
  await books.addFloat(vendorId, 1_000_000n);
  const made = newPayment({ vendorId });
  await createInstructed(books.pool, [made]);
  return made;
}

async function booked(): Promise<[string, bigint][]> {
  const read = await books.pool.query<{ source: string; cents: bigint }>(
    'select source, amount_cents as cents from house_transfers order by source, amount_cents',
  );
  return read.rows.map(({ source, cents }) => [source, cents]);
}

describe('a pulled statement', () => {
  test('reconciles like an imported one, over several pages, and only once', async () => {
    const [known, open] = [await instructed(), await instructed()];
    await settlePayments(books.pool, [paidReport(known, { billerReference: 'OP-K' })]);
    const to = await databaseTime(books);
    const at = new Date(Number(to) - 1);
    const all = [
      movement({ at, operatorReference: 'OP-K', amountCents: known.amountCents }),
      movement({ at, reference: referenceOf(open), amountCents: open.amountCents }),
      movement({ at, kind: 'top_up', amountCents: 70_000n }),
      movement({ at, kind: 'charge', amountCents: 30n }),
      movement({ at, operatorReference: 'STRANGE' }),
    ];
    const first = await pullHour(inPages(all, 2), to);
    expect(first.verdicts).toEqual({ matched: 1, settled: 1, noted: 2, theirs_only: 1 });
    expect(first.casesOpened).toBe(1);
    expect(await booked()).toEqual([
      ['charges', 30n],
      ['top_up', 70_000n],
    ]);
    expect(await pullHour(inPages(all, 3), to)).toMatchObject({ repeated: true });
    // Only a movement that was listed late is new.
    const late = movement({ at, kind: 'top_up', amountCents: 5n });
    const again = await pullHour(inPages([...all, late], 2), to);
    expect(again.verdicts).toEqual({ repeated: 5, noted: 1 });
    expect(await booked()).toContainEqual(['top_up', 5n]);
    expect(await booked()).toHaveLength(3);
  });

  test('movements on overlapping pages count once', async () => {
    const to = await databaseTime(books);
    const at = new Date(Number(to) - 1);
    const [one, two] = [movement({ at, kind: 'top_up' }), movement({ at, kind: 'top_up' })];
    const pages: Record<string, StatementPage> = {
      first: { kind: 'page', movements: [one], next: 'second' },
      second: { kind: 'page', movements: [one, two], next: null },
    };
    const result = await pullHour(({ cursor }) => pages[cursor ?? 'first'] as StatementPage, to);
    expect(result.verdicts).toEqual({ noted: 2 });
  });

  test('shows a payment that the operator does not list as a case, and settles nothing', async () => {
    const [missing, open] = [await instructed(), await instructed()];
    await settlePayments(books.pool, [paidReport(missing)]);
    const to = new Date(Number(await databaseTime(books)) - 400_000);
    await books.owner.query(
      `update payments set settled_at = $1, sent_at = $1 where outcome is not null`,
      [new Date(Number(to) - 400_000)],
    );
    const { oursOnly, notPaid } = await pullHour(inPages([], 1), to);
    expect([oursOnly, notPaid]).toEqual([1, 0]);
    const found = await books.pool.query('select outcome from payments where payment_id = $1', [
      open.paymentId,
    ]);
    expect(found.rows).toEqual([{ outcome: null }]);
  });

  test('proves nothing about a payment that it does not list, also once a file is imported', async () => {
    const open = await instructed();
    const to = new Date(Number(await databaseTime(books)) - 400_000);
    await books.owner.query(`update dispatch_queue set sent_at = $1`, [
      new Date(Number(to) - 400_000),
    ]);
    await pullHour(inPages([], 1), to);
    const folder = await makeTemporaryFolder();
    const format = createStatementFormat({
      absenceIsProof: true,
      acceptanceWindowMs: 0,
      payDeadlineMs: 0,
    });
    const file = { format, from: new Date(Number(to) - HOUR_MS), to };
    // It does not say that it lists everything.
    const part = await importLines(books, folder, [], { ...file, complete: false });
    expect(part).toMatchObject({ notPaid: 0 });
    const found = await books.pool.query('select outcome from payments where payment_id = $1', [
      open.paymentId,
    ]);
    expect(found.rows).toEqual([{ outcome: null }]);
    const whole = { ...file, openingCents: 1n };
    expect(await importLines(books, folder, [], whole)).toMatchObject({ notPaid: 1 });
    await removeFolder(folder);
  });

  test.each<[string, Pull, string]>([
    ['that does not come', () => ({ kind: 'unknown', reason: 'HTTP 500' }), 'HTTP 500'],
    ['whose pages go round', () => ({ kind: 'page', movements: [], next: 'x' }), 'in a circle'],
    [
      'that contradicts itself',
      ({ cursor }) => ({
        kind: 'page',
        movements: [
          movement({ at: new Date(), operatorReference: 'A', amountCents: cursor ? 1n : 2n }),
        ],
        next: cursor === null ? 'x' : null,
      }),
      'two amounts',
    ],
    [
      'that names two payments for one movement',
      ({ cursor }) => ({
        kind: 'page',
        movements: [
          movement({ at: new Date(0), operatorReference: 'A', reference: cursor ?? 'another' }),
        ],
        next: cursor === null ? 'x' : null,
      }),
      'two payments',
    ],
  ])('%s imports nothing', async (_, pull, error) => {
    await expect(pullHour(pull, await databaseTime(books))).rejects.toThrow(error);
    const found = await books.pool.query('select from operator_statements');
    expect(found.rowCount).toBe(0);
  });
});

describe('the job', () => {
  const depsOf = (connectors: Readonly<Record<string, Connector>>) => ({
    ...books,
    connectorOf: (operatorCode: string) => connectors[operatorCode],
    operatorCodes: () => Object.keys(connectors),
    wireTime: createWireTime('Africa/Nairobi'),
    log: pino({ level: 'silent' }),
  });
  const { signal } = new AbortController();

  test('pulls every day that is over, once, whichever process does it', async () => {
    const pulledUntil = new Date(Number(await databaseTime(books)) - 3 * DAY_MS - 2 * HOUR_MS);
    await setPull(books.pool, OPERATOR, { pulledUntil });
    const asked: Date[] = [];
    const connector = connectorOf(({ from }) => {
      asked.push(from);
      return { kind: 'page', movements: [], next: null };
    });
    const deps = depsOf({ [OPERATOR]: connector });
    await Promise.all([1, 2, 3].map(async () => await pullDueStatements(deps, signal)));
    await pullDueStatements(deps, signal);
    const days = [0, 1, 2].map((day) => new Date(Number(pulledUntil) + day * DAY_MS));
    expect(asked).toEqual(days);
    const to = new Date(Number(pulledUntil) + 3 * DAY_MS);
    const covers = await readCoverage(books.pool, OPERATOR, 'all');
    expect(covers(pulledUntil, to)).toBe(true);
    expect((await findPull(books.pool, OPERATOR))?.pulledUntil).toEqual(to);
  });

  test('begins with today, and skips operators whose protocol has no movements', async () => {
    const none = createScriptedConnector({ pay: paid });
    await pullDueStatements(depsOf({ [OPERATOR]: none }), signal);
    expect(await findPull(books.pool, OPERATOR)).toBeUndefined();
    const connector = connectorOf(() => ({ kind: 'unknown', reason: 'not yet' }));
    await pullDueStatements(depsOf({ [OPERATOR]: connector }), signal);
    expect(await findPull(books.pool, OPERATOR)).toMatchObject({ status: 'on', lastError: null });
  });

  test('an operator that does not answer does not delay the job, and its pulls pause', async () => {
    await putOperator(books.pool, operatorRecord({ operatorCode: 'other' }));
    const pulledUntil = new Date(Number(await databaseTime(books)) - DAY_MS - 2 * HOUR_MS);
    let calls = 0;
    const silent = connectorOf(() => {
      calls += 1;
      return { kind: 'unknown', reason: 'no answer' };
    });
    const deps = depsOf({ [OPERATOR]: silent, other: connectorOf(inPages([], 1)) });
    for (const operator of [OPERATOR, 'other']) {
      await setPull(books.pool, operator, { pulledUntil });
    }
    await pullDueStatements(deps, signal);
    await pullDueStatements(deps, signal);
    expect(calls).toBe(1);
    expect(await findPull(books.pool, OPERATOR)).toMatchObject({
      pulledUntil,
      lastError: 'no answer',
    });
    expect(await findPull(books.pool, 'other')).toMatchObject({ lastError: null });
    await setPull(books.pool, OPERATOR, { status: 'off' });
    await pullDueStatements(deps, signal);
    expect(calls).toBe(1);
  });

  test.each([
    [{ everyMinutes: 7 }, 'every'],
    [{ everyMinutes: 1_000 }, 'every'],
  ])('refuses %j', async (change, field) => {
    const refused = setPull(books.pool, OPERATOR, { ...change, pulledUntil: new Date() });
    await expect(refused).rejects.toMatchObject({ field });
  });
});
