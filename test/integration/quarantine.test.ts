import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { listBillers } from '../../src/payments/billers/store.ts';
import { billerOf } from '../../src/payments/billers/catalogue.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { readStakes, releaseQuarantine } from '../../src/payments/quarantine/release.ts';
import type { Release } from '../../src/payments/quarantine/release.ts';
import { findOpenQuarantine, listEvents } from '../../src/payments/quarantine/store.ts';
import {
  create,
  outcomeOf,
  readAttempts,
  readQueued,
  startDispatch,
  until,
} from '../support/dispatch-fixture.ts';
import { createInstructed, OPEN_ROUTE, openBooks, OPERATOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, DECLINED, paid } from '../support/scripted-connector.ts';
import type { ScriptedConnector } from '../support/scripted-connector.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';

// The books lack a period: queued payments may have been sent in it.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterEach(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

async function enter(given: Partial<Parameters<typeof enterQuarantine>[1]> = {}) {
  return await enterQuarantine(books.pool, {
    entryId: newId(),
    lostFrom: new Date(Date.now() - 60_000),
    lostUntil: null,
    by: 'test',
    reason: 'restored',
    ...given,
  });
}

/** Imports a complete statement of the operator for the period. */
async function importStatement(from: Date, to: Date): Promise<void> {
  await books.pool.query(
    `insert into operator_statements (statement_id, operator, period_start, period_end, file_sha256,
       imported_at, complete, opening_cents, closing_cents)
     values ($1, $2, $3, $4, sha256($5), now(), true, 0, 0)`,
    [newId(), OPERATOR, from, to, Buffer.from(newId())],
  );
}

/** Releases it once a statement covers the missing period. */
async function release(by: string): Promise<Release> {
  const open = await findOpenQuarantine(books.pool);
  if (open !== undefined) {
    await importStatement(open.lostFrom, new Date(open.lostUntil.getTime() + 1));
  }
  return await releaseQuarantine(books.pool, { by });
}

/** Tries to release it without a statement. */
async function releaseUncovered(by: string, reason?: string, confirms?: string): Promise<Release> {
  const force = reason === undefined ? {} : { force: { reason, confirms } };
  return await releaseQuarantine(books.pool, { by, ...force });
}

/** Returns the id of the proposal. */
async function proposeUncovered(by: string, reason: string): Promise<string> {
  const proposed = await releaseUncovered(by, reason);
  if (proposed.kind !== 'proposed') throw new Error('it was released');
  return proposed.proposalId;
}

async function endAnyQuarantine(): Promise<void> {
  if ((await findOpenQuarantine(books.pool)) !== undefined) await release('cleaner');
}
afterEach(endAnyQuarantine);

async function makeOne(): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(100_000n) });
  await create(books, [made]);
  return made;
}

/** An operator that remembers which references it has paid. */
function rememberingOperator(executed: Set<string>): ScriptedConnector {
  return createScriptedConnector({
    pay: (instruction) => {
      executed.add(instruction.account);
      return paid(instruction);
    },
    status: (query) => (executed.has(query.account) ? paid(query) : { kind: 'not_found' }),
  });
}

describe('in quarantine', () => {
  test('a payment made in the missing period is found, not sent again; another one waits', async () => {
    const lost = newPayment({ vendorId: await books.addVendor(100_000n), account: '111' });
    const waiting = newPayment({ vendorId: lost.vendorId, account: '222' });
    await create(books, [lost, waiting]);
    const executed = new Set(['111']);
    expect(await enter()).toMatchObject({ suspected: 2 });

    const connector = rememberingOperator(executed);
    const dispatch = await startDispatch(books, { connectors: { [OPERATOR]: connector } });
    try {
      expect(await outcomeOf(books, lost)).toBe('success');
      await until(async () => {
        expect(await readQueued(books, waiting)).toMatchObject({ stage: 'send' });
      });
      expect(connector.instructions).toEqual([]);
      await release('Amina');
      await dispatch.catalogue.reload();
      expect(await outcomeOf(books, waiting)).toBe('success');
      expect(connector.instructions.map(({ account }) => account)).toEqual(['222']);
    } finally {
      await dispatch.stop();
    }
    expect(await readAttempts(books, lost)).toMatchObject([{ outcome: 'paid' }]);
    expect(await readAttempts(books, waiting)).toMatchObject([
      { outcome: 'not_sent' },
      { outcome: 'paid' },
    ]);
  });

  test('nothing is sent, even by a process that has not noticed it', async () => {
    await enter();
    const made = await makeOne();
    // Asks the database itself, like a process with an old catalogue.
    const queue = { vendorId: made.vendorId, billerCode: made.billerCode, leaseMs: 1000, max: 1 };
    expect(await claim(books.pool, [{ ...queue, stage: 'send' }])).toEqual([]);
    await release('Amina');
    expect(await claim(books.pool, [{ ...queue, stage: 'send' }])).toHaveLength(1);
  });

  test('an amount that the operator declined returns to the float', async () => {
    const made = await makeOne();
    await enter();
    const connector = createScriptedConnector({ pay: paid, status: () => DECLINED });
    const dispatch = await startDispatch(books, { connectors: { [OPERATOR]: connector } });
    try {
      expect(await outcomeOf(books, made)).toBe('failed');
      expect(await books.balances(made.vendorId)).toMatchObject({ float: 100_000n });
    } finally {
      await dispatch.stop();
    }
  });

  test('“not found” is proof only when the end of the missing period is long enough ago', async () => {
    const made = newPayment({ vendorId: await books.addVendor(100_000n) });
    await createInstructed(books.pool, [made]);
    await books.pool.query(
      `update dispatch_queue set sent_at = now() - interval '1 day' where payment_id = $1`,
      [made.paymentId],
    );
    await books.pool.query(`update dispatch_queue set due_at = now() where payment_id = $1`, [
      made.paymentId,
    ]);
    await enter();
    const [taken] = await claim(books.pool, [
      {
        vendorId: made.vendorId,
        billerCode: made.billerCode,
        operatorCode: OPERATOR,
        stage: 'verify',
        leaseMs: 1,
        max: 1,
      },
    ]);
    expect(taken?.attemptAgeMs).toBeLessThan(60_000);
  });

  test('all billers are OFFLINE, and ONLINE afterwards', async () => {
    const availabilities = async () =>
      new Set(
        (await listBillers(books.pool)).map((row) => billerOf(row, [OPEN_ROUTE]).availability),
      );
    await enter();
    expect(await availabilities()).toEqual(new Set(['OFFLINE']));
    await release('Amina');
    expect(await availabilities()).toEqual(new Set(['ONLINE']));
  });

  test('payments created after the missing period are unaffected', async () => {
    const lostUntil = new Date();
    const made = newPayment({ vendorId: await books.addVendor(100_000n) });
    await until(() => expect(Date.now()).toBeGreaterThan(lostUntil.getTime() + 1));
    await create(books, [made]);
    expect(await enter({ lostUntil })).toMatchObject({ suspected: 0 });
    expect(await readQueued(books, made)).toMatchObject({ stage: 'send' });
  });
});

