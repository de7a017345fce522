import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putBiller, putOperator } from '../../src/payments/billers/store.ts';
import { readBalance } from '../../src/connectors/operators/dt-one/lookups.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { TRIAL_INSTRUCTIONS } from '../../src/payments/dispatch/breaker.ts';
import { watchSettings } from '../../src/platform/db/settings-watch.ts';
import { findViolations } from '../support/books-check.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import {
  create,
  outcomeOf,
  readQueued,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import type { Dispatch } from '../support/dispatch-fixture.ts';
import { billerRecord, OPERATOR, operatorRecord } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import {
  createScriptedConnector,
  DECLINED,
  NO_CONNECTION,
  paid,
  PAUSED,
  SILENCE,
} from '../support/scripted-connector.ts';

// When an operator accepts nothing, its billers are offline in every process until a probe succeeds.

const FAILURES = 3;

const freshBooks = sharedBooks();
let books: Books;
let running: Dispatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
  // One at a time, so that failures follow each other.
  await putOperator(books.pool, operatorRecord({ maxConcurrency: 1 }));
});
afterEach(async () => {
  await Promise.all(running.map(async (dispatch) => await dispatch.stop()));
  running = [];
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});

async function start(
  connectors: Parameters<typeof startDispatch>[1]['connectors'],
  openAfterFailures = FAILURES,
): Promise<Dispatch> {
  const dispatch = await startDispatch(books, { connectors, openAfterFailures });
  running.push(dispatch);
  return dispatch;
}

async function makeMany(count: number, billerCode = BILLER): Promise<NewPayment[]> {
  const vendorId = await books.addVendor(10_000_000n);
  const made = Array.from({ length: count }, () => newPayment({ vendorId, billerCode }));
  await create(books, made);
  return made;
}

async function readReason(): Promise<string | undefined> {
  const read = await books.pool.query<{ reason: string }>(
    'select reason from route_breakers where biller_code = $1',
    [BILLER],
  );
  return read.rows[0]?.reason;
}

/** How long the open breaker pauses; undefined: it is closed, or on trial. */
async function readPauseMs(): Promise<number | undefined> {
  const read = await books.pool.query<{ pause: number }>(
    'select cooldown_ms as pause from route_breakers where biller_code = $1 and trial_since is null',
    [BILLER],
  );
  return read.rows[0]?.pause;
}

describe('calls without an answer', () => {
  test('enough calls without an answer take the biller offline; a successful probe brings it back', async () => {
    let reachable = false;
    let probes = 0;
    const operator = createScriptedConnector({
      pay: (instruction) => (reachable ? paid(instruction) : NO_CONNECTION),
      balance: () => {
        probes += 1;
        return reachable ? 5n : null;
      },
    });
    const made = await makeMany(FAILURES + 2);
    const dispatch = await start({ [OPERATOR]: operator });
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({
        availability: 'OFFLINE',
        routes: [{ operatorCode: OPERATOR, breaker: { trialSince: null } }],
      }),
    );
    expect(await readReason()).toBe(
      `${FAILURES} calls in a row failed; the last: ${NO_CONNECTION.reason}`,
    );
    // The operator is probed repeatedly, and nothing is sent meanwhile.
    await until(() => expect(probes).toBeGreaterThan(2));
    expect(operator.instructions).toHaveLength(FAILURES);

    reachable = true;
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
    expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'ONLINE' });
    await until(async () => expect(await readReason()).toBeUndefined());
  });

  test('the breaker closes when the operator answers a probe, even with a balance in another currency', async () => {
    let reachable = false;
    const scripted = createScriptedConnector({
      pay: (instruction) => (reachable ? paid(instruction) : NO_CONNECTION),
    });
    const content = [{ unit: 'USD', available: '12.50' }];
    const operator: Connector = {
      ...scripted,
      balance: async () =>
        readBalance(
          reachable
            ? { kind: 'content', content }
            : { kind: 'none', reason: 'connection refused', isWritten: false },
        ),
    };
    const [one] = await makeMany(1);
    const dispatch = await start({ [OPERATOR]: operator }, 1);
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' }),
    );
    reachable = true;
    if (one !== undefined) expect(await outcomeOf(books, one)).toBe('success');
  });

  test('count only in a row: any answer, also a refusal, starts the count again', async () => {
    let calls = 0;
    const operator = createScriptedConnector({
      // Two failures, an answer, two failures, an answer …
      pay: () => {
        calls += 1;
        return calls % FAILURES === 0 ? DECLINED : NO_CONNECTION;
      },
    });
    const made = await makeMany(5);
    const dispatch = await start({ [OPERATOR]: operator });
    for (const one of made) expect(await outcomeOf(books, one)).toBe('failed');
    expect(calls).toBe(5 * FAILURES);
    expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'ONLINE' });
  });

  test('unanswered calls of one biller leave the operator’s other billers online', async () => {
    const operator = createScriptedConnector({
      pay: (instruction) => (instruction.billerCode === BILLER ? NO_CONNECTION : paid(instruction)),
      balance: () => null,
    });
    const dispatch = await start({ [OPERATOR]: operator });
    await makeMany(2);
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' }),
    );
    const [other] = await makeMany(1, 'kplc_postpaid');
    if (other !== undefined) expect(await outcomeOf(books, other)).toBe('success');
  });

  test('take the biller offline in every process', async () => {
    const operator = createScriptedConnector({ pay: () => NO_CONNECTION, balance: () => null });
    const other = await start({});
    const watch = await watchSettings({
      pool: books.openPool({ max: 2 }),
      pollMs: 10,
      reload: {
        vendors: async () => undefined,
        billers: other.catalogue.reload,
        scorecards: async () => undefined,
      },
      onError: () => undefined,
    });
    await start({ [OPERATOR]: operator });
    await makeMany(1);
    await until(() =>
      expect(other.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' }),
    );
    await watch.stop();
  });

  test('a probe that never returns does not delay probes of others', async () => {
    await putOperator(books.pool, operatorRecord({ operatorCode: 'deaf' }));
    await putBiller(books.pool, billerRecord('deaf_biller', { operatorCode: 'deaf' }));
    let reachable = false;
    const deaf = createScriptedConnector({
      payDeadlineMs: 1,
      pay: () => NO_CONNECTION,
      balance: async () => await new Promise(() => undefined),
    });
    const operator = createScriptedConnector({
      pay: (instruction) => (reachable ? paid(instruction) : NO_CONNECTION),
      balance: () => (reachable ? 5n : null),
    });
    const dispatch = await start({ [OPERATOR]: operator, deaf });
    await makeMany(FAILURES, 'deaf_biller');
    const [made] = await makeMany(1);
    await until(() => {
      for (const code of [BILLER, 'deaf_biller']) {
        expect(dispatch.catalogue.biller(code)).toMatchObject({ availability: 'OFFLINE' });
      }
    });
    reachable = true;
    if (made !== undefined) expect(await outcomeOf(books, made)).toBe('success');
    expect(dispatch.catalogue.biller('deaf_biller')).toMatchObject({ availability: 'OFFLINE' });
  });
});

