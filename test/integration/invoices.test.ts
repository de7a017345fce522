import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INVOICES_CHECKED } from '../../src/payments/invoices/check-store.ts';
import { setControl } from '../../src/payments/invoices/control.ts';
import { contentOf, numberText } from '../../src/payments/invoices/invoice.ts';
import { issueNext, periodEnd } from '../../src/payments/invoices/issue.ts';
import { requireStart } from '../../src/payments/settings/invoicing.ts';
import { findInvoice, listInvoices } from '../../src/payments/invoices/read-invoices.ts';
import type { Invoice } from '../../src/payments/invoices/read-invoices.ts';
import { findTerms, insertTerms, insertVendorName } from '../../src/payments/invoices/store.ts';
import type { InvoicingTerms } from '../../src/payments/invoices/store.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { reportVat } from '../../src/payments/reports/vat.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { spreadVendors } from '../support/several-buckets.ts';

const NAMED = { legalName: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' };
const NAME = { legal_name: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' };
const FEES = {
  none: { feeCents: 0n, vatCents: 0n },
  plain: { feeCents: 25n, vatCents: 0n },
  taxed: { feeCents: 116n, vatCents: 16n },
  excise: { feeCents: 133n, vatCents: 18n },
} as const;
type FeeName = keyof typeof FEES;
const EXCISE: Readonly<Record<FeeName, bigint>> = { none: 0n, plain: 0n, taxed: 0n, excise: 15n };

let books: Books;
beforeAll(async () => {
  books = await openBooks();
  await spreadVendors(books.owner);
});
afterAll(async () => {
  await books.close();
});

async function invoiceFrom(terms: Partial<InvoicingTerms> = {}): Promise<void> {
  await insertTerms(books.pool, {
    version: ((await findTerms(books.pool))?.version ?? 0) + 1,
    ...{ startsAt: START, per: 'month', needsControl: false, setBy: 'Asha', ...NAMED },
    ...terms,
  });
}
const START = new Date(Date.now() - 60_000);

/** Months are as short as a test needs. */
const asFar = (from: Date, horizon: Date): Date | undefined =>
  horizon > from ? horizon : undefined;

const issue = async (): Promise<number | undefined> => await issueNext(books, asFar);

async function made(vendorId: number, name: FeeName): Promise<NewPayment> {
  const payment = newPayment({ vendorId, amountCents: 1_000n, ...FEES[name] });
  await createInstructed(books.pool, [payment]);
  return payment;
}

async function paid(vendorId: number, name: FeeName): Promise<NewPayment> {
  const payment = await made(vendorId, name);
  await settlePayments(books.pool, [paidReport(payment)]);
  return payment;
}

/** Two people find that it was not paid. */
async function returned(payment: NewPayment): Promise<void> {
  await settlePayments(books.pool, [failedReport(payment)]);
  await resolved(payment, 'return_to_vendor');
}

/** It failed, and two people find that it was paid. */
async function paidLate(vendorId: number, name: FeeName): Promise<NewPayment> {
  const payment = await made(vendorId, name);
  await settlePayments(books.pool, [failedReport(payment)]);
  await settlePayments(books.pool, [paidReport(payment)]);
  await resolved(payment, 'charge_vendor');
  return payment;
}

async function resolved({ vendorId, paymentId }: NewPayment, resolution: string): Promise<void> {
  const open = await listCasesAbout(books.pool, vendorId, paymentId);
  const caseId = open.find(({ resolvedAt }) => resolvedAt === null)?.caseId ?? '';
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  await proposeResolution(books, {
    ...{ caseId, by: 'Asha', proposal: { resolution, note: 'as agreed', ...terms } },
  });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

const all = async (vendorId: number | null = null): Promise<Invoice[]> =>
  (
    await listInvoices(books.pool, { vendorId, state: 'all', before: undefined, limit: 10_000 })
  ).toReversed();

const sumOf = (invoices: readonly Invoice[], of: 'netCents' | 'exciseCents' | 'vatCents'): bigint =>
  invoices.reduce((sum, row) => sum + (row.series === 'CN' ? -row[of] : row[of]), 0n);

const faults = async (): Promise<readonly string[]> =>
  await INVOICES_CHECKED.find(books.pool, books.ledgerMac);

function gapless(invoices: readonly Invoice[]): void {
  for (const series of ['INV', 'CN'] as const) {
    const numbers = invoices.filter((row) => row.series === series).map(({ number }) => number);
    const sorted = numbers.toSorted((one, other) => (one < other ? -1 : 1));
    expect(sorted).toEqual(sorted.map((_, index) => BigInt(index + 1)));
  }
}

describe.sequential('invoices for fees', () => {
  test('nothing is issued before the company has said how it invoices', async () => {
    expect(await issue()).toBeUndefined();
  });

  test('a month of a vendor is one invoice, with a line for each price, and names both parties', async () => {
    await invoiceFrom();
    const [vendorId = 0, free = 0] = await books.addVendors([100_000n, 100_000n]);
    await insertVendorName(books.pool, {
      ...{ vendorId, version: 1, setBy: 'Asha', legalName: 'Duka Ltd', pin: 'P000000001A' },
      address: 'Kisumu',
    });
    await paid(vendorId, 'excise');
    await paid(vendorId, 'excise');
    await paid(vendorId, 'plain');
    await paid(free, 'none');
    await issue();
    expect(await all(free)).toEqual([]);
    const [invoice, ...others] = await all(vendorId);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({
      netCents: 225n,
      exciseCents: 30n,
      vatCents: 36n,
      waits: false,
    });
    const content = invoice && contentOf(invoice);
    expect(content).toMatchObject({
      seller: NAME,
      buyer: { vid: `vendor-${vendorId}`, legal_name: 'Duka Ltd', pin: 'P000000001A' },
    });
    expect(content?.lines).toEqual([
      {
        ...{ biller: 'kplc_prepaid', excise_percent: '15', vat_percent: '16', payments: 2 },
        ...{ net: '2.00', excise: '0.30', vat: '0.36', total: '2.66' },
      },
      {
        ...{ biller: 'kplc_prepaid', excise_percent: '0', vat_percent: '0', payments: 1 },
        ...{ net: '0.25', excise: '0.00', vat: '0.00', total: '0.25' },
      },
    ]);
  });

  test('a fee that is returned after it was invoiced makes a credit note that names its invoice', async () => {
    const vendorId = await books.addVendor(100_000n);
    const payment = await paid(vendorId, 'taxed');
    await paid(vendorId, 'taxed');
    await issue();
    await returned(payment);
    await issue();
    const [invoice, note] = await all(vendorId);
    expect(note).toMatchObject({ series: 'CN', netCents: 100n, vatCents: 16n });
    expect(note?.credits).toBe(invoice?.invoiceId);
    expect(note && contentOf(note).credits).toBe(invoice && numberText(invoice));
    expect(await faults()).toEqual([]);
  });

  test('a fee that is returned before it was invoiced is on no invoice', async () => {
    const vendorId = await books.addVendor(100_000n);
    await returned(await paid(vendorId, 'excise'));
    await issue();
    expect(await all(vendorId)).toEqual([]);
  });

  test('an invoice for each payment, if the company invoices so', async () => {
    await invoiceFrom({ per: 'payment' });
    const vendorId = await books.addVendor(100_000n);
    const payments = [await paid(vendorId, 'taxed'), await paid(vendorId, 'taxed')];
    await issue();
    for (const payment of payments.slice(1)) await returned(payment);
    await issue();
    const issued = await all(vendorId);
    expect(issued.map(({ series }) => series)).toEqual(['INV', 'INV', 'CN']);
    const second = issued.find(({ paymentId }) => paymentId === payments[1]?.paymentId);
    expect(issued[2]?.credits).toBe(second?.invoiceId);
    await invoiceFrom();
  });

  test('a vendor gets an invoice only once the control unit has been heard, if invoices wait for it', async () => {
    await invoiceFrom({ needsControl: true });
    const vendorId = await books.addVendor(100_000n);
    await paid(vendorId, 'taxed');
    await issue();
    const [waiting] = await all(vendorId);
    const invoiceId = waiting?.invoiceId ?? '';
    expect(waiting?.waits).toBe(true);
    expect(await findInvoice(books.pool, { invoiceId, vendorId })).toBeUndefined();
    const said = {
      controlNumber: 'KRACU0100000001/12',
      qrCode: 'https://example.test/q',
      by: 'till',
    };
    await setControl(books, invoiceId, said);
    await setControl(books, invoiceId, said);
    expect(await findInvoice(books.pool, { invoiceId, vendorId })).toMatchObject({
      ...{ controlNumber: 'KRACU0100000001/12', waits: false },
    });
    const other = { ...said, controlNumber: 'KRACU0100000001/13' };
    await expect(setControl(books, invoiceId, other)).rejects.toThrow('cannot be changed');
    await invoiceFrom();
  });

  test('numbers have no gaps when several processes issue at once, and some of them end in the middle', async () => {
    await invoiceFrom({ per: 'payment' });
    const vendors = await books.addVendors(Array.from({ length: 4 }, () => 100_000n));
    const pools = Array.from({ length: 4 }, () => books.openPool());
    for (let round = 0; round < 5; round += 1) {
      for (const vendorId of vendors) await paid(vendorId, 'taxed');
      await Promise.allSettled([
        ...pools.map(async (pool) => await issueNext({ ...books, pool }, asFar)),
        // A process that stops after it has given out numbers, and a connection that is lost.
        issueNext({ ...books, ledgerMac: { ...books.ledgerMac, sign: signThenStop() } }, asFar),
        books.owner.query(END_ISSUERS),
      ]);
    }
    await issue();
    gapless(await all());
    expect(await faults()).toEqual([]);
    await invoiceFrom();
  });

  test('invoices less credit notes are the VAT report and the ledger, whatever happens', async () => {
    const step = fc.record({
      vendor: fc.nat(2),
      what: fc.constantFrom('pay', 'pay', 'late', 'return', 'issue', 'switch'),
      fee: fc.constantFrom<FeeName>('none', 'plain', 'taxed', 'excise'),
      which: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const vendors = await books.addVendors([100_000n, 100_000n, 100_000n]);
        const expected = new Map(vendors.map((vendorId) => [vendorId, [0n, 0n, 0n]]));
        const open: { payment: NewPayment; fee: FeeName }[] = [];
        const count = (vendorId: number, fee: FeeName, sign: bigint): void => {
          const { feeCents, vatCents } = FEES[fee];
          const parts = [feeCents - vatCents - EXCISE[fee], EXCISE[fee], vatCents];
          const sums = expected.get(vendorId) ?? [];
          for (const [index, part] of parts.entries())
            sums[index] = (sums[index] ?? 0n) + sign * part;
        };
        for (const { vendor, what, fee, which } of steps) {
          const vendorId = vendors[vendor] ?? 0;
          if (what === 'pay' || what === 'late') {
            const payment = await (what === 'pay' ? paid : paidLate)(vendorId, fee);
            if (what === 'pay') open.push({ payment, fee });
            count(vendorId, fee, 1n);
          } else if (what === 'return' && open.length > 0) {
            const [found] = open.splice(which % open.length, 1);
            if (found === undefined) continue;
            await returned(found.payment);
            count(found.payment.vendorId, found.fee, -1n);
          } else if (what === 'issue') await issue();
          else if (what === 'switch')
            await invoiceFrom({ per: which % 2 === 0 ? 'payment' : 'month' });
        }
        await issue();
        for (const vendorId of vendors) {
          const issued = await all(vendorId);
          const sums = (['netCents', 'exciseCents', 'vatCents'] as const).map((of) =>
            sumOf(issued, of),
          );
          expect(sums).toEqual(expected.get(vendorId));
          const { fees = 0n, excise = 0n, vat = 0n } = await books.balances(vendorId);
          expect(sums).toEqual([fees, excise, vat]);
        }
        const every = await all();
        gapless(every);
        const { total } = await reportVat(books.pool, {
          from: new Date(0),
          to: new Date(Date.now() + 60_000),
        });
        expect([sumOf(every, 'exciseCents'), sumOf(every, 'vatCents')]).toEqual([
          total.exciseCents,
          total.vatCents,
        ]);
        expect(await faults()).toEqual([]);
      }),
      { numRuns: 8 },
    );
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  });

  test.each([
    [
      'a changed amount',
      'update invoices set vat_cents = vat_cents + 1 where number = 1',
      'INV-000001 was altered',
    ],
    [
      'a changed name',
      `update invoices set content = replace(content, 'Malipo', 'Mali') where number = 2`,
      'was altered',
    ],
    [
      'a removed invoice',
      `delete from invoices where series = 'INV' and number = 2`,
      'the number before INV-000003 is 1',
    ],
    [
      'a removed last invoice',
      `delete from invoices where invoice_id = (select invoice_id from invoices where series = 'INV' order by number desc limit 1)`,
      'its invoices have',
    ],
    [
      'an added control number',
      `insert into invoice_controls select invoice_id, 'KRACU1', 'q', now(), 'x', ''::bytea from invoices where number = 1 and series = 'INV'`,
      'control unit number',
    ],
    [
      'a changed period',
      `update invoice_runs set to_at = to_at + interval '1 millisecond' where run = 1`,
      'was altered',
    ],
  ])('ledger check finds %s', async (_, sql, says) => {
    const found = await databaseTransaction(books.owner, async (client) => {
      await client.query(sql);
      const texts = await INVOICES_CHECKED.find(client, books.ledgerMac);
      await client.query('rollback; begin');
      return texts;
    });
    expect(found.join('\n')).toContain(says);
    expect(await faults()).toEqual([]);
  });
});

/** Ends the connection that issues at this moment. */
const END_ISSUERS = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and objid = 7305008 and granted`;

/** Signs two rows; then the process stops. */
function signThenStop(): (text: string) => Buffer {
  let left = 2;
  return (text) => {
    left -= 1;
    if (left >= 0) return books.ledgerMac.sign(text);
    throw new Error('the process stops');
  };
}

test('a month ends at midnight of the service’s time zone, and not before all of it is known', () => {
  const wireTime = createWireTime('Africa/Nairobi');
  const from = new Date('2026-09-30T21:00:00Z');
  const end = new Date('2026-10-31T21:00:00Z');
  const asked = { per: 'month', wireTime } as const;
  expect(periodEnd(from, new Date(Number(end) - 1), asked)).toBeUndefined();
  expect(periodEnd(from, new Date(Number(end) + 5), asked)).toEqual(end);
});

test.each([
  ['1026-11-01', false],
  ['2016-11-01', false],
  ['2023-11-01', true],
  ['2026-12-01', true],
  ['2027-11-01', false],
  ['never', false],
])('invoices that begin at %s, which is final: %j', (day, isTaken) => {
  const begin = (): void => requireStart(new Date(day), new Date('2026-11-30T09:00:00Z'));
  if (isTaken) expect(begin).not.toThrow();
  else expect(begin).toThrow('within the last six years');
});
