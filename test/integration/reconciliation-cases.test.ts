import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { findViolations } from '../support/books-check.ts';
import { listCaseEvents } from '../../src/payments/cases/case-proposals.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { HOUSE, openCase } from '../../src/payments/cases/cases-store.ts';
import { findCase, listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import type { CaseKind } from '../../src/payments/cases/kinds.ts';
import type { ProposedResolution } from '../../src/payments/cases/cases-store.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { FinalReport, NewPayment, SettleResult } from '../../src/payments/create/payment.ts';
import { reportCorrections } from '../../src/payments/reports/corrections.ts';
import { readPayments } from '../../src/payments/reconciliation/store.ts';
import { reportReceivables } from '../../src/payments/reports/receivables.ts';
import { insertFeePrice, insertOperatorPrice } from '../../src/payments/prices/store.ts';
import { flatFormula } from '../support/fee-prices.ts';
import { chainEverything } from '../support/chain.ts';
import { approveCurrent, proposeResolution, rejectCurrent } from '../support/approve-case.ts';
import { readAttempts, readQueued, readStored } from '../support/dispatch-fixture.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';

// Decisions of two people about a case, and their effect on the ledger.

const FLOAT = 100_000n;
const AMOUNT = 10_000n;
/** A lost payment may be listed with the operator’s terms or without. */
const OWN_AMOUNT = { amount_cents: String(AMOUNT) };
const FEE = 150n;
const OPERATORS = `operator:${OPERATOR}`;
const LOSSES = `losses:${OPERATOR}`;
const RECEIVABLE = `receivable:${OPERATOR}`;
const CLAIMS = `claims:${OPERATOR}`;

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
// Whatever is decided, the ledger stays consistent.
afterEach(async () => {
  await chainEverything(books);
  const violations = await findViolations(books.pool, { mac: books.ledgerMac });
  // The fixture's collections have no authentication code.
  const ours = violations.filter(({ invariant }) => invariant !== 'collections_authentic');
  expect(ours).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

async function sent(floatCents = FLOAT): Promise<NewPayment> {
  const vendorId = await books.addVendor(floatCents);
  const made = newPayment({ vendorId, amountCents: AMOUNT, feeCents: FEE });
  await createInstructed(books.pool, [made]);
  return made;
}

async function settle(report: FinalReport): Promise<SettleResult | undefined> {
  const [result] = await settlePayments(books.pool, [report]);
  return result;
}

async function openCaseOf(made: NewPayment, kind: CaseKind): Promise<CaseRow> {
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const open = cases.find((row) => row.kind === kind && row.resolvedAt === null);
  if (open === undefined) throw new Error(`no open case of ${kind}`);
  return open;
}

function proposal(resolution: string, given: Partial<ProposedResolution> = {}): ProposalWithNote {
  return {
    resolution,
    note: 'as agreed with the operator',
    amount_cents: null,
    operator_reference: null,
    message: null,
    details: null,
    ...given,
  };
}

type ProposalWithNote = ProposedResolution & { readonly note: string };

/** One person proposes, another one approves. */
async function resolve(
  row: Pick<CaseRow, 'caseId'>,
  resolution: string,
  given: Partial<ProposedResolution> = {},
): Promise<CaseRow> {
  const caseId = row.caseId;
  await proposeResolution(books, {
    caseId,
    by: 'Asha',
    proposal: proposal(resolution, given),
  });
  return (await approveCurrent(books, { caseId, by: 'Baraka' })).row;
}

/** The changes of the house's balances. */
async function houseChange(work: () => Promise<unknown>): Promise<Record<string, bigint>> {
  const before = await books.balances(HOUSE);
  await work();
  const after = Object.entries(await books.balances(HOUSE));
  return Object.fromEntries(
    after
      .map(([account, cents]) => [account, cents - (before[account] ?? 0n)] as const)
      .filter(([, cents]) => cents !== 0n),
  );
}

/** Failed and returned; then the operator says that it had paid. */
async function lateSuccess(floatCents = FLOAT): Promise<NewPayment> {
  const made = await sent(floatCents);
  await settle(failedReport(made));
  const details = { token: '12345678901234567890' };
  const late = paidReport(made, { billerReference: 'LATE', details, source: 'callback' });
  expect(await settle(late)).toBe('contradicted');
  return made;
}

describe('two people', () => {
  test('nobody approves what they proposed, however they write their name', async () => {
    const made = await lateSuccess();
    const { caseId } = await openCaseOf(made, 'contradiction');
    await expect(approveCurrent(books, { caseId, by: 'Asha' })).rejects.toThrow(
      'This case has no proposal',
    );
    await proposeResolution(books, { caseId, by: 'Asha', proposal: proposal('keep_books') });
    for (const by of ['Asha', 'ASHA']) {
      await expect(approveCurrent(books, { caseId, by })).rejects.toThrow(
        'another person has to approve',
      );
    }
    await expect(approveCurrent(books, { caseId, by: ' Asha' })).rejects.toThrow('person’s name');
    // The database refuses it too.
    await expect(
      books.pool.query(
        `update cases set resolution = 'keep_books', proposed_by = 'Asha', resolved_by = 'asha', resolved_at = now()
         where case_id = $1`,
        [caseId],
      ),
    ).rejects.toThrow('violates check constraint "cases_two_people');
    const { row } = await approveCurrent(books, { caseId, by: 'Baraka' });
    expect(row).toMatchObject({ resolution: 'keep_books', resolvedBy: 'Baraka' });
    await expect(
      proposeResolution(books, { caseId, by: 'Asha', proposal: proposal('keep_books') }),
    ).rejects.toThrow('is resolved');
  });

  test('a proposal can be rejected and replaced, and everything is recorded', async () => {
    const made = await lateSuccess();
    const row = await openCaseOf(made, 'contradiction');
    const caseId = row.caseId;
    const charge = proposal('charge_vendor');
    await proposeResolution(books, { caseId, by: 'Asha', proposal: charge });
    await rejectCurrent(books, { caseId, by: 'Baraka', note: 'ask the operator first' });
    await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow(
      'This case has no proposal',
    );
    await resolve(row, 'keep_books');
    expect(await listCaseEvents(books.pool, row)).toMatchObject([
      { action: 'proposed', actor: 'Asha', detail: { resolution: 'charge_vendor' } },
      { action: 'rejected', actor: 'Baraka', detail: { note: 'ask the operator first' } },
      { action: 'proposed', actor: 'Asha' },
      { action: 'approved', actor: 'Baraka', detail: { resolution: 'keep_books' } },
    ]);
    expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT });
  });

  test('at once: it is posted once', async () => {
    const made = await lateSuccess();
    const { caseId } = await openCaseOf(made, 'contradiction');
    await proposeResolution(books, {
      caseId,
      by: 'Asha',
      proposal: proposal('charge_vendor'),
    });
    const results = await Promise.allSettled(
      ['Baraka', 'Chebet', 'Dalila'].map(async (by) => await approveCurrent(books, { caseId, by })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT - AMOUNT - FEE });
  });

  test('a resolution that does not fit the case is refused when it is proposed', async () => {
    const made = await lateSuccess();
    const { caseId } = await openCaseOf(made, 'contradiction');
    for (const [resolution, reason] of [
      ['write_off', 'cannot be resolved by write_off'],
      ['return_to_vendor', 'nothing can be returned'],
      ['failed', 'no longer open'],
    ] as const) {
      await expect(
        proposeResolution(books, { caseId, by: 'Asha', proposal: proposal(resolution) }),
      ).rejects.toThrow(reason);
    }
  });
});

describe('a late success after the refund', () => {
  test('charges the float again; the vendor sees SUCCESS, with the details of the payment', async () => {
    const made = await lateSuccess();
    await resolve(await openCaseOf(made, 'contradiction'), 'charge_vendor');
    expect(await books.balances(made.vendorId)).toMatchObject({
      float: FLOAT - AMOUNT - FEE,
      reserved: 0n,
      fees: FEE,
      [OPERATORS]: AMOUNT,
    });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'success',
      billerReference: 'LATE',
      details: { token: '12345678901234567890' },
      message: 'Paid after all, as the operator says; the amount was charged',
    });
    // The same report now agrees; the opposite one opens a new case.
    expect(await settle(paidReport(made))).toBe('repeated');
    expect(await settle(failedReport(made))).toBe('contradicted');
    await resolve(await openCaseOf(made, 'contradiction'), 'return_to_vendor');
    expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT, fees: 0n });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'failed',
      failureCode: 'corrected',
      details: null,
    });
  });

  test('with too little in the float leaves an exposure, a separate case, which is collected', async () => {
    const made = await lateSuccess(AMOUNT + FEE);
    const { vendorId } = made;
    const other = newPayment({ vendorId, amountCents: 4_000n });
    await createInstructed(books.pool, [other]);
    await resolve(await openCaseOf(made, 'contradiction'), 'charge_vendor');
    expect(await books.balances(vendorId)).toMatchObject({
      float: 0n,
      exposure: -4_000n,
      fees: FEE,
      [OPERATORS]: AMOUNT,
    });
    const exposure = await openCaseOf(made, 'exposure');
    expect(exposure.facts).toMatchObject({ owed_cents: 4_000 });
    await expect(resolve(exposure, 'collect_exposure')).rejects.toThrow('The float has only 0.00');
    await settle(failedReport(other));
    await resolve(exposure, 'collect_exposure');
    expect(await books.balances(vendorId)).toMatchObject({ float: 0n, exposure: 0n });
  });

  /** A vendor that owes 40.00 of a late success, and funded its float again. */
  async function owing(): Promise<NewPayment> {
    const made = await lateSuccess(AMOUNT + FEE);
    const other = newPayment({ vendorId: made.vendorId, amountCents: 4_000n });
    await createInstructed(books.pool, [other]);
    await resolve(await openCaseOf(made, 'contradiction'), 'charge_vendor');
    await settle(failedReport(other));
    return made;
  }

  test('an exposure that is collected in part: the rest is a case, which the report names', async () => {
    const made = await owing();
    const { vendorId } = made;
    const first = await openCaseOf(made, 'exposure');
    await expect(resolve(first, 'collect_exposure', { amount_cents: '4001' })).rejects.toThrow(
      'at most 40.00, what the vendor owes of this case',
    );
    await resolve(first, 'collect_exposure', { amount_cents: '1500' });
    const rest = await openCaseOf(made, 'exposure');
    expect(rest).toMatchObject({
      evidenceId: first.evidenceId,
      operatorCode: OPERATOR,
      facts: { ...first.facts, owed_cents: 2_500, rest_of_case: first.caseId },
    });
    const owed = async () =>
      (await reportReceivables(books.pool, new Date())).items.filter(
        ({ reference }) => reference === encodeReference(vendorId, made.paymentId),
      );
    expect(await owed()).toMatchObject([
      { amountCents: 2_500n, owedCents: 4_000n, openCaseId: rest.caseId },
    ]);
    await resolve(rest, 'write_off', { amount_cents: '1000' });
    const last = await openCaseOf(made, 'exposure');
    expect(await owed()).toMatchObject([{ amountCents: 1_500n, openCaseId: last.caseId }]);
    await resolve(last, 'collect_exposure');
    expect(await owed()).toEqual([]);
    await expect(openCaseOf(made, 'exposure')).rejects.toThrow('no open case');
    expect(await books.balances(vendorId)).toMatchObject({ float: 1_000n, exposure: 0n });
  });

  test('an exposure: the proposal says what is left, and keep_books is refused', async () => {
    const made = await owing();
    const { caseId } = await openCaseOf(made, 'exposure');
    const propose = async (resolution: string, amount_cents: string | null) =>
      await proposeResolution(books, {
        ...{ caseId, by: 'Asha', proposal: proposal(resolution, { amount_cents }) },
      });
    const { shown, content } = await propose('collect_exposure', '1500');
    expect(shown).toEqual([
      { label: 'Posted', text: 'from float to exposure', cents: '1500' },
      { label: 'The vendor still owes, as a new case', cents: '2500' },
    ]);
    expect(content).toMatchObject({
      effect: [
        '15.00 from the vendor’s money to exposure',
        'The vendor still owes, as a new case 25.00',
      ],
    });
    await expect(propose('keep_books', null)).rejects.toThrow(
      'The vendor still owes 40.00. Choose collect_exposure or write_off.',
    );
  });

  test('a late success after the refund may also be written off', async () => {
    const made = await lateSuccess(AMOUNT + FEE);
    await createInstructed(books.pool, [
      newPayment({ vendorId: made.vendorId, amountCents: AMOUNT + FEE }),
    ]);
    await resolve(await openCaseOf(made, 'contradiction'), 'charge_vendor');
    const owed = -((await books.balances(made.vendorId))['exposure'] ?? 0n);
    await resolve(await openCaseOf(made, 'exposure'), 'write_off');
    // An expense with a line of its own, not less money from outside.
    expect(await books.balances(made.vendorId)).toMatchObject({
      exposure: 0n,
      written_off: -owed,
    });
  });

  test.each([
    ['house_bears', OPERATORS, LOSSES],
    ['receivable', RECEIVABLE, CLAIMS],
  ])(
    '%s: the house’s books, the vendor keeps its money and FAILED',
    async (resolution, account, from) => {
      const made = await lateSuccess();
      const row = await openCaseOf(made, 'contradiction');
      const change = await houseChange(async () => await resolve(row, resolution));
      expect(change).toEqual({ [from]: -AMOUNT, [account]: AMOUNT });
      expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT });
      expect(await readStored(books, made)).toMatchObject({ outcome: 'failed' });
      // When it is reported again, nothing is left to correct.
      expect(await settle(paidReport(made))).toBe('contradicted');
      const again = await openCaseOf(made, 'contradiction');
      await expect(resolve(again, 'charge_vendor')).rejects.toThrow('Nothing is left to correct');
      await resolve(again, 'keep_books');
    },
  );
});

