import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { putOperator } from '../../src/payments/billers/store.ts';
import { readPayment } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import type { Claim } from '../../src/payments/dispatch/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import {
  approveCurrent,
  approveResolution,
  previewResolution,
  proposeResolution,
} from '../support/approve-case.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  operatorRecord,
  paidReport,
  through,
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
  const row = await proposeResolution(books, { caseId, by: 'Asha', proposal });
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
    'The proposal was already withdrawn by Asha.',
  );
  // The same content, proposed again, is another proposal.
  const last = await propose(caseId, 'charge_vendor');
  await expect(approve(caseId, replaced)).rejects.toThrow('already withdrawn');
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
  expect(await previewResolution(books, (await caseOf(made)).caseId)).toHaveLength(2);
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
  expect(await previewResolution(books, (await caseOf(made)).caseId)).toEqual([
    expect.stringMatching(/Now it would be: 90\.00 from losses:kplc/),
  ]);
  await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow(
    /The books have changed since the proposal, which was: 100\.00 from losses:kplc .* Now it would be: 90\.00 from losses:kplc .* Propose it again\./,
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

test.each([
  ['paid', null, 5],
  ['paid', '9000', 6],
  ['paid', '11000', 5],
  ['failed', null, 1],
])(
  'a preview of %s (%s) lists every transfer that its approval posts',
  async (resolution, cents, legs) => {
    const vendorId = await books.addVendor(FLOAT);
    const made = newPayment({ vendorId, amountCents: AMOUNT, feeCents: 116n, vatCents: 16n });
    const terms = {
      ...{ cost: { flatCents: 300n, bps: 0 }, commission: { flatCents: 0n, bps: 150 } },
      commissionNetted: true,
    };
    const price = { billerCode: made.billerCode, operatorCode: OPERATOR };
    const setting = { validFrom: null, setBy: 'Asha' };
    const version = await setOperatorPrice(books.pool, price, terms, setting);
    await createInstructed(books.pool, [made], version);
    const opened = { vendorId, paymentId: made.paymentId, by: 'Chege', note: 'no answer' };
    const { caseId } = await openCaseByHand(books.pool, opened);
    const paid = { operator_reference: 'OP-1', message: null, details: null };
    const proposal = { resolution, note: 'told by phone', amount_cents: cents, ...paid };
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
    const [, ...lines] = await previewResolution(books, caseId);
    await approveCurrent(books, { caseId, by: 'Baraka' });
    const posted = await books.pool.query<{ line: string }>(
      `select (amount_cents / 100.0)::numeric(12, 2) || ' from ' || debit_account || ' to ' || credit_account as line
     from transfers where bucket = bucket_of($1) and vendor_id = $1 and source_id = $2 and leg > 1 order by leg`,
      [vendorId, made.paymentId],
    );
    expect(lines).toEqual(posted.rows.map(({ line }) => line));
    expect(lines).toHaveLength(legs);
  },
);

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
  expect(await previewResolution(books, row.caseId)).toEqual([
    'The payment is no longer open; see its status.',
  ]);
});

describe('a payment without an answer, while people decide about it', () => {
  const SECOND = 'second';
  beforeAll(async () => {
    await putOperator(books.pool, operatorRecord({ operatorCode: SECOND }));
  });

  async function sent() {
    const vendorId = await books.addVendor(FLOAT);
    const made = newPayment({ vendorId, amountCents: AMOUNT });
    const [claimed] = await createInstructed(books.pool, [made]);
    if (claimed === undefined) throw new Error('it was not claimed');
    return { made, claimed };
  }

  /** @param operatorCode null: a person opens it. */
  async function open(made: NewPayment, operatorCode: string | null): Promise<string> {
    const { vendorId, paymentId } = made;
    const caseId = await openCase(books.pool, {
      ...{ vendorId, paymentId, kind: 'no_answer', evidenceId: null, operatorCode },
      facts: {},
    });
    return caseId ?? '';
  }

  /** The operator proves that it did not execute it, and it is sent again. */
  async function sendAgain({ vendorId, billerCode }: NewPayment, claimed: Claim, to: string) {
    const progress = { claim: claimed, next: 'send', delayMs: 0, note: 'not found' } as const;
    await writeProgress(books.pool, [{ ...progress, operatorHandle: null, nextOperator: to }]);
    const queue = { vendorId, billerCode, operatorCode: to, stage: 'send' } as const;
    const again = { ...queue, max: 1, leaseMs: 600_000, route: through(to) };
    expect(await claim(books.pool, [again])).toHaveLength(1);
  }

  async function expectOpen({ vendorId, paymentId }: NewPayment): Promise<void> {
    expect(await readPayment(books.pool, vendorId, paymentId)).toMatchObject({ outcome: null });
  }

  test.each([SECOND, OPERATOR])(
    'sent again to “%s” after the proposal: it is not approved',
    async (to) => {
      const { made, claimed } = await sent();
      const caseId = await open(made, null);
      const proposalId = await propose(caseId, 'failed');
      await sendAgain(made, claimed, to);
      const problem = `The payment has been sent again since the proposal, to ${to}. Look at it again, and propose it again.`;
      const [row] = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
      if (row === undefined) throw new Error('no case');
      expect(await previewResolution(books, row.caseId)).toEqual([problem]);
      await expect(approve(caseId, proposalId)).rejects.toThrow(problem);
      await expectOpen(made);
      await approve(caseId, await propose(caseId, 'failed'));
    },
  );

  test('another operator has it by now: what the first one says decides nothing', async () => {
    const { made, claimed } = await sent();
    const caseId = await open(made, OPERATOR);
    await sendAgain(made, claimed, SECOND);
    await expect(propose(caseId, 'failed')).rejects.toThrow(
      `The payment has been sent to ${SECOND}, and this case is about ${OPERATOR}. Wait for its result`,
    );
    await expectOpen(made);
  });

  test('it waits to be sent again: a decision ends it', async () => {
    const { made, claimed } = await sent();
    const caseId = await open(made, OPERATOR);
    const proposalId = await propose(caseId, 'failed');
    const progress = { claim: claimed, next: 'send', delayMs: 0, note: 'not found' } as const;
    await writeProgress(books.pool, [{ ...progress, operatorHandle: null }]);
    await approve(caseId, proposalId);
    const { vendorId, paymentId } = made;
    expect(await readPayment(books.pool, vendorId, paymentId)).toMatchObject({ outcome: 'failed' });
  });
});
