import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { importLines } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// The operator nets 2.2 % of commission, and our terms still say 1.9 %: of 1,000.00 it takes 978.00, and our
// books say 981.00.

const AMOUNT = 100_000n;
const TAKEN = 97_800n;
const FLOAT = 1_000_000n;

let books: Books;
let folder: string;
let operatorPrice: number;
beforeAll(async () => {
  books = await openBooks();
  folder = await makeTemporaryFolder();
  const none = { flatCents: 0n, bps: 0 };
  operatorPrice = await setOperatorPrice(
    books.pool,
    { billerCode: BILLER, operatorCode: OPERATOR },
    { cost: none, commission: { flatCents: 0n, bps: 190 }, commissionNetted: true },
    { validFrom: null, setBy: 'Asha' },
  );
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
  await removeFolder(folder);
});

async function sent(): Promise<NewPayment> {
  const vendorId = await books.addVendor(FLOAT);
  const made = newPayment({ vendorId, amountCents: AMOUNT });
  await createInstructed(books.pool, [made], operatorPrice);
  return made;
}

async function casesOf({ vendorId }: NewPayment): Promise<CaseRow[]> {
  const open = await listCases(books.pool, { resolved: false, limit: 100 });
  return open.filter((row) => row.vendorId === vendorId);
}

async function resolve(row: CaseRow | undefined, resolution: string): Promise<void> {
  if (row === undefined) throw new Error('there is no case');
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution, note: 'the contract of November', ...nothing };
  await proposeResolution(books, { caseId: row.caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId: row.caseId, by: 'Baraka' });
}

const afterwards = {
  float: FLOAT - AMOUNT,
  [`operator:${OPERATOR}`]: TAKEN,
  [`commission:${OPERATOR}`]: AMOUNT - TAKEN,
};

test('the difference of an outdated commission is ours, and the vendor gets nothing', async () => {
  const made = await sent();
  await settlePayments(books.pool, [paidReport(made)]);
  const imported = await importLines(books, folder, [{ of: made, amountCents: TAKEN }]);
  expect(imported).toMatchObject({
    verdicts: { amount_difference: 1 },
    float: { unexplainedCents: -300n },
  });
  await resolve((await casesOf(made))[0], 'terms_differ');
  expect(await books.balances(made.vendorId)).toMatchObject(afterwards);
  expect(await casesOf(made)).toEqual([]);
});

test('an open payment that is listed on other terms is settled in full, and people decide about the difference', async () => {
  const made = await sent();
  const imported = await importLines(books, folder, [{ of: made, amountCents: TAKEN }]);
  expect(imported.verdicts).toEqual({ settled: 1 });
  expect((await books.balances(made.vendorId))['float']).toBe(FLOAT - AMOUNT);
  const open = await casesOf(made);
  expect(open.map(({ kind }) => kind)).toEqual(['amount_difference']);
  await resolve(open[0], 'terms_differ');
  expect(await books.balances(made.vendorId)).toMatchObject(afterwards);
});

test('a failed payment that is listed on other terms is charged in full, and the difference is a case of its own', async () => {
  const made = await sent();
  await settlePayments(books.pool, [failedReport(made)]);
  await importLines(books, folder, [{ of: made, amountCents: TAKEN }]);
  const open = await casesOf(made);
  const of = (kind: string) => open.find((row) => row.kind === kind);
  expect(open.map(({ kind }) => kind).toSorted()).toEqual(['amount_difference', 'contradiction']);
  await expect(resolve(of('amount_difference'), 'terms_differ')).rejects.toThrow(
    'decide first whether it is',
  );
  await resolve(of('contradiction'), 'charge_vendor');
  await resolve(of('amount_difference'), 'terms_differ');
  expect(await books.balances(made.vendorId)).toMatchObject(afterwards);
});