describe('a payment that was not made after all', () => {
  test('returns to the float with its fee; the vendor sees FAILED', async () => {
    const made = await sent();
    await settle(paidReport(made));
    await settle(failedReport(made, { source: 'callback' }));
    await resolve(await openCaseOf(made, 'contradiction'), 'return_to_vendor', {
      message: 'The biller has no such account',
    });
    expect(await books.balances(made.vendorId)).toMatchObject({
      float: FLOAT,
      fees: 0n,
      [OPERATORS]: 0n,
    });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'failed',
      message: 'The biller has no such account',
      billerReference: null,
    });
  });
});

describe('reports in the opposite direction', () => {
  test('an operator that denies a payment of a part is owed nothing more', async () => {
    const made = await sent();
    await settle(paidReport(made, { paidCents: AMOUNT - 300n }));
    await settle(failedReport(made, { source: 'callback' }));
    const row = await openCaseOf(made, 'contradiction');
    for (const resolution of ['charge_vendor', 'house_bears', 'receivable']) {
      await expect(resolve(row, resolution)).rejects.toThrow('Nothing is left to correct');
    }
  });

  test.each([
    ['that failed', 'failed', AMOUNT],
    ['that was paid', 'success', AMOUNT + 300n],
  ] as const)('a payment %s is not charged for its reversal', async (_, outcome, cents) => {
    const made = await sent();
    await settle(outcome === 'failed' ? failedReport(made) : paidReport(made));
    const before = await books.balances(made.vendorId);
    await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'theirs_only' },
      ...{ evidenceId: newId(), operatorCode: OPERATOR },
      facts: { movement: 'reversal', paid_cents: Number(cents) },
    });
    const row = await openCaseOf(made, 'theirs_only');
    await expect(resolve(row, 'charge_vendor')).rejects.toThrow('but its reversal');
    expect(await books.balances(made.vendorId)).toEqual(before);
  });

  test('what the operator returns of a payment goes to its vendor', async () => {
    const made = await sent();
    await settle(paidReport(made));
    await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'theirs_only' },
      ...{ evidenceId: newId(), operatorCode: OPERATOR },
      facts: { movement: 'reversal', paid_cents: 300 },
    });
    const row = await openCaseOf(made, 'theirs_only');
    await expect(resolve(row, 'return_to_vendor', { amount_cents: '301' })).rejects.toThrow(
      'at most 3.00',
    );
    await resolve(row, 'return_to_vendor');
    expect(await books.balances(made.vendorId)).toMatchObject({
      float: FLOAT - AMOUNT - FEE + 300n,
      fees: FEE,
      [OPERATORS]: AMOUNT - 300n,
    });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
  });

  test('a payment that the operator confirms is not returned', async () => {
    const made = await lateSuccess();
    await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'amount_difference' },
      ...{ evidenceId: null, operatorCode: OPERATOR, facts: { paid_cents: Number(AMOUNT) } },
    });
    await resolve(await openCaseOf(made, 'amount_difference'), 'charge_vendor');
    await expect(
      resolve(await openCaseOf(made, 'contradiction'), 'return_to_vendor'),
    ).rejects.toThrow('Nothing is left to return');
  });
});

