import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPerson } from '../../src/parties/people/administer.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { lockFloat } from '../../src/payments/ledger/store.ts';
import { confirmedBy } from '../../src/proposals/parties/person.ts';
import { COLLECTOR, createInstructed } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { SEALING } from '../support/production-pair.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { addStaff } from '../support/staff.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';

// Two steps about the same people at one moment, which wait for each other in the database.

const freshBooks = sharedBooks();
let books: Books;
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => await books.close());

test('an administrator who approves and makes a link for the same person at once gets an answer to both', async () => {
  const { pool, ledgerMac } = books;
  const proposals = quietProposals(books);
  const role = 'administrator';
  const chege = await addStaff(books, { login: 'chege', name: 'Chege Maina', role });
  const at = new Date();
  const invite = { confirm: confirmedBy(proposals, { by: chege, note: 'a new colleague' }) };
  const people = { pool, ledgerMac, ...invite };
  // Locked in the order of their ids: she comes before Asha.
  await addPerson(people, { login: 'dalila', name: 'Dalila Njeri', role: 'support' }, at);
  const token = await createLink(people, 'dalila', { madeBy: chege.personId, now: at });
  const chosen = { token, password: 'correct horse battery', codes: undefined };
  const { masterKeys } = SEALING;
  await acceptLink({ ...people, masterKeys, codesRequired: false }, chosen, at);
  const asha = await addStaff(books, { login: 'asha', name: 'Asha Wanjiru', role });
  const proposalId = (await findPerson(pool, 'dalila'))?.waitsFor ?? '';
  const { seen } = await proposals.preview(proposalId);

  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from people where person_id = $1 for update', [chege.personId]);
  // Holds Asha and waits for Chege, then for Dalila.
  const approved = proposals.approve({ proposalId, by: asha, seen });
  await until('the approval waits', async () => (await countWaiting(pool)) === 1);
  // Holds Dalila and waits for Asha.
  const confirm = confirmedBy(proposals, { by: asha, note: 'a new link' });
  const by = asha.personId;
  const deps = { pool, ledgerMac, confirm, by };
  const linked = createLink(deps, 'dalila', { madeBy: by, now: new Date() });
  await until('the link waits', async () => (await countWaiting(pool)) === 2);
  await holder.query('commit');
  holder.release();
  const results = await Promise.allSettled([approved, linked]);
  const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  for (const error of errors) expect(error).toBeInstanceOf(PlainError);
  expect(errors.length).toBeLessThan(2);
  expect(results[1]?.status).toBe('fulfilled');
});

test('a person who opens a case gets it, although another step locks in another order', async () => {
  const { pool } = books;
  const vendorId = await books.addVendor();
  const payment = newPayment({ vendorId, amountCents: 1_000n, feeCents: 0n });
  await collect(books, {
    ...{ collector: COLLECTOR, reference: 'income', vendorId, amountCents: 5_000n },
    paidAt: new Date(),
  });
  await fund(pool, { vendorId, requestedAt: new Date() });
  await createInstructed(pool, [payment]);
  const { paymentId } = payment;
  const holder = await pool.connect();
  await holder.query('begin');
  const same = { vendorId, paymentId, evidenceId: null, operatorCode: null, facts: {} };
  await openCase(holder, { ...same, kind: 'no_answer' });
  // Holds the vendor's float, and waits for the case.
  const opened = openCaseByHand(pool, { vendorId, paymentId, by: 'Asha', note: 'no answer' });
  await until('the person waits', async () => (await countWaiting(pool)) === 1);
  await lockFloat(holder, vendorId);
  await holder.query('rollback');
  holder.release();
  expect(await opened).toMatchObject({ kind: 'no_answer', paymentId });
});
