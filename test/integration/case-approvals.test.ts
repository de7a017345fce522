import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { listCasesAbout, openCase } from '../../src/payments/cases/cases-store.ts';
import type { CaseRow } from '../../src/payments/cases/cases-store.ts';
import {
  approveResolution,
  previewResolution,
  proposeResolution,
} from '../../src/payments/corrections/cases.ts';
import { settlePayments } from '../../src/payments/create/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { approveCurrent } from '../support/approve-case.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// The second person approves exactly the proposal that they saw, or nothing.

const FLOAT = 100_000n;
const AMOUNT = 10_000n;

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

async function settle(report: FinalReport): Promise<void> {
  await settlePayments(books.pool, [report]);
}

/** A payment that failed and was returned; then its operator says that it had paid. */
async function contradicted(): Promise<NewPayment> {
  const vendorId = await books.addVendor(FLOAT);
  const made = newPayment({ vendorId, amountCents: AMOUNT, feeCents: 0n });
  await createInstructed(books.pool, [made]);
  await settle(failedReport(made));
  await settle(paidReport(made, { billerReference: 'LATE', details: { token: '1' } }));
  return made;
}

async function caseOf(made: NewPayment): Promise<CaseRow> {
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const row = cases.find(({ kind }) => kind === 'contradiction');
  if (row === undefined) throw new Error('no case');
  return row;
}

/** Returns the id of the proposal. */
async function propose(caseId: string, resolution: string, cents?: bigint): Promise<string> {
  const proposal = {
    ...{ resolution, note: 'as agreed with the operator' },
    amount_cents: cents?.toString() ?? null,
    ...{ operator_reference: null, message: null, details: null },
  };
  const { row } = await proposeResolution(books, { caseId, by: 'Asha', proposal });
  return row.proposalId ?? '';
}

async function approve(caseId: string, proposalId: string): Promise<void> {
  await approveResolution(books, { caseId, proposalId, by: 'Baraka' });
}

test('an approval of a proposal that was replaced is refused', async () => {
  const made = await contradicted();
  const { caseId } = await caseOf(made);
  const seen = await propose(caseId, 'keep_books');
  const replaced = await propose(caseId, 'charge_vendor');
  await expect(approve(caseId, seen)).rejects.toThrow(
    'This is not the current proposal, which is charge_vendor by Asha. Look at the case again.',
  );
  // The same content, proposed again, is another proposal.
  const last = await propose(caseId, 'charge_vendor');
  await expect(approve(caseId, replaced)).rejects.toThrow('not the current proposal');
  expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT });
  await approve(caseId, last);
  expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT - AMOUNT });
});

test('an approval is refused if a report has since added details that the vendor would see', async () => {
  const made = await contradicted();
  const { caseId } = await caseOf(made);
  const seen = await propose(caseId, 'charge_vendor');
  const again = { billerReference: 'LATE', details: { token: '1' } };
  await settle(paidReport(made, again));
  expect(await previewResolution(books.pool, await caseOf(made), books.ledgerMac)).toHaveLength(2);
  await settle(paidReport(made, { ...again, details: { token: '2' } }));
  await expect(approve(caseId, seen)).rejects.toThrow('other facts than when this was proposed');
  await approve(caseId, await propose(caseId, 'charge_vendor'));
});

test('an approval is refused if the proposal would now post other transfers', async () => {
  const made = await contradicted();
  const { caseId } = await caseOf(made);
  await propose(caseId, 'house_bears');
  const other = await openCase(books.pool, {
    ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'amount_difference' },
    ...{ evidenceId: newId(), operatorCode: OPERATOR },
    facts: { paid_cents: Number(AMOUNT) },
  });
  const partly = await propose(other ?? '', 'house_bears', 1_000n);
  await approve(other ?? '', partly);
  expect(await previewResolution(books.pool, await caseOf(made), books.ledgerMac)).toEqual([
    expect.stringMatching(/^90\.00 from external/),
  ]);
  await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow(
    /The books have changed since the proposal, which was: 100\.00 from external .* Now it would be: 90\.00 from external .* Propose it again\./,
  );
});

test('whether the float covers it, or the vendor owes a part, may change with every payment', async () => {
  const made = await contradicted();
  const { caseId } = await caseOf(made);
  await propose(caseId, 'charge_vendor');
  const { vendorId } = made;
  const spent = newPayment({ vendorId, amountCents: FLOAT - 4_000n, feeCents: 0n });
  await createInstructed(books.pool, [spent]);
  await approveCurrent(books, { caseId, by: 'Baraka' });
  expect(await books.balances(vendorId)).toMatchObject({ float: 0n, exposure: 4_000n - AMOUNT });
});

test('a preview says when a proposal can no longer be carried out', async () => {
  const vendorId = await books.addVendor(FLOAT);
  const made = newPayment({ vendorId, amountCents: AMOUNT });
  await createInstructed(books.pool, [made]);
  const { paymentId } = made;
  const caseId = await openCase(books.pool, {
    ...{ vendorId, paymentId, kind: 'no_answer', evidenceId: null, operatorCode: null },
    facts: {},
  });
  await propose(caseId ?? '', 'failed');
  await settle(paidReport(made));
  const [row] = await listCasesAbout(books.pool, vendorId, paymentId);
  if (row === undefined) throw new Error('no case');
  expect(await previewResolution(books.pool, row, books.ledgerMac)).toEqual([
    'it can no longer be carried out: The payment is no longer open; see its status.',
  ]);
});