describe('another amount', () => {
  test.each([
    ['charge_vendor', { float: FLOAT - AMOUNT - FEE - 500n, [OPERATORS]: AMOUNT + 500n }],
    ['house_bears', { float: FLOAT - AMOUNT - FEE, [OPERATORS]: AMOUNT }],
  ])(
    'two people resolve a payment of more than was instructed: %s',
    async (resolution, expected) => {
      const made = await sent();
      await settle(paidReport(made, { paidCents: AMOUNT + 500n }));
      const row = await openCaseOf(made, 'amount_difference');
      const change = await houseChange(async () => await resolve(row, resolution));
      expect(change[OPERATORS] ?? 0n).toBe(resolution === 'house_bears' ? 500n : 0n);
      expect(await books.balances(made.vendorId)).toMatchObject(expected);
      expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
    },
  );

  test('never more than the operator reports', async () => {
    const made = await sent();
    await settle(paidReport(made, { paidCents: AMOUNT + 500n }));
    const row = await openCaseOf(made, 'amount_difference');
    await expect(resolve(row, 'charge_vendor', { amount_cents: '501' })).rejects.toThrow(
      'at most 5.00',
    );
    await resolve(row, 'keep_books');
  });

  test('never more than the operator reports, although it returned something to us', async () => {
    // The operator owes us something.
    const claimed = await lateSuccess();
    await resolve(await openCaseOf(claimed, 'contradiction'), 'receivable');
    const made = await sent();
    await settle(paidReport(made));
    const { vendorId, paymentId } = made;
    const about = { vendorId, paymentId, operatorCode: OPERATOR };
    const less = { movement: 'payment', listed_before_cents: 4_000, paid_cents: 2_000 };
    const change = { kind: 'statement_change', evidenceId: newId(), facts: less } as const;
    await openCase(books.pool, { ...about, ...change });
    await resolve(await openCaseOf(made, 'statement_change'), 'receivable_returned');
    const more = { paid_cents: Number(AMOUNT) + 500 };
    const difference = { kind: 'amount_difference', evidenceId: null, facts: more } as const;
    await openCase(books.pool, { ...about, ...difference });
    const row = await openCaseOf(made, 'amount_difference');
    await expect(resolve(row, 'charge_vendor', { amount_cents: '501' })).rejects.toThrow(
      'at most 5.00',
    );
    await resolve(row, 'charge_vendor');
    expect(await books.balances(vendorId)).toMatchObject({ [OPERATORS]: AMOUNT + 500n });
  });

  /** Paid, and then listed with another amount. */
  async function listed(listedCents: bigint): Promise<NewPayment> {
    const made = await sent();
    await settle(paidReport(made));
    await openCase(books.pool, {
      vendorId: made.vendorId,
      paymentId: made.paymentId,
      kind: 'amount_difference',
      evidenceId: null,
      operatorCode: OPERATOR,
      facts: { paid_cents: Number(listedCents) },
    });
    return made;
  }

  test('less, never returns more than the difference', async () => {
    const row = await openCaseOf(await listed(AMOUNT - 300n), 'amount_difference');
    for (const amount_cents of ['301', AMOUNT.toString()]) {
      await expect(resolve(row, 'return_to_vendor', { amount_cents })).rejects.toThrow(
        'at most 3.00',
      );
    }
  });

  test('more, returns nothing', async () => {
    const row = await openCaseOf(await listed(AMOUNT + 300n), 'amount_difference');
    for (const amount_cents of ['1', null]) {
      await expect(resolve(row, 'return_to_vendor', { amount_cents })).rejects.toThrow(
        'Nothing is left to return',
      );
    }
  });

  test('less in the statement than in the answer: the rest returns', async () => {
    const made = await listed(AMOUNT - 300n);
    await resolve(await openCaseOf(made, 'amount_difference'), 'return_to_vendor');
    expect(await books.balances(made.vendorId)).toMatchObject({
      float: FLOAT - AMOUNT - FEE + 300n,
      fees: FEE,
      [OPERATORS]: AMOUNT - 300n,
    });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
  });
});