test('a payment whose terms differed is returned whole', async () => {
  const made = await sent();
  await settlePayments(books.pool, [paidReport(made)]);
  await importLines(books, folder, [{ of: made, amountCents: TAKEN }]);
  await resolve((await casesOf(made))[0], 'terms_differ');
  await importLines(books, folder, [{ of: made, amountCents: TAKEN, type: 'reversal' }]);
  await resolve((await casesOf(made))[0], 'return_to_vendor');
  expect(await books.balances(made.vendorId)).toMatchObject({
    float: FLOAT,
    [`operator:${OPERATOR}`]: 0n,
    [`commission:${OPERATOR}`]: 0n,
  });
});

test.each([
  ['more', AMOUNT * 3n, 'house_bears', { float: FLOAT - AMOUNT }],
  ['less', AMOUNT / 10n, 'return_to_vendor', { float: FLOAT - AMOUNT / 10n }],
])(
  'no terms explain that the operator took much %s: another resolution does',
  async (_, listedCents, right, after) => {
    const made = await sent();
    await settlePayments(books.pool, [paidReport(made)]);
    await importLines(books, folder, [{ of: made, amountCents: listedCents }]);
    const [row] = await casesOf(made);
    await expect(resolve(row, 'terms_differ')).rejects.toThrow('No terms explain a difference');
    await resolve(row, right);
    expect(await books.balances(made.vendorId)).toMatchObject(after);
  },
);

describe('a duplicate of a payment whose terms differ', () => {
  /** Without terms of ours: paid, listed as `listedCents`, and explained by `terms_differ`. */
  async function explained(listedCents: bigint): Promise<NewPayment> {
    const vendorId = await books.addVendor(FLOAT);
    const made = newPayment({ vendorId, amountCents: AMOUNT });
    await createInstructed(books.pool, [made]);
    await settlePayments(books.pool, [paidReport(made)]);
    await importLines(books, folder, [{ of: made, amountCents: listedCents }]);
    await resolve((await casesOf(made))[0], 'terms_differ');
    return made;
  }

  const takenFor = async ({ vendorId }: NewPayment): Promise<bigint> => {
    const [ofVendor, ofHouse] = [await books.balances(vendorId), await books.balances(HOUSE)];
    const account = `operator:${OPERATOR}`;
    return (ofVendor[account] ?? 0n) + (ofHouse[account] ?? 0n);
  };

  test('costs us all that the operator took for it', async () => {
    const made = await explained(TAKEN);
    const before = await takenFor(made);
    const again = { of: made, amountCents: TAKEN, operatorReference: newId() };
    expect((await importLines(books, folder, [again])).verdicts).toEqual({ duplicate: 1 });
    await resolve((await casesOf(made))[0], 'house_bears');
    expect((await takenFor(made)) - before).toBe(TAKEN);
  });

  test('stays what it is in our own accounts if the terms are explained after it', async () => {
    const made = await sent();
    await settlePayments(books.pool, [paidReport(made)]);
    const before = await takenFor(made);
    await importLines(books, folder, [
      { of: made, amountCents: TAKEN },
      { of: made, amountCents: TAKEN, operatorReference: newId() },
    ]);
    const open = await casesOf(made);
    const of = (kind: string) => open.find((row) => row.kind === kind);
    await resolve(of('duplicate'), 'house_bears');
    await resolve(of('amount_difference'), 'terms_differ');
    expect((await takenFor(made)) - before).toBe(2n * TAKEN - 98_100n);
    expect(await books.balances(made.vendorId)).toMatchObject(afterwards);
  });

  test('opens a case also if both together are listed as our amount', async () => {
    const made = await explained(AMOUNT / 2n);
    const before = await takenFor(made);
    const again = { of: made, amountCents: AMOUNT / 2n, operatorReference: newId() };
    expect((await importLines(books, folder, [again])).verdicts).toEqual({ duplicate: 1 });
    await resolve((await casesOf(made))[0], 'house_bears');
    expect((await takenFor(made)) - before).toBe(AMOUNT / 2n);
  });
});

