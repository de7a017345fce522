import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALSO_CHECKED } from '../../src/also-checked.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setOperator } from '../../src/payments/billers/administer.ts';
import { listBillers } from '../../src/payments/billers/store.ts';
import { billerOf } from '../../src/payments/billers/catalogue.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { findViolations } from '../support/books-check.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { RELEASES_AUTHENTIC, undoForgedReleases } from '../../src/payments/quarantine/forged.ts';
import { releaseQuarantine } from '../../src/payments/quarantine/release.ts';
import { proposeRelease } from '../../src/payments/quarantine/release-kind.ts';
import { readStakes } from '../../src/payments/quarantine/stakes.ts';
import { findOpenQuarantine, listEvents } from '../../src/payments/quarantine/read-quarantine.ts';
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
import { approveSeen, named } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { createScriptedConnector, DECLINED, paid } from '../support/scripted-connector.ts';
import type { ScriptedConnector } from '../support/scripted-connector.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';

// The books lack a period: queued payments may have been sent in it.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
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
async function importStatement(from: Date, to: Date, isPulled = false): Promise<void> {
  await books.pool.query(
    `insert into operator_statements (statement_id, operator, period_start, period_end, file_sha256,
       imported_at, complete, opening_cents, closing_cents, pulled)
     values ($1, $2, $3, $4, sha256($5), now(), true, 0, 0, $6)`,
    [newId(), OPERATOR, from, to, Buffer.from(newId()), isPulled],
  );
}

/** Releases it once a statement covers the missing period. */
async function release(by: string): Promise<void> {
  const open = await findOpenQuarantine(books.pool);
  if (open !== undefined) {
    await importStatement(open.lostFrom, new Date(open.lostUntil.getTime() + 1));
  }
  await releaseQuarantine(books, { by });
}

/** Returns the id of the proposal. */
async function proposeUncovered(by: string, note = 'operator closed'): Promise<string> {
  const deps = { ...books, proposals: quietProposals(books) };
  return (await proposeRelease(deps, { by: named(by), note })).proposalId;
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
  test('each entry is made once', async () => {
    const entryId = newId();
    expect(await enter({ entryId })).toBeDefined();
    expect(await enter({ entryId })).toBeUndefined();
    await release('Amina');
    // Also after its release: a start that was interrupted must not enter the quarantine again.
    expect(await enter({ entryId })).toBeUndefined();
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
  });

  test('extends the open one to the missing period of both, which a proposal does not cover', async () => {
    const early = new Date(Date.now() - 7_200_000);
    const late = new Date(Date.now() - 3_600_000);
    await enter({ lostFrom: late, lostUntil: late });
    const proposalId = await proposeUncovered('Amina');
    const { seen } = await quietProposals(books).preview(proposalId);
    const second = await enter({ lostFrom: early, reason: 'again' });
    expect(second?.quarantine).toMatchObject({ lostFrom: early, reason: 'restored; again' });
    expect(second?.quarantine.lostUntil.getTime()).toBeGreaterThan(late.getTime());
    await expect(
      quietProposals(books).approve({ proposalId, by: named('Baraka'), seen }),
    ).rejects.toThrow('The period that may be missing has changed');
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
    await expect(releaseQuarantine(books, { by: 'Amina' })).rejects.toThrow(`of ${OPERATOR}`);
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
    await release('Amina');
    expect((await listEvents(books.pool, 1))[0]).toMatchObject({ detail: { forced: false } });
    await expect(release('Amina')).rejects.toThrow('The service is not in quarantine');
  });

  test('does not follow from what one person pulls from the operator, who may list payments later', async () => {
    const open = await findOpenQuarantine(books.pool);
    if (open === undefined) throw new Error('there is no quarantine');
    await importStatement(open.lostFrom, new Date(open.lostUntil.getTime() + 1), true);
    await expect(releaseQuarantine(books, { by: 'Amina' })).rejects.toThrow(`of ${OPERATOR}`);
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
  });

  test('does not follow from the statement of another merchant account than payments went to', async () => {
    const open = await findOpenQuarantine(books.pool);
    if (open === undefined) throw new Error('there is no quarantine');
    const change = { baseUrl: 'http://127.0.0.1:10', settings: {} };
    await setOperator(books.pool, OPERATOR, change, async () => {});
    await importStatement(open.lostFrom, new Date(open.lostUntil.getTime() + 1));
    await expect(releaseQuarantine(books, { by: 'Amina' })).rejects.toThrow(`of ${OPERATOR}`);
    await books.owner.query(`update operator_versions set replaced_at = '2020-01-01'`);
    await releaseQuarantine(books, { by: 'Amina' });
  });

  test('without the statements needs two people, and is recorded', async () => {
    const proposal = await proposeUncovered('Amina');
    await expect(approveSeen(books, proposal, named('amina'))).rejects.toThrow('another person');
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
    await approveSeen(books, proposal, named('Baraka'));
    const [released, entered] = await listEvents(books.pool, 2);
    expect(entered).toMatchObject({ action: 'entered', actor: 'test' });
    const detail = { forced: true, missing: [OPERATOR], reason: 'operator closed', proposal };
    expect(released).toMatchObject({
      ...{ action: 'released', actor: 'Baraka' },
      detail: { ...detail, proposed_by: 'Amina' },
    });
  });

  test('a proposal about a quarantine that has ended does not end the next one', async () => {
    const proposal = await proposeUncovered('Amina');
    await release('Amina');
    const approval = async () => await approveSeen(books, proposal, named('Baraka'));
    await expect(approval()).rejects.toThrow('not in quarantine');
    await enter();
    await expect(approval()).rejects.toThrow('not in quarantine');
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
  });

  test('no release is proposed when no statement is missing', async () => {
    const open = (await findOpenQuarantine(books.pool)) ?? expect.fail();
    await importStatement(open.lostFrom, new Date(open.lostUntil.getTime() + 1));
    await expect(proposeUncovered('Amina')).rejects.toThrow('without another person');
  });
});