describe('paid twice', () => {
  test('what was paid twice is the house’s claim on the operator, until it is given back', async () => {
    const made = await sent();
    await settle(paidReport(made));
    const about = { operatorCode: OPERATOR, facts: { paid_cents: Number(AMOUNT) } };
    const { vendorId, paymentId } = made;
    await openCase(books.pool, {
      ...about,
      vendorId,
      paymentId,
      kind: 'duplicate',
      evidenceId: newId(),
    });
    const twice = await openCaseOf(made, 'duplicate');
    const claimed = await houseChange(async () => await resolve(twice, 'receivable'));
    expect(claimed).toEqual({ [CLAIMS]: -AMOUNT, [RECEIVABLE]: AMOUNT });
    expect(await books.balances(vendorId)).toMatchObject({ float: FLOAT - AMOUNT - FEE });
    const { items } = await reportReceivables(books.pool, new Date());
    expect(items.find(({ caseId }) => caseId === twice.caseId)).toMatchObject({
      debtor: 'operator',
      name: OPERATOR,
      amountCents: AMOUNT,
      reference: encodeReference(vendorId, paymentId),
    });
    const returned = await givenBack(made);
    await expect(
      resolve(returned, 'receivable_returned', { amount_cents: '999999999' }),
    ).rejects.toThrow('at most 100.00');
    const change = await houseChange(async () => await resolve(returned, 'receivable_returned'));
    expect(change).toEqual({ [CLAIMS]: AMOUNT, [RECEIVABLE]: -AMOUNT });
  });

  test('what was paid twice is borne by the house, until it is given back', async () => {
    const made = await sent();
    await settle(paidReport(made));
    await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'duplicate' },
      ...{ evidenceId: newId(), operatorCode: OPERATOR },
      facts: { movement: 'payment', paid_cents: Number(AMOUNT) },
    });
    await resolve(await openCaseOf(made, 'duplicate'), 'house_bears');
    const houseCents = async () =>
      (await readPayments(books.pool, OPERATOR, [made])).map((payment) => payment.houseCents);
    expect(await houseCents()).toEqual([AMOUNT]);
    const returned = await givenBack(made);
    const change = await houseChange(async () => await resolve(returned, 'house_recovers'));
    expect(change).toEqual({ [LOSSES]: AMOUNT, [OPERATORS]: -AMOUNT });
    expect(await houseCents()).toEqual([0n]);
  });

  test('what the operator gives back is of the claim about that payment, not of the oldest', async () => {
    const claims: { readonly made: NewPayment; readonly caseId: string }[] = [];
    for (const _ of [1, 2]) {
      const made = await sent();
      await settle(paidReport(made));
      await openCase(books.pool, {
        ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'duplicate' },
        ...{ evidenceId: newId(), operatorCode: OPERATOR },
        facts: { movement: 'payment', paid_cents: Number(AMOUNT) },
      });
      const twice = await openCaseOf(made, 'duplicate');
      await resolve(twice, 'receivable');
      claims.push({ made, caseId: twice.caseId });
    }
    const [older, newer] = claims;
    if (older === undefined || newer === undefined) throw new Error('no claims');
    await resolve(await givenBack(newer.made), 'receivable_returned');
    const { items } = await reportReceivables(books.pool, new Date());
    const left = items.filter(({ caseId }) => claims.some((claim) => claim.caseId === caseId));
    expect(left).toMatchObject([{ caseId: older.caseId, amountCents: AMOUNT }]);
  });

  /** A statement lists that the operator returned one of the two payments. */
  async function givenBack(made: NewPayment): Promise<CaseRow> {
    await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId, kind: 'theirs_only' },
      ...{ evidenceId: newId(), operatorCode: OPERATOR },
      facts: { movement: 'reversal', paid_cents: Number(AMOUNT) },
    });
    return await openCaseOf(made, 'theirs_only');
  }
});