describe('a failed payment that the operator executed, and that we bear', () => {
  /** The balance of our own accounts with the operator. */
  const ofHouse = async (): Promise<bigint> =>
    (await books.balances(HOUSE))[`operator:${OPERATOR}`] ?? 0n;

  test('costs us what the statement lists, and no second case posts the rest of the amount', async () => {
    const made = await sent();
    await settlePayments(books.pool, [failedReport(made)]);
    await importLines(books, folder, [{ of: made, amountCents: TAKEN }]);
    const open = await casesOf(made);
    const of = (kind: string) => open.find((row) => row.kind === kind);
    const before = await ofHouse();
    await resolve(of('contradiction'), 'house_bears');
    expect((await ofHouse()) - before).toBe(TAKEN);
    for (const resolution of ['charge_vendor', 'house_bears', 'receivable']) {
      await expect(resolve(of('amount_difference'), resolution)).rejects.toThrow('Nothing is left');
    }
    await resolve(of('amount_difference'), 'keep_books');
    await settlePayments(books.pool, [paidReport(made)]);
    const [again] = await casesOf(made);
    for (const resolution of ['charge_vendor', 'house_bears', 'receivable']) {
      await expect(resolve(again, resolution)).rejects.toThrow('Nothing is left');
    }
    await resolve(again, 'keep_books');
    expect((await books.balances(made.vendorId))['float']).toBe(FLOAT);
  });

  test('costs us what our terms say, as long as only a callback reports it', async () => {
    const made = await sent();
    await settlePayments(books.pool, [failedReport(made)]);
    await settlePayments(books.pool, [paidReport(made)]);
    const before = await ofHouse();
    await resolve((await casesOf(made))[0], 'house_bears');
    expect((await ofHouse()) - before).toBe(98_100n);
    const imported = await importLines(books, folder, [{ of: made, amountCents: 98_100n }]);
    expect(imported.verdicts).toEqual({ matched: 1 });
    expect(await casesOf(made)).toEqual([]);
  });

  test('needs no second case if the statement lists the amount without the commission', async () => {
    const made = await sent();
    await settlePayments(books.pool, [failedReport(made)]);
    await settlePayments(books.pool, [paidReport(made)]);
    const before = await ofHouse();
    await resolve((await casesOf(made))[0], 'house_bears');
    const imported = await importLines(books, folder, [{ of: made }]);
    expect(imported).toMatchObject({
      verdicts: { matched: 1 },
      float: { unexplainedCents: 0n },
    });
    expect(await casesOf(made)).toEqual([]);
    // A second payment of it is one too many, and its reversal leaves one.
    const again = await importLines(books, folder, [{ of: made, operatorReference: 'OP-AGAIN' }]);
    expect(again.verdicts).toEqual({ duplicate: 1 });
    const [duplicate] = await casesOf(made);
    expect(duplicate?.kind).toBe('duplicate');
    await resolve(duplicate, 'keep_books');
    const line = { of: made, type: 'reversal', operatorReference: 'OP-AGAIN' };
    expect((await importLines(books, folder, [line])).verdicts).toEqual({ reversed: 1 });
    expect(await casesOf(made)).toEqual([]);
    expect((await ofHouse()) - before).toBe(98_100n);
  });

  test('gets back what it cost us when the operator returns the amount without the commission', async () => {
    const made = await sent();
    await settlePayments(books.pool, [failedReport(made)]);
    await settlePayments(books.pool, [paidReport(made)]);
    const before = await ofHouse();
    await resolve((await casesOf(made))[0], 'house_bears');
    await importLines(books, folder, [{ of: made }]);
    await importLines(books, folder, [{ of: made, type: 'reversal' }]);
    await resolve((await casesOf(made))[0], 'house_recovers');
    expect((await ofHouse()) - before).toBe(0n);
    expect((await books.balances(made.vendorId))['float']).toBe(FLOAT);
  });
});