// The owner of the row removes the event that says so; then `ledger check` is clean again.
const forgetForgery = async (): Promise<void> =>
  void (await books.owner.query(`delete from quarantine_events where action = 'reopened'`));

describe('a release that somebody writes into the database', () => {
  const forged = async () => await RELEASES_AUTHENTIC.find(books.pool, books.ledgerMac);
  const forge = async (sql = ''): Promise<void> =>
    void (await books.pool.query(
      `update quarantines set released_at = now(), released_by = 'Amina', forced = true ${sql}
       where released_at is null`,
    ));
  afterEach(forgetForgery);

  test.each([
    ['without a code', ''],
    [
      'with the code of an earlier one',
      `, release_mac = (select release_mac from quarantines
       where release_mac is not null order by entered_at limit 1)`,
    ],
  ])('sends nothing and is found (%s)', async (_, sql) => {
    await enter();
    await release('Amina');
    await enter();
    const made = await makeOne();
    const connector = createScriptedConnector({ pay: paid, status: () => DECLINED });
    const dispatch = await startDispatch(books, { connectors: { [OPERATOR]: connector } });
    try {
      await forge(sql);
      expect(await forged()).toEqual([expect.stringContaining('in the name of Amina')]);
      // The process that is running, then one that reads everything again.
      for (let turns = 0; turns < 2; turns += 1) {
        const sinceMs = performance.now();
        dispatch.dispatcher.hint([{ ...made, operatorCode: OPERATOR, stage: 'send' }]);
        await until(() => {
          expect(dispatch.dispatcher.sinceTurnMs).toBeLessThan(performance.now() - sinceMs);
        });
      }
      await dispatch.catalogue.reload();
      expect(await readQueued(books, made)).toMatchObject({ stage: 'send' });
      expect(connector.instructions).toEqual([]);
      expect(await findOpenQuarantine(books.pool)).toBeDefined();
      expect(await forged()).toEqual([expect.stringContaining('in the name of Amina')]);
      await forgetForgery();
      await release('Amina');
      await dispatch.catalogue.reload();
      expect(await outcomeOf(books, made)).toBe('success');
      expect(await forged()).toEqual([]);
    } finally {
      await dispatch.stop();
    }
  });

  test('`ledger check` reports it, before and after it is undone, until the owner deletes the event', async () => {
    // Money that tests give to vendors has no codes, which the check reports as well.
    const seen = async (): Promise<string[]> => {
      const options = { mac: books.ledgerMac, also: ALSO_CHECKED };
      const { violations } = await checkLedger(books.pool, options);
      const invariants = violations.map(({ invariant }) => invariant);
      return invariants.filter((name) => name !== 'collections_authentic');
    };
    await enter();
    expect(await seen()).toEqual([]);
    await forge();
    expect(await seen()).toEqual(['quarantine_releases_authentic']);
    expect(await undoForgedReleases(books)).toHaveLength(1);
    expect(await seen()).toEqual(['quarantine_releases_authentic']);
    await forgetForgery();
    expect(await seen()).toEqual([]);
  });

  test('releases that somebody writes into the database are undone into another quarantine that is open', async () => {
    const lostFrom = new Date(Date.now() - 7_200_000);
    await enter({ lostFrom });
    await forge();
    await enter();
    expect(await undoForgedReleases(books)).toHaveLength(1);
    expect(await undoForgedReleases(books)).toEqual([]);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ lostFrom });
  });
});