describe('a payment that the ledger lost', () => {
  async function lostCase(
    given: Partial<CaseRow['facts']> = {},
    floatCents = FLOAT,
  ): Promise<CaseRow> {
    const made = { vendorId: await books.addVendor(floatCents), paymentId: newId() };
    return await openLost(made, given);
  }

  async function openLost(
    made: Pick<NewPayment, 'vendorId' | 'paymentId'>,
    given: Partial<CaseRow['facts']> = {},
  ): Promise<CaseRow> {
    const caseId = await openCase(books.pool, {
      ...{ vendorId: made.vendorId, paymentId: made.paymentId },
      kind: 'theirs_only',
      evidenceId: newId(),
      operatorCode: OPERATOR,
      facts: {
        movement: 'payment',
        biller: BILLER,
        at: new Date().toISOString(),
        paid_cents: Number(AMOUNT),
        ...given,
      },
    });
    const row = await findCase(books.pool, caseId ?? '');
    if (row === undefined) throw new Error('the case was not opened');
    return row;
  }

  test('the vendor that the reference names is charged for a lost payment, with its fee', async () => {
    const row = await lostCase({ at: new Date(Date.now() + 60_000).toISOString() });
    const price = flatFormula(116n, { vatBps: 1_600, vatIncluded: true });
    const key = { billerCode: BILLER, vendorId: row.vendorId };
    await insertFeePrice(books.pool, key, price, { validFrom: null, setBy: 'Asha' });
    const before = await books.balances(row.vendorId);
    await resolve(row, 'charge_vendor');
    expect(await books.balances(row.vendorId)).toEqual({
      ...before,
      float: FLOAT - AMOUNT - 116n,
      [OPERATORS]: AMOUNT,
      fees: 100n,
      vat: 16n,
    });
  });

  test.each([true, false])(
    'the vendor gets all of a lost payment back if the operator reverses it after it was charged (netted: %s)',
    async (commissionNetted) => {
      const at = new Date(Date.now() + 60_000).toISOString();
      const row = await lostCase({ at });
      const { vendorId, paymentId } = row;
      const price = flatFormula(116n, { vatBps: 1_600, vatIncluded: true });
      const setting = { validFrom: null, setBy: 'Asha' };
      await insertFeePrice(books.pool, { billerCode: BILLER, vendorId }, price, setting);
      const terms = {
        ...{ cost: { flatCents: 30n, bps: 0 }, commission: { flatCents: 0n, bps: 200 } },
        commissionNetted,
      };
      const route = { billerCode: BILLER, operatorCode: OPERATOR };
      await insertOperatorPrice(books.pool, route, terms, setting);
      const before = await books.balances(vendorId);
      const reversal = async (cents: bigint) =>
        await openLost(
          { vendorId, paymentId: paymentId ?? '' },
          { movement: 'reversal', paid_cents: Number(cents) },
        );
      const early = await reversal(AMOUNT);
      await expect(resolve(early, 'return_to_vendor')).rejects.toThrow('was not charged');
      await expect(resolve(row, 'return_to_vendor')).rejects.toThrow('does not list a reversal');
      await resolve(row, 'charge_vendor', OWN_AMOUNT);
      expect(await books.balances(vendorId)).toMatchObject({ float: FLOAT - AMOUNT - 116n });
      await expect(
        resolve(early, 'return_to_vendor', { amount_cents: String(AMOUNT + 1n) }),
      ).rejects.toThrow('at most 100.00');
      await resolve(early, 'return_to_vendor', { amount_cents: '4000' });
      await resolve(await reversal(AMOUNT), 'return_to_vendor');
      const zero = Object.entries(await books.balances(vendorId)).filter(
        ([account, cents]) => cents !== (before[account] ?? 0n),
      );
      expect(zero).toEqual([]);
      const again = await reversal(AMOUNT);
      await expect(resolve(again, 'return_to_vendor')).rejects.toThrow('has got it back');
      await resolve(again, 'keep_books');
    },
  );

  test('a lost payment is charged without a fee if the statement does not name the biller', async () => {
    const row = await lostCase({ biller: null });
    await resolve(row, 'charge_vendor', { amount_cents: '4000' });
    expect(await books.balances(row.vendorId)).toMatchObject({
      float: FLOAT - 4_000n,
      [OPERATORS]: 4_000n,
      fees: 0n,
    });
  });

  test('makes the vendor owe what its float does not have', async () => {
    const row = await lostCase({ biller: null }, 3_000n);
    await resolve(row, 'charge_vendor');
    expect(await books.balances(row.vendorId)).toMatchObject({ float: 0n, exposure: -7_000n });
    const [, owed] = await listCasesAbout(books.pool, row.vendorId, row.paymentId ?? '');
    expect(owed).toMatchObject({ kind: 'exposure', facts: { owed_cents: 7_000 } });
  });

  test('a lost payment that the house bears is in the report of corrections, with payment, case and people', async () => {
    const row = await lostCase();
    await resolve(row, 'house_bears');
    const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
    const corrections = await reportCorrections(books.pool, period);
    expect(corrections.find(({ caseId }) => caseId === row.caseId)).toMatchObject({
      ...{ vid: null, kind: 'theirs_only', resolution: 'house_bears' },
      reference: encodeReference(row.vendorId, row.paymentId ?? ''),
      ...{ proposedBy: 'Asha', approvedBy: 'Baraka' },
    });
  });

  test.each([
    ['callback', 'line'],
    ['line', 'callback'],
    ['callback', 'answer'],
  ] as const)(
    'a lost payment is posted once, although two reports of its operator open cases: %s, then %s',
    async (first, second) => {
      const made = { vendorId: await books.addVendor(FLOAT), paymentId: newId() };
      const reference = encodeReference(made.vendorId, made.paymentId);
      const opened = {
        line: async () => await openLost(made, { reference: reference.toLowerCase() }),
        callback: async () => await openCalled(reference),
        answer: async () => await openCalled(reference),
      };
      const one = await opened[first]();
      const { caseId } = await opened[second]();
      // Proposed before the first one is decided.
      const proposed = { caseId, by: 'Asha', proposal: proposal('house_bears') };
      await proposeResolution(books, proposed);
      await resolve(one, 'house_bears');
      const refusal = `The case ${one.caseId} about the same reference of ${OPERATOR}`;
      await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow(refusal);
      await expect(proposeResolution(books, proposed)).rejects.toThrow(refusal);
      expect((await resolve({ caseId }, 'keep_books')).resolution).toBe('keep_books');
    },
  );

  test('the house gets back a lost payment that it bore because of a callback, and that was then reversed', async () => {
    const made = { vendorId: await books.addVendor(FLOAT), paymentId: newId() };
    const reference = encodeReference(made.vendorId, made.paymentId);
    await resolve(await openCalled(reference), 'house_bears');
    const listed = await openLost(made, { reference });
    await expect(resolve(listed, 'charge_vendor', OWN_AMOUNT)).rejects.toThrow(
      'about the same reference',
    );
    await resolve(listed, 'keep_books');
    const reversal = await openLost(made, { reference, movement: 'reversal' });
    const change = await houseChange(async () => await resolve(reversal, 'house_recovers'));
    expect(change).toEqual({ [LOSSES]: AMOUNT, [OPERATORS]: -AMOUNT });
  });

  test('nothing is charged for a lost payment that the operator reversed, as people decided first', async () => {
    const row = await lostCase();
    const made = { vendorId: row.vendorId, paymentId: row.paymentId ?? '' };
    const reversal = await openLost(made, { movement: 'reversal' });
    await expect(resolve(reversal, 'return_to_vendor')).rejects.toThrow('was not charged');
    await resolve(reversal, 'keep_books');
    for (const resolution of ['charge_vendor', 'house_bears', 'receivable']) {
      await expect(resolve(row, resolution)).rejects.toThrow('has returned it');
    }
    // It paid once more.
    await resolve(await openLost(made), 'charge_vendor', OWN_AMOUNT);
    expect((await books.balances(made.vendorId))[OPERATORS]).toBeGreaterThanOrEqual(AMOUNT);
    await resolve(row, 'keep_books');
  });

  /** An answer or a callback about a reference that the ledger does not have. */
  async function openCalled(reference: string): Promise<CaseRow> {
    const caseId = await openCase(books.pool, {
      ...{ vendorId: HOUSE, paymentId: null, kind: 'unmatched_callback', evidenceId: newId() },
      operatorCode: OPERATOR,
      facts: { source: 'callback', reference, paid_cents: Number(AMOUNT) },
    });
    return (await findCase(books.pool, caseId ?? '')) ?? expect.fail();
  }

  test('a lost payment is charged once, whatever statements list', async () => {
    const row = await lostCase();
    const again = await openLost({ vendorId: row.vendorId, paymentId: row.paymentId ?? '' });
    const proposed = await proposeResolution(books, {
      ...{ caseId: again.caseId, by: 'Asha', proposal: proposal('charge_vendor', OWN_AMOUNT) },
    });
    expect(proposed.shown[0]?.label).toBe('Posted');
    await resolve(row, 'charge_vendor', OWN_AMOUNT);
    await expect(approveCurrent(books, { caseId: again.caseId, by: 'Baraka' })).rejects.toThrow(
      `already: case ${row.caseId}`,
    );
    await expect(resolve(again, 'charge_vendor', OWN_AMOUNT)).rejects.toThrow(
      `already: case ${row.caseId}`,
    );
  });

  test('a lost payment that the operator lists twice is one payment of the vendor, and one that the operator owes', async () => {
    const made = { vendorId: await books.addVendor(FLOAT), paymentId: newId() };
    const reference = encodeReference(made.vendorId, made.paymentId);
    const called = await openCalled(reference);
    const lines = [await openLost(made, { reference }), await openLost(made, { reference })];
    const [first, second] = lines as [CaseRow, CaseRow];
    await resolve(first, 'charge_vendor', OWN_AMOUNT);
    await expect(resolve(second, 'charge_vendor', OWN_AMOUNT)).rejects.toThrow('already: case');
    const change = await houseChange(async () => await resolve(second, 'receivable'));
    expect(change).toMatchObject({ [`receivable:${OPERATOR}`]: AMOUNT });
    for (const resolution of ['house_bears', 'receivable']) {
      await expect(resolve(called, resolution)).rejects.toThrow('about the same reference');
    }
    await resolve(called, 'keep_books');
  });

  test.each([
    ['more than the statement lists', {}, { amount_cents: '10001' }, 'at most 100.00'],
    ['a reversal', { movement: 'reversal' }, {}, 'its reversal'],
  ])('a lost payment is not charged for %s', async (_, facts, given, text) => {
    await expect(resolve(await lostCase(facts), 'charge_vendor', given)).rejects.toThrow(text);
  });

  test('a lost payment is not charged if the ledger has it after all', async () => {
    const made = await sent();
    await settle(paidReport(made));
    const row = await openLost(made);
    await books.owner.query(`update cases set operator_code = 'other' where case_id = $1`, [
      row.caseId,
    ]);
    await expect(resolve(row, 'charge_vendor')).rejects.toThrow('The ledger has this payment');
  });

  test('a lost payment is not charged on a case of the house', async () => {
    const row = await openLost({ vendorId: HOUSE, paymentId: newId() });
    await expect(resolve(row, 'charge_vendor')).rejects.toThrow('not about a payment of a vendor');
  });
});

