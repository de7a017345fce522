import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { lockImports, unlockImports } from '../../src/payments/receipts/sources-store.ts';
import { proposeBankStatement } from '../../src/payments/uploads/bank-statement.ts';
import { takeUnfinished } from '../../src/payments/uploads/unfinished.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { approveSeen, named } from '../support/payouts.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// Accepted bank statements whose lines are not taken in the moment of the decision.

const freshBooks = sharedBooks();
let books: Books;
let folder: string;
let vendorId: number;
beforeEach(async () => {
  books = await freshBooks();
  folder = await makeTemporaryFolder();
  vendorId = await books.addVendor();
  const settings = {
    format: 'csv',
    columns: { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Narrative' },
    account_pattern: String.raw`ACC (\w+)`,
  };
  const source = { name: 'Bank', kind: 'statement' as const, collector: COLLECTOR, settings };
  await setSource(books.pool, 'bank', source);
  const account = { sourceCode: 'bank', account: '100200', by: 'Asha' };
  await addAccount(books, { ...account, vid: `vendor-${vendorId}` });
});
afterEach(async () => {
  await books.close();
  await removeFolder(folder);
});

const collected = async () => (await books.balances(vendorId))['collected'];
const deps = () => ({ ...books, log: pino({ level: 'silent' }) });

const LINE = '2026-01-05,700.00,FT000001,ACC 100200';

async function propose(lines: readonly string[] = [LINE]): Promise<string> {
  const file = path.join(folder, 'statement.csv');
  await writeFile(file, ['Date,Amount,Ref,Narrative', ...lines, ''].join('\n'));
  const proposals = quietProposals(books);
  const request = {
    source: 'bank',
    file,
    acceptedLines: [],
    note: 'of January',
    by: named('Asha'),
  };
  return (await proposeBankStatement({ ...books, proposals }, request)).proposalId;
}

test('lines that could not be taken with the decision are taken by the job, once', async () => {
  const proposalId = await propose();
  const busy = await books.pool.connect();
  try {
    expect(await lockImports(busy, 'bank')).toBe(true);
    await approveSeen(books, proposalId);
    expect(await collected()).toBe(0n);
    await unlockImports(busy, 'bank');
  } finally {
    busy.release();
  }
  await takeUnfinished(deps());
  await takeUnfinished(deps());
  expect(await collected()).toBe(70_000n);
});

test('a suspended source takes no statement, whenever it was suspended', async () => {
  const suspend = async (status: string) => {
    await books.pool.query('update receipt_sources set status = $1', [status]);
  };
  await suspend('suspended');
  await expect(propose()).rejects.toThrow('Source bank is suspended.');
  await suspend('active');
  const proposalId = await propose();
  await suspend('suspended');
  await expect(approveSeen(books, proposalId)).rejects.toThrow('Source bank is suspended.');
  await suspend('active');
  // Accepted, but not taken yet.
  const busy = await books.pool.connect();
  await lockImports(busy, 'bank');
  await approveSeen(books, proposalId);
  await unlockImports(busy, 'bank');
  busy.release();
  await suspend('suspended');
  await takeUnfinished(deps());
  expect(await collected()).toBe(0n);
  await suspend('active');
  await takeUnfinished(deps());
  expect(await collected()).toBe(70_000n);
});

test('a statement that somebody accepted in the database alone is not taken', async () => {
  const proposalId = await propose();
  await books.pool.query(
    `insert into accepted_statements (accepted_at, proposal_id, source_code) values (now(), $1, 'bank')`,
    [proposalId],
  );
  await books.pool.query(
    `insert into proposal_decisions (decided_at, proposal_id, decision, decided_by, note, is_alone, carried_out, mac)
     values (now(), $1, 'approved', 'Baraka', '', false, '[]', '')`,
    [proposalId],
  );
  await takeUnfinished(deps());
  expect(await collected()).toBe(0n);
});

test('a file that was changed in the database is not taken', async () => {
  const proposalId = await propose();
  await books.owner.query(`update uploaded_files set content = content || '\\x0a'`);
  const proposals = quietProposals(books);
  expect((await proposals.preview(proposalId)).problem).toContain('changed in the database');
  await expect(approveSeen(books, proposalId)).rejects.toThrow('changed in the database');
  expect(await collected()).toBe(0n);
});

test('an accepted statement is read with the settings that two people approved, whatever they are later', async () => {
  const proposalId = await propose();
  const source = { name: 'Bank', kind: 'statement' as const, collector: COLLECTOR };
  const columns = { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Narrative' };
  const before = { format: 'csv', columns, account_pattern: String.raw`ACC (\w+)` };
  // As if thousands were cents, and every line the other vendor's.
  const after = { ...before, decimal_separator: ',', account_pattern: String.raw`ACC \d{3}(\d+)` };
  await setSource(books.pool, 'bank', { ...source, settings: after });
  await expect(approveSeen(books, proposalId)).rejects.toThrow('have changed since');
  await setSource(books.pool, 'bank', {
    ...{ ...source, settings: { ...before, decimal_separator: undefined } },
  });
  const busy = await books.pool.connect();
  await lockImports(busy, 'bank');
  await approveSeen(books, proposalId);
  await unlockImports(busy, 'bank');
  busy.release();
  await setSource(books.pool, 'bank', { ...source, settings: after });
  const otherId = await books.addVendor();
  const other = { sourceCode: 'bank', account: '200', by: 'Asha', vid: `vendor-${otherId}` };
  await addAccount(books, other);
  await takeUnfinished(deps());
  expect(await collected()).toBe(70_000n);
  expect((await books.balances(otherId))['collected']).toBe(0n);
});

test.each([
  ['two spellings of one number', 'active', ['FT-000001', 'ft000001'], 1, 1],
  [
    'three numbers, the last of which another text names',
    'active',
    ['FT000001', 'FT0000002', 'FT00000003'],
    2,
    1,
  ],
  ['a collector that is suspended', 'suspended', ['FT000001'], 0, 1],
] as const)('a statement with %s credits what its preview shows', async (...row) => {
  const [, status, numbers, credited, waiting] = row;
  await books.pool.query('update collectors set status = $1', [status]);
  const texts = ['ACC 100200', 'ACC 100200 for FT00000003', 'ACC 100200'];
  const proposalId = await propose(
    numbers.map((number, index) => `2026-01-05,700.00,${number},${texts[index] ?? ''}`),
  );
  const { lines } = await quietProposals(books).preview(proposalId);
  const countOf = (label: string) =>
    Number(/^\d+/.exec(lines.find((line) => line.label === label)?.text ?? '0')?.[0]);
  expect(countOf(`Credited to vendor-${vendorId}`)).toBe(credited);
  expect(countOf('Waits for people')).toBe(waiting);
  await approveSeen(books, proposalId);
  expect(await collected()).toBe(70_000n * BigInt(credited));
});

/** Lines of the preview as label, count and amount. */
async function previewed(lines: readonly string[]): Promise<Record<string, string>> {
  const proposalId = await propose(lines);
  const preview = await quietProposals(books).preview(proposalId);
  await approveSeen(books, proposalId);
  return Object.fromEntries(preview.lines.map(({ label, text }) => [label, text ?? '']));
}

const countCases = async () =>
  (await listCases(books.pool, { resolved: false, limit: 100 })).map(({ kind }) => kind);

test('a return that is listed again is previewed as known, and opens no second case', async () => {
  const back = '2026-01-06,-700.00,FT000001,RETURNED';
  expect(await previewed([LINE])).toEqual({ [`Credited to vendor-${vendorId}`]: '1 lines' });
  const returned = 'Returned by the bank: a case is opened';
  expect(await previewed([LINE, back])).toEqual({
    'Known already': '1 lines',
    [returned]: '1 lines',
  });
  expect(await countCases()).toEqual(['receipt_reversed']);
  const other = '2026-01-06,5.00,FT000002,ACC 100200';
  expect(await previewed([LINE, back, other])).toEqual({
    ...{ 'Known already': '2 lines', [`Credited to vendor-${vendorId}`]: '1 lines' },
  });
  const [last] = await listCounts();
  expect(last).toMatchObject({ repeated: 2, credited: 1, reversed: 0 });
  // A second return of the same amount, on another day, is another one.
  const again = '2026-01-07,-700.00,FT000001,RETURNED';
  expect(await previewed([back, again])).toEqual({
    'Known already': '1 lines',
    [returned]: '1 lines',
  });
});

test('a debit whose text says that it is a reversal opens a case about the receipt that it names', async () => {
  const returned = 'Returned by the bank: a case is opened';
  expect(await previewed([LINE])).toEqual({ [`Credited to vendor-${vendorId}`]: '1 lines' });
  const reversal = '2026-01-06,-700.00,FT000008,Reversal of FT000001 by the payer';
  expect(await previewed([reversal])).toEqual({ [returned]: '1 lines' });
  expect(await previewed([reversal])).toEqual({ 'Known already': '1 lines' });
  const opened = await listCases(books.pool, { resolved: false, limit: 100 });
  expect(opened).toMatchObject([
    { kind: 'receipt_reversed', vendorId, facts: { receipt: 'FT000001', reversed_cents: 70_000 } },
  ]);
  // It names no receipt of its amount: it waits by itself.
  const charge = '2026-01-06,-15.00,FT000009,Reversal fee for FT000001';
  expect(await previewed([charge])).toEqual({ [returned]: '1 lines' });
  expect(await countCases()).toEqual(['receipt_reversed', 'receipt_reversed']);
  expect(await collected()).toBe(70_000n);
});

test('a credit whose text says that it is a reversal is credited to nobody', async () => {
  for (const [index, text] of ['REVERSAL ACC 100200', 'ACC 100200 imerejeshwa'].entries()) {
    const line = `2026-01-05,700.00,FT00001${index},${text}`;
    expect(await previewed([line])).toEqual({ 'Waits for people': '1 lines' });
  }
  expect(await collected()).toBe(0n);
});

test('a number that its collector used with other content is previewed as waiting', async () => {
  const income = {
    collector: COLLECTOR,
    reference: 'bank/FT000001',
    vendorId,
    amountCents: 1_000n,
  };
  await collect(books, { ...income, paidAt: new Date('2026-01-05T09:00:00Z') });
  expect(await previewed([LINE])).toEqual({ 'Waits for people': '1 lines' });
  expect(await collected()).toBe(1_000n);
  expect(await countCases()).toEqual(['receipt_conflict']);
});

test('a credit whose return was listed before is previewed as taken back, once', async () => {
  const back = '2026-01-05,-700.00,FT000001,SENT';
  expect(await previewed([back])).toEqual({ 'Money that went out': '1 lines' });
  expect(await previewed([LINE])).toEqual({ 'Was taken back': '1 lines' });
  expect(await previewed([LINE, '2026-01-06,-5.00,FT000009,FEE'])).toEqual({
    ...{ 'Known already': '1 lines', 'Money that went out': '1 lines' },
  });
  expect(await collected()).toBe(0n);
});

async function listCounts(): Promise<Record<string, number>[]> {
  const listed = await books.pool.query<{ counts: Record<string, number> }>(
    'select counts from accepted_statements order by accepted_at desc',
  );
  return listed.rows.map(({ counts }) => counts);
}
