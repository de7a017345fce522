import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setFloatLimits } from '../../src/payments/billers/administer-float.ts';
import { listFloats } from '../../src/payments/billers/float-store.ts';
import { readLeft } from '../../src/payments/dispatch/float-guard-store.ts';
import { noteBalance, pollFloats } from '../../src/payments/dispatch/float-watch.ts';
import { findViolations } from '../support/books-check.ts';
import { removeRoute, setRoute } from '../../src/payments/billers/administer-routes.ts';
import { putOperator } from '../../src/payments/billers/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { tryRoutes } from '../../src/payments/dispatch/try-route.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import {
  create,
  openPaymentsOf,
  outcomeOf,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import {
  createInstructed,
  failedReport,
  OPERATOR,
  operatorRecord,
  paidReport,
} from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { moved } from '../support/moved.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import {
  createScriptedConnector,
  NO_CONNECTION,
  paid,
  PAUSED,
  SILENCE,
} from '../support/scripted-connector.ts';

// A biller with two operators: failover only on proof, and each attempt stays with its operator.

const SECOND = 'second';
const HOUR_MS = 3_600_000;
const freshBooks = sharedBooks();
let books: Books;
let running: Dispatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
  await putOperator(books.pool, operatorRecord({ operatorCode: SECOND }));
  await setRoute(books.pool, { billerCode: BILLER, operatorCode: SECOND }, { position: 1 });
});
afterEach(async () => {
  await Promise.all(running.map(async (dispatch) => await dispatch.stop(0)));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

async function start(
  connectors: Readonly<Record<string, Connector>>,
  openAfterFailures?: number,
): Promise<Dispatch> {
  const dispatch = await startDispatch(books, { connectors, openAfterFailures });
  running.push(dispatch);
  return dispatch;
}

async function make(given: Partial<NewPayment> = {}): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(10_000_000n), ...given });
  await create(books, [made]);
  return made;
}

async function readRoutes(made: NewPayment): Promise<(string | null)[][]> {
  const read = await books.pool.query<{ operator: string; reason: string; outcome: string }>(
    `select operator_code as operator, route_reason as reason, outcome from attempts
     where payment_id = $1 order by attempt_number`,
    [made.paymentId],
  );
  return read.rows.map(({ operator, reason, outcome }) => [operator, reason, outcome]);
}

async function readCases(made: NewPayment): Promise<unknown[]> {
  const read = await books.pool.query(
    'select kind, operator_code from cases where payment_id = $1 order by kind',
    [made.paymentId],
  );
  return read.rows;
}

async function movePostings({ paymentId }: NewPayment, by: string): Promise<void> {
  await books.owner.query(
    `update transfers set created_at = ${moved('created_at', by)} where source_id = $1`,
    [paymentId],
  );
}

const works = () => createScriptedConnector({ pay: paid });