describe('answers that cannot be read', () => {
  const OPEN_AFTER = 8;
  const CONCURRENCY = 16;
  const COOLDOWN_MS = 5;

  test('open the breaker; a few instructions are let through after ever longer pauses, until one is answered', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: CONCURRENCY }));
    let isGarbage = true;
    const operator = createScriptedConnector({
      pay: (instruction) => (isGarbage ? SILENCE : paid(instruction)),
      status: (query) => (isGarbage ? SILENCE : paid(query)),
      // Our float is reported well all the time.
      balance: () => 5n,
    });
    const made = await makeMany(100);
    const dispatch = await start({ [OPERATOR]: operator }, OPEN_AFTER);
    await until(async () => expect(await readPauseMs()).toBe(COOLDOWN_MS * 64));
    // In each of the six trials, two instructions may be under way when the third one fails.
    const atFirst = OPEN_AFTER + CONCURRENCY;
    const onTrial = 6 * (2 * TRIAL_INSTRUCTIONS - 1);
    expect(operator.instructions.length).toBeLessThanOrEqual(atFirst + onTrial);

    isGarbage = false;
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ routes: [{ breaker: null }] }),
    );
    expect(await readReason()).toBeUndefined();
  });

  test('all queues together get a few places until an answer that can be read arrives', async () => {
    await putOperator(books.pool, operatorRecord({ maxConcurrency: CONCURRENCY }));
    await books.pool.query(
      `insert into route_breakers (biller_code, operator_code, opened_at, probe_at, cooldown_ms,
         trial_since, reason)
       values ($1, $2, now(), now(), 5, now(), 'garbage')`,
      [BILLER, OPERATOR],
    );
    const answers = Promise.withResolvers<void>();
    const operator = createScriptedConnector({
      pay: async (instruction) => {
        await answers.promise;
        return paid(instruction);
      },
    });
    const made = [...(await makeMany(5)), ...(await makeMany(5))];
    const dispatch = await start({ [OPERATOR]: operator });
    expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'ONLINE' });
    await until(() => expect(operator.instructions).toHaveLength(TRIAL_INSTRUCTIONS));
    const turnedAt = dispatch.dispatcher.sinceTurnMs;
    await until(() => expect(dispatch.dispatcher.sinceTurnMs).toBeLessThan(turnedAt));
    expect(operator.instructions).toHaveLength(TRIAL_INSTRUCTIONS);
    answers.resolve();
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
    await until(async () => expect(await readReason()).toBeUndefined());
  });
});

describe('an operator that says it can take nothing', () => {
  test('takes the biller offline at once; no payment fails, and all are paid afterwards', async () => {
    let empty = true;
    const operator = createScriptedConnector({
      pay: (instruction) => (empty ? PAUSED : paid(instruction)),
      balance: () => (empty ? null : 5n),
    });
    const made = await makeMany(4);
    const dispatch = await start({ [OPERATOR]: operator });
    await until(async () => expect(await readReason()).toBe(PAUSED.reason));
    await until(() =>
      expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' }),
    );
    expect(operator.instructions).toHaveLength(1);
    for (const one of made) {
      await until(async () =>
        expect(await readQueued(books, one)).toMatchObject({ stage: 'send' }),
      );
    }
    empty = false;
    for (const one of made) expect(await outcomeOf(books, one)).toBe('success');
  });

  test('stays offline while it answers only status queries', async () => {
    let empty = false;
    let queriesSinceEmpty = 0;
    const operator = createScriptedConnector({
      pay: () => (empty ? PAUSED : SILENCE),
      status: () => {
        if (empty) queriesSinceEmpty += 1;
        return { ...SILENCE, answered: true };
      },
      balance: () => null,
    });
    const dispatch = await start({ [OPERATOR]: operator });
    await makeMany(1);
    await until(() => expect(operator.queries.length).toBeGreaterThan(0));
    empty = true;
    await makeMany(3);
    await until(async () => expect(await readReason()).toBe(PAUSED.reason));
    queriesSinceEmpty = 0;
    await until(() => expect(queriesSinceEmpty).toBeGreaterThan(5));
    expect(await readReason()).toBe(PAUSED.reason);
    expect(dispatch.catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' });
    expect(operator.instructions).toHaveLength(2);
  });
});
