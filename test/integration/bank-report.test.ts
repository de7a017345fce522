import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, requireSource, setSource } from '../../src/payments/receipts/administer.ts';
import { reportBank } from '../../src/payments/receipts/bank-report.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { importBankStatement } from '../support/import-statements.ts';
import { payOut } from '../support/payouts.ts';

let books: Books;
let folder: string;
let vendorId: number;

beforeAll(async () => {
  books = await openBooks();
  folder = await mkdtemp(path.join(tmpdir(), 'bank-'));
  vendorId = await books.addVendor();
  const columns = {
    time: 'Date',
    reference: 'Ref',
    amount: 'Amount',
    text: 'Text',
    account: 'Acc',
  };
  const settings = { format: 'csv', columns, date_format: 'YYYY-MM-DD' };
  await setSource(books.pool, 'bank', {
    ...{ name: 'Bank', kind: 'statement', collector: COLLECTOR, settings },
  });
  const account = { sourceCode: 'bank', account: 'V001', vid: `vendor-${vendorId}`, by: 'Asha' };
  await addAccount(books, account);
});
afterAll(async () => {
  await books.close();
  await rm(folder, { recursive: true });
});

async function take(rows: readonly string[]): Promise<void> {
  const file = path.join(folder, 'statement.csv');
  await writeFile(file, ['Date,Ref,Amount,Text,Acc', ...rows].join('\n'));
  const deps = { ...books, log: pino({ level: 'silent' }) };
  const { wireTime } = books;
  await importBankStatement(deps, await requireSource(books.pool, 'bank'), { file, wireTime });
}

const compared = async (from: string, to: string) =>
  await reportBank(
    books.pool,
    'bank',
    { from: new Date(`${from}T00:00:00+03:00`), to: new Date(`${to}T00:00:00+03:00`) },
    (at) => books.wireTime.format(at).slice(0, 10),
  );

test('an account equals its statement line by line, and what does not is named on its day', async () => {
  expect(await compared('2026-01-01', '2026-02-01')).toMatchObject({ since: null, items: [] });
  await take(['2026-01-05,FT000001,500.00,RENT,V001', '2026-01-05,FT000002,200.00,RENT,NOBODY']);
  expect(await compared('2026-01-01', '2026-02-01')).toMatchObject({
    days: [{ day: '2026-01-05', listedCents: 70_000n, bookedCents: 70_000n, differenceCents: 0n }],
    items: [],
  });
  // The same lines again, and the bank's charge, which nobody has booked.
  await take([
    '2026-01-05,FT000001,500.00,RENT,V001',
    '2026-01-05,FT000002,200.00,RENT,NOBODY',
    '2026-01-06,CHG00001,-30.00,LEDGER FEE,',
  ]);
  expect(await compared('2026-01-06', '2026-02-01')).toMatchObject({
    openingCents: 0n,
    days: [{ day: '2026-01-06', differenceCents: -3_000n }],
    items: [{ line: { reference: 'CHG00001', amountCents: -3_000n }, booking: null }],
  });
  expect(await compared('2026-01-07', '2026-02-01')).toMatchObject({ openingCents: -3_000n });
});

test('a payout that the bank has not listed is named', async () => {
  await payOut(books, { vendorId, amountCents: 20_000n, bank: 'bank' }, 'FT000009');
  const report = await compared('2026-01-07', '2100-01-01');
  expect(report.items).toMatchObject([
    { line: null, booking: { kind: 'payout', reference: 'FT000009', amountCents: -20_000n } },
  ]);
});
