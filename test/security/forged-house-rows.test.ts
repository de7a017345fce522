import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

// Somebody with the runtime role alone writes rows of the house into the database. Every list and `ledger check` can
// still read them; what is not proposed and approved is not booked, which the test of proposals shows.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

const SUSPENSE = { account: 'suspense', side: 'debit', cents: '1' };
const OTHER = { account: 'vat-paid', side: 'credit', cents: '1' };

async function insertEntry(movedAt: string): Promise<void> {
  await books.pool.query(
    `insert into house_entries (decided_at, moved_at, amount_cents, entry_id, kind, subject, reference,
       debit_account, credit_account, note, proposed_by, decided_by)
     values (now(), $1::timestamptz, 1, gen_random_uuid(), 'top_up', 'kplc', $1, 'operator-float:kplc', 'suspense', '',
       'Asha', 'Baraka')`,
    [movedAt],
  );
}

async function insertJournal(movedAt: string, lines: string): Promise<void> {
  await books.pool.query(
    `insert into house_journals (decided_at, moved_at, journal_id, reference, lines, note, evidence, proposed_by,
       decided_by)
     values (now(), $1::timestamptz, gen_random_uuid(), $1, $2, '', '', 'Asha', 'Baraka')`,
    [movedAt, lines],
  );
}

test.each(['infinity', '-infinity', '290000-01-01'])(
  'nothing is inserted with a time that no list can show: %s',
  async (time) => {
    await expect(insertEntry(time)).rejects.toThrow('house_entries_dates');
    const lines = JSON.stringify([SUSPENSE, OTHER]);
    await expect(insertJournal(time, lines)).rejects.toThrow('house_journals_dates');
  },
);

test.each([
  [null, null],
  [1, {}],
  [[], []],
  [SUSPENSE, { account: 'vat-paid', side: 'credit' }],
  [SUSPENSE, { ...OTHER, cents: 1 }],
  [SUSPENSE, { ...OTHER, side: 'no' }],
  [SUSPENSE, { ...OTHER, account: null, cents: '-1' }],
])('a journal whose lines cannot be read is not inserted: %j, %j', async (...lines) => {
  await expect(insertJournal('2026-01-05', JSON.stringify(lines))).rejects.toThrow(
    'house_journals_lines',
  );
});
