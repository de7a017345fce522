import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { previewBankStatement } from '../../src/payments/uploads/bank-statement.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

const freshBooks = sharedBooks();
let books: Books;
let folder: string;
beforeEach(async () => {
  books = await freshBooks();
  folder = await makeTemporaryFolder();
});
afterEach(async () => {
  await books.close();
  await removeFolder(folder);
});

test('a preview lists what each row would do, and why it waits, and changes nothing', async () => {
  const vendorId = await books.addVendor();
  const settings = {
    format: 'csv',
    columns: {
      ...{ time: 'Date', text: 'Text', reference: 'Ref', credit: 'In', debit: 'Out' },
      balance: 'Balance',
    },
    account_pattern: 'ACC ([0-9]+)',
  };
  const source = { name: 'Bank', kind: 'statement' as const, collector: COLLECTOR, settings };
  await setSource(books.pool, 'bank', source);
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: 'bank', account: '100200', vid, by: 'Asha' });
  const file = path.join(folder, 'statement.csv');
  const rows = [
    'Date;Text;Ref;In;Out;Balance',
    '2026-01-05;Balance b/f;;;;100,00',
    '2026-01-05;ACC 100200;FT000001;7,00;;107,00',
    '2026-01-05;a gift;FT000002;8,00;;115,00',
    '2026-01-05;"ACC 100\n200";FT000003;9,00;;124,00',
    '2026-01-05;FEE;;;1,00;123,00',
  ];
  await writeFile(file, rows.join('\n'));
  const asked = { source: 'bank', acceptedLines: [], file };
  expect(await previewBankStatement(books, asked)).toMatchObject({
    form: 'values separated by semicolons, UTF-8, decimal comma',
    lines: [
      { line: 2, outcome: 'ignored', because: 'a balance', amountCents: null },
      { line: 3, outcome: 'credited', vid, amountCents: 700n, account: '100200' },
      { line: 4, outcome: 'waiting', vid: null, because: 'no account number was found' },
      { line: 5, outcome: 'waiting', because: expect.stringContaining('100, 100200') },
      { line: 7, outcome: 'debit', reference: null, amountCents: 100n },
    ],
  });
  expect((await books.pool.query('select from receipts')).rowCount).toBe(0);
  expect((await books.pool.query('select from proposals')).rowCount).toBe(0);
});