describe('an operator that cannot answer', () => {
  async function noAnswer(made: NewPayment): Promise<CaseRow> {
    const { vendorId, paymentId } = made;
    return await openCaseByHand(books.pool, {
      vendorId,
      paymentId,
      by: 'Asha',
      note: 'silent',
    });
  }

  test('a payment is paid when two people confirm it', async () => {
    const made = await sent();
    const row = await noAnswer(made);
    await expect(noAnswer(made)).rejects.toThrow('already open');
    await expect(resolve(row, 'paid')).rejects.toThrow('operator’s reference');
    await resolve(row, 'paid', { operator_reference: 'R1', details: { token: '1' } });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'success',
      billerReference: 'R1',
      details: { token: '1' },
    });
    expect(await readAttempts(books, made)).toMatchObject([{ outcome: 'paid', note: 'person' }]);
    expect(await readQueued(books, made)).toBeUndefined();
  });

  test('failed, as two people confirm: the reservation returns', async () => {
    const made = await sent();
    await resolve(await noAnswer(made), 'failed', { message: 'Never executed' });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'failed',
      message: 'Never executed',
    });
    expect(await books.balances(made.vendorId)).toMatchObject({ float: FLOAT, reserved: 0n });
  });

  test('a proposal is too late if the operator answered meanwhile', async () => {
    const made = await sent();
    const row = await noAnswer(made);
    const caseId = row.caseId;
    await proposeResolution(books, { caseId, by: 'Asha', proposal: proposal('failed') });
    await settle(paidReport(made));
    await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow('no longer open');
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
    await resolve(row, 'keep_books');
    // A case that a person opens now is about the final result.
    expect(await noAnswer(made)).toMatchObject({
      kind: 'contradiction',
      facts: { books_say: 'success', operator_says: 'failed', paid_cents: null },
    });
  });

  test('a payment that was never queried cannot be decided, unless the operator is known to have paid', async () => {
    const vendorId = await books.addVendor(FLOAT);
    const made = newPayment({ vendorId, amountCents: AMOUNT });
    await createPayments(books.pool, [made]);
    const row = await noAnswer(made);
    await expect(resolve(row, 'failed')).rejects.toThrow('has not been sent');
    await resolve(row, 'paid', { operator_reference: 'R1' });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
  });
});
