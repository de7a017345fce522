import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { reportSettlement } from '../../src/payments/reconciliation/settlement-report.ts';
import { statementDocument } from '../../src/payments/reports/statement-document.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { plainTextOf } from '../../src/platform/documents/document.ts';
import type { TableBlock } from '../../src/platform/documents/document.ts';
import { addBank, bookEntry } from '../support/house-decisions.ts';
import { createInstructed, failedReport, openBooks } from '../support/money-fixture.ts';
import { OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { databaseTime, importLines } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

let books: Books;
let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  books = await openBooks();
  await addBank(books);
});
afterAll(async () => {
  await books.close();
  await removeFolder(folder);
});

const HOUR_MS = 3_600_000;
const period = () => ({
  from: new Date(Date.now() - HOUR_MS),
  to: new Date(Date.now() + HOUR_MS),
});

async function made(vendorId: number, merchantReference: string): Promise<NewPayment> {
  const fee = { feeCents: 116n, vatCents: 16n };
  const payment = newPayment({ vendorId, amountCents: 1_000n, merchantReference, ...fee });
  await createInstructed(books.pool, [payment]);
  return payment;
}

test('a vendor’s document has one line for each payment, whose changes are those of the balance', async () => {
  const vendorId = await books.addVendor(10_000n);
  const [paid, failed] = [await made(vendorId, 'order-1'), await made(vendorId, 'order-2')];
  await settlePayments(books.pool, [failedReport(failed), paidReport(paid)]);
  await made(vendorId, 'order-3');
  const vendor = { vendorId, vid: 'shop', name: 'Shop' };
  const how = { wireTime: books.wireTime, madeAt: new Date() };
  const document = await statementDocument(books.pool, vendor, period(), how);
  const tables = document.blocks.filter((block): block is TableBlock => block.kind === 'table');
  const rows = tables.at(-1)?.rows.map(([, ...cells]) => cells) ?? [];
  expect(rows.slice(-3).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))).toEqual([
    ['payment', 'order-1', '10.00', '1.16', '-11.16', expect.any(String)],
    ['released', 'order-2', '', '', '0.00', expect.any(String)],
    ['reserved', 'order-3', '', '', '0.00', '88.84'],
  ]);
  expect(rows).toHaveLength(5);
  const words = plainTextOf(document);
  expect(words).toContain('Balance at the end: 88.84');
  expect(words).toContain('something may still be added');
});

test('a settlement report adds up to the float at the end, and names the operator’s statement and what differs', async () => {
  const vendorId = await books.addVendor(50_000n);
  await bookEntry(books, {
    ...{ operatorCode: OPERATOR, kind: 'top_up', amountCents: 40_000n, bank: 'bank', by: 'Asha' },
    ...{ reference: 'TOP1', note: 'by hand', movedAt: new Date(Date.now() - 60_000) },
  });
  await settlePayments(books.pool, [paidReport(await made(vendorId, 'order-4'))]);
  const to = await databaseTime(books);
  const lines = [{ type: 'charge', amountCents: 100n }];
  await importLines(books, folder, lines, { from: new Date(Number(to) - HOUR_MS), to });
  const report = await reportSettlement(books.pool, OPERATOR, period());
  const of = (part: string) => report.lines.filter((line) => line.part === part);
  const float = of('our float');
  const amounts = float.map(({ amountCents }) => amountCents ?? 0n);
  expect(amounts.slice(0, -1).reduce((sum, cents) => sum + cents, 0n)).toBe(amounts.at(-1));
  expect(float).toContainEqual(
    expect.objectContaining({ item: 'payments', count: 2, amountCents: -2_000n }),
  );
  expect(float).toContainEqual(
    expect.objectContaining({ item: 'entered by people', amountCents: 40_000n }),
  );
  const [theirs, ours, difference] = of('your statement').map(({ amountCents }) => amountCents);
  expect((theirs ?? 0n) - (ours ?? 0n)).toBe(difference);
  expect(of('your statement')).toHaveLength(3);
});