describe('a payment', () => {
  test('goes through the first route, and the ledger names its operator', async () => {
    const connectors = { [OPERATOR]: works(), [SECOND]: works() };
    await start(connectors);
    const made = await make();
    expect(await outcomeOf(books, made)).toBe('success');
    expect(await readRoutes(made)).toEqual([[OPERATOR, 'first', 'paid']]);
    expect(connectors[SECOND].instructions).toEqual([]);
  });

  test('a payment that the first proved not to have executed goes to the next, once, and is paid there', async () => {
    const down = createScriptedConnector({ pay: () => NO_CONNECTION });
    const second = works();
    await start({ [OPERATOR]: down, [SECOND]: second });
    const made = await make();
    expect(await outcomeOf(books, made)).toBe('success');
    expect(await readRoutes(made)).toEqual([
      [OPERATOR, 'first', 'not_sent'],
      [SECOND, 'failover', 'paid'],
    ]);
    expect(second.instructions).toHaveLength(1);
    expect(await books.balances(made.vendorId)).toMatchObject({
      [`operator:${SECOND}`]: made.amountCents,
    });
  });

  test('without an answer stays with its operator, even if that operator is removed from the biller', async () => {
    let says: 'nothing' | 'paid' = 'nothing';
    const first = createScriptedConnector({
      pay: () => SILENCE,
      status: (query) => (says === 'paid' ? paid(query) : SILENCE),
      acceptanceWindowMs: null,
    });
    const second = works();
    await start({ [OPERATOR]: first, [SECOND]: second });
    const made = await make();
    await until(() => expect(first.queries.length).toBeGreaterThan(2));
    await books.pool.query('update billers set operator_code = $1 where biller_code = $2', [
      SECOND,
      BILLER,
    ]);
    await running[0]?.catalogue.reload();
    const asked = first.queries.length;
    await until(() => expect(first.queries.length).toBeGreaterThan(asked + 2));
    // A restart changes nothing about that.
    await running.pop()?.stop(0);
    await start({ [OPERATOR]: first, [SECOND]: second });
    says = 'paid';
    expect(await outcomeOf(books, made)).toBe('success');
    expect(second.instructions).toEqual([]);
    expect(second.queries).toEqual([]);
    expect(await readRoutes(made)).toEqual([[OPERATOR, 'first', 'paid']]);
  });

  test('a payment that a removed route has not executed is paid through the other', async () => {
    const second = works();
    await setRoute(books.pool, { billerCode: BILLER, operatorCode: OPERATOR }, { position: 2 });
    let isRemoved = false;
    const removed = createScriptedConnector({
      pay: async () => {
        if (!isRemoved) {
          await removeRoute(books.pool, { billerCode: BILLER, operatorCode: SECOND });
          await running[0]?.catalogue.reload();
        }
        isRemoved = true;
        return NO_CONNECTION;
      },
    });
    await start({ [SECOND]: removed, [OPERATOR]: second });
    const made = await make();
    expect(await outcomeOf(books, made)).toBe('success');
    expect(removed.instructions).toHaveLength(1);
    expect(second.instructions).toHaveLength(1);
  });

  test('a payment of an amount that the first does not take is sent to the other', async () => {
    await setRoute(
      books.pool,
      { billerCode: BILLER, operatorCode: OPERATOR },
      { maximumCents: 10_000n },
    );
    await start({ [OPERATOR]: works(), [SECOND]: works() });
    const small = await make({ amountCents: 10_000n });
    const large = await make({ amountCents: 10_001n });
    expect(await outcomeOf(books, small)).toBe('success');
    expect(await outcomeOf(books, large)).toBe('success');
    expect(await readRoutes(small)).toEqual([[OPERATOR, 'first', 'paid']]);
    expect(await readRoutes(large)).toEqual([
      [SECOND, `${OPERATOR}: the amount is outside its range`, 'paid'],
    ]);
  });
});

describe('an operator that is down', () => {
  test('opens its own breaker: the biller stays ONLINE', async () => {
    const down = createScriptedConnector({ pay: () => NO_CONNECTION, balance: () => null });
    const second = works();
    const dispatch = await start({ [OPERATOR]: down, [SECOND]: second }, 2);
    const made = [await make(), await make(), await make(), await make()];
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({
        availability: 'ONLINE',
        routes: [
          { operatorCode: OPERATOR, breaker: { trialSince: null } },
          { operatorCode: SECOND, breaker: null },
        ],
      }),
    );
    const later = await make();
    expect(await outcomeOf(books, later)).toBe('success');
    const [[operator, reason] = []] = await readRoutes(later);
    expect(operator).toBe(SECOND);
    expect(reason).toMatch(/^kplc: circuit breaker/);
  });

  test('the biller is OFFLINE if the other operator is down too', async () => {
    const empty = () => createScriptedConnector({ pay: () => PAUSED, balance: () => null });
    const dispatch = await start({ [OPERATOR]: empty(), [SECOND]: empty() });
    await make();
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' }),
    );
  });

  test('slow, with all its places taken: payments overflow to the next', async () => {
    const slow = Promise.withResolvers<void>();
    await putOperator(books.pool, operatorRecord({ maxConcurrency: 1 }));
    const first = createScriptedConnector({
      pay: async (instruction) => {
        await slow.promise;
        return paid(instruction);
      },
      payDeadlineMs: 600_000,
    });
    await start({ [OPERATOR]: first, [SECOND]: works() });
    const one = await make();
    await until(() => expect(first.instructions).toHaveLength(1));
    const other = await make();
    expect(await outcomeOf(books, other)).toBe('success');
    expect(await readRoutes(other)).toEqual([[SECOND, `${OPERATOR}: busy`, 'paid']]);
    slow.resolve();
    expect(await outcomeOf(books, one)).toBe('success');
  });

  test('daily limit reached: the next takes over', async () => {
    await setRoute(
      books.pool,
      { billerCode: BILLER, operatorCode: OPERATOR },
      { dailyLimitCents: 15_000n },
    );
    await start({ [OPERATOR]: works(), [SECOND]: works() });
    const operators = [];
    for (let count = 0; count < 4; count += 1) {
      const made = await make({ amountCents: 10_000n });
      expect(await outcomeOf(books, made)).toBe('success');
      operators.push((await readRoutes(made))[0]?.[0]);
    }
    expect(operators).toEqual([OPERATOR, OPERATOR, SECOND, SECOND]);
  });
});

