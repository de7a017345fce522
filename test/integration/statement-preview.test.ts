import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { importRead } from '../../src/payments/reconciliation/import.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { readSupplied } from '../../src/payments/uploads/operator-statement.ts';
import { previewOperatorStatement } from '../../src/payments/uploads/operator-statement-preview.ts';
import { findViolations } from '../support/books-check.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { readStored } from '../support/dispatch-fixture.ts';
import { createInstructed, OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { databaseTime, referenceOf, statementText } from '../support/reconciliation-fixture.ts';
import type { Line } from '../support/reconciliation-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

const freshBooks = sharedBooks();
let books: Books;
let folder: string;
let vendorId: number;
beforeEach(async () => {
  books = await freshBooks();
  folder = await makeTemporaryFolder();
  await books.owner.query(`update operators set connector = 'http-json'`);
  vendorId = await books.addVendor(1_000_000n);
});
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
  await removeFolder(folder);
});

async function sent(): Promise<NewPayment> {
  const made = newPayment({ vendorId, account: newId() });
  await createInstructed(books.pool, [made]);
  return made;
}

/** A statement of the hour that ends now. */
async function write(lines: readonly Line[], text?: string) {
  const to = await databaseTime(books);
  const from = new Date(Number(to) - 3_600_000);
  const file = path.join(folder, `${newId()}.csv`);
  await writeFile(file, text ?? statementText(lines, { from, to }));
  return { file, operator: OPERATOR, from, to, complete: true, toleranceMs: 0 };
}

async function importNow(asked: Awaited<ReturnType<typeof write>>): Promise<void> {
  const supplied = await readSupplied(books, asked);
  await importRead({ ...supplied.asked, pool: books.pool }, { ...supplied.read, pulled: false });
}

test('a preview lists what the import would do with each row and with what is not listed, and changes nothing', async () => {
  const [unknown, paid, unlisted] = [await sent(), await sent(), await sent()];
  await settlePayments(books.pool, [
    paidReport(paid, { billerReference: 'A' }),
    paidReport(unlisted, { billerReference: 'B' }),
  ]);
  const asked = await write([
    { of: unknown, operatorReference: 'C' },
    { of: paid, operatorReference: 'A' },
    { operatorReference: 'STRANGE', amountCents: 7_000n },
    { type: 'top_up', amountCents: 5_000n },
  ]);
  const previewed = await previewOperatorStatement(books, asked);
  expect(previewed).toMatchObject({
    repeated: null,
    lines: [
      { line: 3, outcome: 'settled', reference: referenceOf(unknown), because: null },
      { line: 4, outcome: 'agrees', reference: referenceOf(paid), amountCents: paid.amountCents },
      {
        line: 5,
        outcome: 'held',
        operatorReference: 'STRANGE',
        because: expect.stringContaining('do not have it'),
      },
      { line: 6, outcome: 'booked', amountCents: 5_000n },
      {
        line: null,
        outcome: 'held',
        reference: referenceOf(unlisted),
        because: expect.stringContaining('does not list'),
      },
    ],
  });
  expect((await readStored(books, unknown)).outcome).toBeNull();
  expect(await listCases(books.pool, { resolved: false, limit: 10 })).toEqual([]);
  expect((await books.pool.query('select from operator_statements')).rowCount).toBe(0);

  await importNow(asked);
  expect((await readStored(books, unknown)).outcome).toBe('success');
  const cases = await listCases(books.pool, { resolved: false, limit: 10 });
  expect(cases.map(({ kind }) => kind).toSorted()).toEqual(['ours_only', 'theirs_only']);
  const again = await previewOperatorStatement(books, asked);
  expect(again.repeated).not.toBeNull();
  expect(new Set(again.lines.map(({ outcome }) => outcome))).toEqual(new Set(['known']));
});

test('a preview names what is wrong with a file, and says why a payment’s amount is a case', async () => {
  const text = 'type,when\r\n';
  expect(await previewOperatorStatement(books, await write([], text))).toMatchObject({
    lines: [
      {
        line: 1,
        outcome: 'refused',
        because: expect.stringContaining('header: The first line must be'),
      },
    ],
  });
  const unknown = await sent();
  const asked = await write([{ of: unknown, amountCents: 5_000n }]);
  expect(await previewOperatorStatement(books, asked)).toMatchObject({
    lines: [{ outcome: 'settled', because: expect.stringContaining('the amounts differ') }],
  });
});