describe('an entry', () => {
  test('is made once', async () => {
    const entryId = newId();
    expect(await enter({ entryId })).toBeDefined();
    expect(await enter({ entryId })).toBeUndefined();
    await release('Amina');
    // Also after its release: a start that was interrupted must not enter the quarantine again.
    expect(await enter({ entryId })).toBeUndefined();
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
  });

  test('extends the open one to the missing period of both, and voids a forced release', async () => {
    const early = new Date(Date.now() - 7_200_000);
    const late = new Date(Date.now() - 3_600_000);
    await enter({ lostFrom: late, lostUntil: late });
    await releaseUncovered('Amina', 'no statement');
    const second = await enter({ lostFrom: early, reason: 'again' });
    expect(second?.quarantine).toMatchObject({
      lostFrom: early,
      reason: 'restored; again',
      forceProposedBy: null,
    });
    expect(second?.quarantine.lostUntil.getTime()).toBeGreaterThan(late.getTime());
  });
});

describe('a release', () => {
  beforeEach(async () => {
    await enter();
  });

  test('waits for every operator’s statement', async () => {
    const quarantine = await findOpenQuarantine(books.pool);
    if (quarantine === undefined) throw new Error('there is no quarantine');
    const { lostFrom: from, lostUntil: to } = quarantine;
    const uncovered = [{ operatorCode: OPERATOR, covered: false }];
    expect(await readStakes(books.pool, quarantine)).toMatchObject(uncovered);
    await importStatement(from, new Date(to.getTime() - 1));
    expect(await readStakes(books.pool, quarantine)).toMatchObject(uncovered);
    await expect(releaseUncovered('Amina')).rejects.toThrow(`of ${OPERATOR}`);
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
    expect(await release('Amina')).toMatchObject({ kind: 'released', forced: false });
    await expect(release('Amina')).rejects.toThrow('The service is not in quarantine');
  });

  test('by force needs two different people, and is recorded', async () => {
    const proposal = await proposeUncovered('Amina', 'operator closed');
    await expect(releaseUncovered('amina', 'me again', proposal)).rejects.toThrow('another person');
    await expect(releaseUncovered('Baraka')).rejects.toThrow('stays');
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
    expect(await releaseUncovered('Baraka', 'agreed', proposal)).toMatchObject({
      kind: 'released',
      forced: true,
    });
    const [released, proposed, entered] = await listEvents(books.pool, 3);
    expect(entered).toMatchObject({ action: 'entered', actor: 'test' });
    expect(proposed).toMatchObject({ action: 'force_proposed', actor: 'Amina' });
    expect(released).toMatchObject({
      action: 'released',
      actor: 'Baraka',
      detail: { forced: true, missing: [OPERATOR], reason: 'agreed', proposed_by: 'Amina' },
    });
  });

  test('by force confirms the proposal that was seen, not a later one', async () => {
    await expect(releaseUncovered('Baraka', 'agreed', newId())).rejects.toThrow(
      'not the current proposal',
    );
    const seen = await proposeUncovered('Amina', 'operator closed');
    // Two people who both propose it have not agreed.
    const current = await proposeUncovered('Baraka', 'I cannot wait');
    await expect(releaseUncovered('Chebet', 'agreed', seen)).rejects.toThrow(
      'not the current proposal',
    );
    await books.owner.query(
      `update quarantines set force_missing = '{}' where force_proposal_id = $1`,
      [current],
    );
    await expect(releaseUncovered('Chebet', 'agreed', current)).rejects.toThrow(
      `the statements of ${OPERATOR} are missing as well`,
    );
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
  });

  test('is refused to one person by the database itself', async () => {
    await expect(
      books.pool.query(
        `update quarantines set released_at = now(), released_by = 'Amina', forced = true,
           force_proposed_by = 'AMINA', force_reason = 'x', force_proposal_id = quarantine_id,
           force_missing = '{}', force_proposed_at = now() where released_at is null`,
      ),
    ).rejects.toThrow('quarantines_two_people');
  });
});
