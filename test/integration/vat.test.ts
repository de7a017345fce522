import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { reportVat } from '../../src/payments/reports/vat.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { spreadVendors } from '../support/several-buckets.ts';
import { inProcess } from './cli-support.ts';

const PERIOD = {
  from: new Date(Date.now() - 3_600_000),
  to: new Date(Date.now() + 3_600_000),
};
const TAXED = { feeCents: 116n, vatCents: 16n };
/** Fee 100, excise duty 15, and VAT on both. */
const WITH_EXCISE = { feeCents: 133n, vatCents: 18n };
const FREE = { feeCents: 25n, vatCents: 0n };

let books: Books;
beforeAll(async () => {
  books = await openBooks();
  await spreadVendors(books.owner);
});
afterAll(async () => {
  await books.close();
});

async function paid(vendorId: number, fee: typeof TAXED): Promise<NewPayment> {
  const made = newPayment({ vendorId, amountCents: 1_000n, ...fee });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [paidReport(made)]);
  return made;
}

/** Two people find that the operator did not pay it. */
async function corrected(made: NewPayment): Promise<void> {
  await settlePayments(books.pool, [failedReport(made)]);
  await resolved(made, 'return_to_vendor');
}

/** It failed, and two people find that the operator paid it. */
async function paidLate(vendorId: number, fee: typeof TAXED): Promise<void> {
  const made = newPayment({ vendorId, amountCents: 1_000n, ...fee });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [failedReport(made)]);
  await settlePayments(books.pool, [paidReport(made)]);
  await resolved(made, 'charge_vendor');
}

async function resolved(made: NewPayment, resolution: string): Promise<void> {
  const [found] = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const caseId = found?.caseId ?? '';
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution, note: 'as agreed', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

test('the fees are those that VAT was charged on, of every vendor', async () => {
  const vendors = await books.addVendors(Array.from({ length: 6 }, () => 100_000n));
  const [taxed = 0, free = 0, mixed = 0, returned = 0, late = 0, undone = 0] = vendors;
  await paid(taxed, TAXED);
  await paid(taxed, TAXED);
  await paid(taxed, WITH_EXCISE);
  await corrected(await paid(undone, WITH_EXCISE));
  await paid(free, FREE);
  await paid(mixed, TAXED);
  await paid(mixed, FREE);
  await corrected(await paid(returned, TAXED));
  await corrected(await paid(returned, FREE));
  await paid(returned, TAXED);
  await paid(returned, FREE);
  // Only a correction has a fee without VAT; a fee that was returned.
  await paid(late, TAXED);
  await paidLate(late, FREE);
  await corrected(await paid(undone, TAXED));

  const report = await reportVat(books.pool, PERIOD);
  const vid = (vendorId: number): string => `vendor-${vendorId}`;
  const nothing = { chargedCents: 0n, returnedCents: 0n, exciseCents: 0n };
  expect(report.vendors).toEqual(
    [
      {
        ...nothing,
        vid: vid(taxed),
        charges: 3,
        feesCents: 315n,
        exciseCents: 15n,
        chargedCents: 50n,
        vatCents: 50n,
      },
      {
        ...nothing,
        vid: vid(mixed),
        charges: 1,
        feesCents: 100n,
        chargedCents: 16n,
        vatCents: 16n,
      },
      {
        ...nothing,
        vid: vid(returned),
        charges: 2,
        feesCents: 100n,
        chargedCents: 32n,
        returnedCents: 16n,
        vatCents: 16n,
      },
      {
        ...nothing,
        vid: vid(late),
        charges: 1,
        feesCents: 100n,
        chargedCents: 16n,
        vatCents: 16n,
      },
      {
        ...nothing,
        vid: vid(undone),
        charges: 2,
        feesCents: 0n,
        chargedCents: 34n,
        returnedCents: 34n,
        vatCents: 0n,
      },
    ].toSorted((one, other) => (one.vid < other.vid ? -1 : 1)),
  );
  expect(report.total).toMatchObject({ charges: 9, feesCents: 615n, vatCents: 98n });
  expect(report.isEqual).toBe(true);
  expect(await books.balances(taxed)).toMatchObject({ fees: 300n, excise: 15n, vat: 50n });
  expect(await books.balances(undone)).toMatchObject({ fees: 0n, excise: 0n, vat: 0n });
  expect((await checkLedger(books.pool)).violations).toEqual([]);
});

test('VAT that a vendor pays in part, and owes in part, is one charge', async () => {
  const vendorId = await books.addVendor(2_116n);
  const made = newPayment({ vendorId, amountCents: 1_000n, ...TAXED });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [failedReport(made)]);
  const other = newPayment({ vendorId, amountCents: 1_008n });
  await createInstructed(books.pool, [other]);
  await settlePayments(books.pool, [paidReport(other)]);
  await settlePayments(books.pool, [paidReport(made)]);
  await resolved(made, 'charge_vendor');
  expect(await books.balances(vendorId)).toMatchObject({ float: 0n, exposure: -8n, vat: 16n });
  const { vendors } = await reportVat(books.pool, PERIOD);
  expect(vendors.find(({ vid }) => vid === `vendor-${vendorId}`)).toMatchObject({
    charges: 1,
    chargedCents: 16n,
    feesCents: 100n,
  });
});

test('a month without VAT has no taxable fees', async () => {
  const before = { from: new Date(0), to: PERIOD.from };
  expect(await reportVat(books.pool, before)).toMatchObject({
    vendors: [],
    total: { charges: 0, feesCents: 0n },
  });
});

test.each(['--csv', '--json'])(
  'report vat fails if the ledger’s account differs, also with %s',
  async (format) => {
    const TIME_ZONE = zoneAtNoon();
    const month = createWireTime(TIME_ZONE).format(new Date()).slice(0, 7);
    const environment = { DATABASE_URL: books.url, TIME_ZONE };
    const report = async (): Promise<number | null> =>
      (await inProcess(environment, 'report', 'vat', '--month', month, format)).exitCode;
    await paid(await books.addVendor(100_000n), TAXED);
    expect(await report()).toBe(0);
    await books.owner.query(`delete from accounts where account = 'vat'`);
    expect(await report()).toBe(1);
  },
);
