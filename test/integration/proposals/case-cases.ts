import { listCasesAbout } from '../../../src/payments/cases/read-cases.ts';
import { collect } from '../../../src/payments/collections/collect.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import { newId } from '../../../src/platform/base/ids.ts';
import { proposeResolution } from '../../../src/payments/corrections/case-resolution.ts';
import { openCaseByHand } from '../../../src/payments/corrections/open-case.ts';
import type { NewPayment } from '../../../src/payments/create/payment.ts';
import { settlePayments } from '../../../src/payments/settle/store.ts';
import { readStored } from '../../support/dispatch-fixture.ts';
import {
  COLLECTOR,
  createInstructed,
  failedReport,
  OPERATOR,
  paidReport,
} from '../../support/money-fixture.ts';
import type { Books } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import type { Case, Cases, Given } from './case.ts';

const FLOAT = 100_000n;
const AMOUNT = 10_000n;
const NO_TEXTS = { amount_cents: null, operator_reference: null, message: null, details: null };

/** A vendor whose float the service has recorded. */
async function vendorWithFloat(books: Books): Promise<number> {
  const vendorId = await books.addVendor();
  const paidAt = new Date('2026-01-05T09:00:00Z');
  const income = { collector: COLLECTOR, reference: newId(), vendorId, amountCents: FLOAT, paidAt };
  await collect(books, income);
  await fund(books.pool, { vendorId, requestedAt: new Date() });
  return vendorId;
}

async function send(books: Books, vendorId: number, amountCents = AMOUNT): Promise<NewPayment> {
  const made = newPayment({ vendorId, amountCents, feeCents: 0n });
  await createInstructed(books.pool, [made]);
  return made;
}

/** The vendor's money, the result that it sees, and how the case was resolved. */
async function stateOf(books: Books, made: NewPayment): Promise<unknown> {
  const { float, reserved, exposure } = await books.balances(made.vendorId);
  const { outcome } = await readStored(books, made);
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const people = cases.map(({ proposedBy, resolution, resolvedBy }) => [
    ...[proposedBy, resolution, resolvedBy],
  ]);
  return { float, reserved, exposure: exposure ?? 0n, outcome, people };
}

const OPEN = [[null, null, null]];
const money = (float: bigint, reserved = 0n, exposure = 0n) => ({ float, reserved, exposure });

/** A payment that failed and was returned; then its operator says that it had paid. */
async function charge({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const vendorId = await vendorWithFloat(books);
  const made = await send(books, vendorId);
  await settlePayments(pool, [failedReport(made)]);
  await settlePayments(pool, [paidReport(made, { details: { token: '1' } })]);
  const [{ caseId } = { caseId: '' }] = await listCasesAbout(pool, vendorId, made.paymentId);
  const { proposalId: id } = await proposeResolution(
    { pool, proposals },
    {
      ...{ caseId, by: people.asha },
      proposal: { resolution: 'charge_vendor', note: 'told by phone', ...NO_TEXTS },
    },
  );
  const ends = { outcome: 'success', people: [['asha', 'charge_vendor', 'baraka']] };
  return {
    id,
    shown: [
      { label: 'Posted', text: `from float to operator:${OPERATOR}`, cents: String(AMOUNT) },
      { label: 'The vendor sees', text: 'SUCCESS' },
    ],
    state: async () => await stateOf(books, made),
    approved: { ...money(FLOAT - AMOUNT), ...ends },
    ended: { ...money(FLOAT), outcome: 'failed', people: OPEN },
    // The operator reports another token.
    changeFacts: async () => {
      await settlePayments(pool, [paidReport(made, { details: { token: '2' } })]);
    },
    reason: /other facts than when this was proposed/,
    spend: async () => {
      await send(books, vendorId, FLOAT - 4_000n);
      // What the vendor then owes is another case.
      const cases = [...ends.people, ...OPEN];
      return { ...money(0n, FLOAT - 4_000n, 4_000n - AMOUNT), ...ends, people: cases };
    },
  };
}

/** A payment without an answer, which the operator says by telephone that it paid. */
async function paidByHand({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const vendorId = await vendorWithFloat(books);
  const made = await send(books, vendorId);
  const about = { vendorId, paymentId: made.paymentId };
  const { caseId } = await openCaseByHand(pool, { ...about, by: 'chege', note: 'no answer' });
  const { proposalId: id } = await proposeResolution(
    { pool, proposals },
    {
      ...{ caseId, by: people.asha },
      proposal: {
        ...{ ...NO_TEXTS, resolution: 'paid', note: 'told by phone', operator_reference: 'OP-1' },
      },
    },
  );
  const ends = { outcome: 'success', people: [['asha', 'paid', 'baraka']] };
  return {
    id,
    shown: [
      { label: 'Settled as paid', cents: String(AMOUNT) },
      { label: 'Posted', text: `from reserved to operator:${OPERATOR}`, cents: String(AMOUNT) },
    ],
    state: async () => await stateOf(books, made),
    approved: { ...money(FLOAT - AMOUNT), ...ends },
    ended: { ...money(FLOAT - AMOUNT, AMOUNT), outcome: null, people: OPEN },
    // The operator answers.
    changeFacts: async () => {
      await settlePayments(pool, [failedReport(made)]);
    },
    reason: /no longer open/,
    endedAfterChange: { ...money(FLOAT), outcome: 'failed', people: OPEN },
    spend: async () => {
      await send(books, vendorId, FLOAT - AMOUNT);
      return { ...money(0n, FLOAT - AMOUNT), ...ends };
    },
  };
}

export const CASES: Cases = {
  case_resolution: { make: charge },
  'case_resolution of an open payment': { make: paidByHand },
};