test('a daily limit is of the day of the time zone', async () => {
  const route = { billerCode: BILLER, operatorCode: OPERATOR };
  await setRoute(books.pool, route, { dailyLimitCents: 10_000n });
  await start({ [OPERATOR]: works(), [SECOND]: works() });
  const made = await make({ amountCents: 10_000n });
  expect(await outcomeOf(books, made)).toBe('success');
  const operatorIn = async (timeZone: string): Promise<string | null> =>
    (await tryRoutes(books.pool, { billerCode: BILLER, amountCents: 100n }, timeZone)).operatorCode;
  // It is about noon there.
  const now = new Date();
  expect(await operatorIn(zoneAtNoon(now))).toBe(SECOND);
  await movePostings(made, '-13 hours');
  expect(await operatorIn(zoneAtNoon(now))).toBe(OPERATOR);
  // There it is still the day that began 21 to 22 hours ago.
  const late = new Date(now.getTime() - 9 * HOUR_MS);
  expect(await operatorIn(zoneAtNoon(late))).toBe(SECOND);
  await movePostings(made, '13 hours');
});

describe('a report of the operator that was tried before', () => {
  /** The first operator proved that it did not execute it, and the second has the instruction. */
  async function failedOver(): Promise<NewPayment> {
    const first = createScriptedConnector({ pay: () => NO_CONNECTION });
    const second = createScriptedConnector({
      pay: () => SILENCE,
      status: () => SILENCE,
      acceptanceWindowMs: null,
    });
    await start({ [OPERATOR]: first, [SECOND]: second });
    const made = await make();
    await until(() => expect(second.queries.length).toBeGreaterThan(0));
    await running.pop()?.stop(0);
    return made;
  }

  test('never settles the other’s attempt: paid is a case, not executed is known', async () => {
    const made = await failedOver();
    const [failed] = await settlePayments(books.pool, [
      failedReport(made, { operatorCode: OPERATOR, source: 'callback' }),
    ]);
    expect(failed).toBe('repeated');
    const [said] = await settlePayments(books.pool, [
      paidReport(made, { operatorCode: OPERATOR, source: 'callback' }),
    ]);
    expect(said).toBe('contradicted');
    expect(await readCases(made)).toEqual([{ kind: 'contradiction', operator_code: OPERATOR }]);
    const [settled] = await settlePayments(books.pool, [
      paidReport(made, { operatorCode: SECOND, source: 'callback' }),
    ]);
    expect(settled).toBe('settled');
  });

  test('after the other one has paid: paid by both is a case', async () => {
    const made = await failedOver();
    await settlePayments(books.pool, [paidReport(made, { operatorCode: SECOND })]);
    const [again, both, never] = await Promise.all([
      settlePayments(books.pool, [paidReport(made, { operatorCode: SECOND })]),
      settlePayments(books.pool, [paidReport(made, { operatorCode: OPERATOR })]),
      settlePayments(books.pool, [failedReport(made, { operatorCode: OPERATOR })]),
    ]);
    expect([again, both, never]).toEqual([['repeated'], ['contradicted'], ['repeated']]);
    expect(await readCases(made)).toEqual([{ kind: 'contradiction', operator_code: OPERATOR }]);
    expect(await books.balances(made.vendorId)).toMatchObject({
      [`operator:${SECOND}`]: made.amountCents,
    });
  });
});

describe('our float with an operator', () => {
  test('stops its route before it is empty, and restarts it well above the limit', async () => {
    let cents = 1_000_000n;
    const first = createScriptedConnector({ pay: paid, balance: () => cents });
    const connectors = { [OPERATOR]: first, [SECOND]: works() };
    const { catalogue } = await start(connectors);
    const poll = async () =>
      await pollFloats(
        {
          pool: books.pool,
          catalogue,
          connectorOf: (code) => connectors[code as keyof typeof connectors],
          log: pino({ level: 'silent' }),
        },
        0,
      );
    await setFloatLimits(books.pool, OPERATOR, {
      lowCents: 500_000n,
      stopCents: 100_000n,
      resumeCents: 300_000n,
    });
    const through = async (): Promise<unknown> => {
      const made = await make();
      expect(await outcomeOf(books, made)).toBe('success');
      return (await readRoutes(made))[0]?.slice(0, 2);
    };
    await poll();
    expect(await through()).toEqual([OPERATOR, 'first']);
    cents = 100_000n;
    await poll();
    expect(await through()).toEqual([SECOND, `${OPERATOR}: our float with it is too low`]);
    cents = 299_999n;
    await poll();
    expect((await through()) as string[]).toContain(SECOND);
    cents = 300_000n;
    await poll();
    expect(await through()).toEqual([OPERATOR, 'first']);
    const [row] = await listFloats(books.pool);
    expect(row).toMatchObject({ operatorCode: OPERATOR, balanceCents: 300_000n, state: 'low' });
    const spent = await books.pool.query(
      'select sum(spent_cents)::integer as spent, sum(added_cents)::integer as added from operator_float_hours',
    );
    expect(spent.rows).toEqual([{ spent: 900_000, added: 200_000 }]);
  });

  test('stops between two reports, by the amounts sent since the last one', async () => {
    const first = createScriptedConnector({ pay: paid, balance: () => 1_000_000n });
    const connectors = { [OPERATOR]: first, [SECOND]: works() };
    await noteBalance({ pool: books.pool, catalogue: quiet, log: silent }, OPERATOR, {
      balanceCents: 1_000_000n,
    });
    await setFloatLimits(books.pool, OPERATOR, { stopCents: 900_000n, resumeCents: 950_000n });
    // Payments that another process has sent since then, and settled ones.
    const vendorId = await books.addVendor(10_000_000n);
    const sent = newPayment({ vendorId, amountCents: 40_000n });
    const settled = newPayment({ vendorId, amountCents: 60_000n });
    await createInstructed(books.pool, [sent, settled]);
    await settlePayments(books.pool, [paidReport(settled)]);
    await start(connectors);
    const made = await make();
    expect(await outcomeOf(books, made)).toBe('success');
    expect((await readRoutes(made))[0]?.slice(0, 2)).toEqual([
      SECOND,
      `${OPERATOR}: our float with it is nearly used up`,
    ]);
    expect(await readLeft(books.pool)).toEqual(new Map([[OPERATOR, 0n]]));
    // An older instruction without a result is already in the report, or was not executed.
    await books.owner.query(
      `update dispatch_queue set sent_at = now() - interval '1 hour' where payment_id = $1`,
      [sent.paymentId],
    );
    expect(await readLeft(books.pool)).toEqual(new Map([[OPERATOR, 40_000n]]));
    await settlePayments(books.pool, [failedReport(sent)]);
    await books.pool.query(`update operator_floats set polled_at = now() - interval '61 minutes'`);
    expect(await readLeft(books.pool)).toEqual(new Map());
  });

  test('a low float is reported once for each crossing, not for each report', async () => {
    await setFloatLimits(books.pool, OPERATOR, {
      lowCents: 500n,
      stopCents: 100n,
      resumeCents: 300n,
    });
    const lines: unknown[] = [];
    const log = pino(
      { level: 'warn' },
      { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    for (const cents of [900n, 499n, 480n, 300n, 100n, 50n, 299n, 600n, 700n]) {
      await noteBalance({ pool: books.pool, catalogue: quiet, log }, OPERATOR, {
        balanceCents: cents,
      });
    }
    expect(lines).toEqual([
      'our float with the operator is low',
      'our float with the operator is used up to its stop limit: nothing more is sent through it',
      'our float with the operator is large enough again',
    ]);
  });

  test('a float that comes by callback counts like an answer', async () => {
    const connector: Connector = {
      ...createScriptedConnector({ pay: paid }),
      callbacks: {
        acceptedBody: {},
        keepsHandles: false,
        read: async () => ({ kind: 'balance', balanceCents: 12_345n }),
      },
    };
    const payments = openPaymentsOf(books, { connectors: { [OPERATOR]: connector } });
    await setFloatLimits(books.pool, OPERATOR, { lowCents: 20_000n });
    const request = { headers: {}, path: '', body: Buffer.alloc(0) };
    expect(await payments.callbackReceiver.receive(OPERATOR, request)).toMatchObject({
      kind: 'accepted',
    });
    const [row] = await listFloats(books.pool);
    expect(row).toMatchObject({ balanceCents: 12_345n, state: 'low' });
    await payments.stop(() => 0);
  });
});

const silent = pino({ level: 'silent' });
const quiet = { reload: async () => {} };
