import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { approveEntry, proposeEntry, rejectEntry } from '../../src/payments/house/entries.ts';
import {
  approveJournal,
  proposeJournal,
  rejectJournal,
} from '../../src/payments/house/journals.ts';
import { encodeReference } from '../../src/platform/base/ids.ts';
import { OPERATOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

// Somebody with the runtime role alone, without MASTER_KEY, writes entries in the name of one person. The second
// person, who is honest, must not make the service book them.

const ALTERED = 'was changed in the database, or the service did not record it';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

/** What `ledger check` says about proposals. */
async function reported(): Promise<string[]> {
  const { violations } = await checkLedger(books.pool, { mac: books.ledgerMac });
  return violations
    .filter(({ invariant }) => invariant === 'proposals_authentic')
    .map(({ detail }) => detail);
}

let references = 0;

async function proposedEntry(): Promise<string> {
  references += 1;
  const { entryId } = await proposeEntry(books, {
    ...{ operatorCode: OPERATOR, kind: 'top_up', amountCents: 40_000n, bank: null },
    ...{ reference: `BANK${references}`, movedAt: new Date(Date.now() - 1_000) },
    ...{ note: 'Transfer', by: 'Asha' },
  });
  return entryId;
}

async function proposedJournal(): Promise<string> {
  references += 1;
  const { journalId } = await proposeJournal(books, {
    lines: [
      { account: 'expense:hosting', side: 'debit', amountCents: 500n },
      { account: 'suspense', side: 'credit', amountCents: 500n },
    ],
    ...{ reference: `INV${references}`, movedAt: new Date(Date.now() - 1_000) },
    ...{ note: 'Servers', evidence: 'Invoice', by: 'Asha' },
  });
  return journalId;
}

/** Columns of a copied row, with the value that replaces one of them. */
const ENTRY_CHANGES = {
  amount_cents: '90000',
  debit_account: `'bank:other'`,
  credit_account: `'bank:other'`,
  subject: `'other'`,
  kind: `'charge'`,
  moved_at: `moved_at - interval '1 day'`,
  note: `'Another'`,
  proposed_by: `'Chege'`,
  proposed_at: `proposed_at - interval '1 day'`,
  proposal_mac: 'null',
};

/** A copy of the row under another id, with this change, as the runtime role. */
async function copyRow(
  { table, key }: { readonly table: string; readonly key: string },
  id: string,
  [column, value]: readonly [string, string],
): Promise<string> {
  references += 1;
  const changed = JSON.stringify({ [key]: 'gen_random_uuid()', reference: `'COPY${references}'` });
  const columns = await books.pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = $1`,
    [table],
  );
  const values = new Map(Object.entries(JSON.parse(changed) as Record<string, string>));
  values.set(column, value);
  const names = columns.rows.map(({ name }) => name);
  const copied = await books.pool.query<{ id: string }>(
    `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => values.get(name) ?? name).join(', ')} from ${table} where ${key} = $1
     returning ${key} as id`,
    [id],
  );
  return copied.rows[0]?.id ?? '';
}

const ENTRIES = { table: 'house_entries', key: 'entry_id' };
const JOURNALS = { table: 'house_journals', key: 'journal_id' };

test.each([...Object.entries(ENTRY_CHANGES), ['row_id', 'null'] as const])(
  'an entry that nobody proposed is not booked: a copy with another %s',
  async (...change) => {
    const proposed = await proposedEntry();
    const entryId = await copyRow(ENTRIES, proposed, change);
    await expect(approveEntry(books, { entryId, by: 'Baraka' })).rejects.toThrow(ALTERED);
    expect(await reported()).toEqual([
      expect.stringContaining(`the proposed entry ${encodeReference(0, entryId)}`),
    ]);
    await rejectEntry(books.pool, { entryId, by: 'Baraka' });
    expect(await reported()).toEqual([]);
    expect(await approveEntry(books, { entryId: proposed, by: 'Baraka' })).toMatchObject({
      decision: 'approved',
    });
  },
);

test.each([
  ['lines', `jsonb_set(lines, '{0,account}', '"expense:other"')`],
  ['lines', `jsonb_set(lines, '{0,side}', '"credit"')`],
  ['moved_at', `moved_at - interval '1 day'`],
  ['evidence', `'Another'`],
  ['proposed_by', `'Chege'`],
  ['proposal_mac', 'null'],
] as const)(
  'a journal that nobody proposed is not booked: a copy with another %s',
  async (...change) => {
    const proposed = await proposedJournal();
    const journalId = await copyRow(JOURNALS, proposed, change);
    await expect(approveJournal(books, { journalId, by: 'Baraka' })).rejects.toThrow(ALTERED);
    expect(await reported()).toEqual([
      expect.stringContaining(`the proposed journal ${encodeReference(0, journalId)}`),
    ]);
    await rejectJournal(books.pool, { journalId, by: 'Baraka' });
    expect(await approveJournal(books, { journalId: proposed, by: 'Baraka' })).toMatchObject({
      decision: 'approved',
    });
  },
);

test.each(['infinity', '-infinity', '290000-01-01'])(
  'nothing is proposed at a time that no list can show: %s',
  async (time) => {
    const entry = await proposedEntry();
    const journal = await proposedJournal();
    for (const column of ['moved_at', 'proposed_at']) {
      const change = [column, `'${time}'`] as const;
      await expect(copyRow(ENTRIES, entry, change)).rejects.toThrow('house_entries_dates');
      await expect(copyRow(JOURNALS, journal, change)).rejects.toThrow('house_journals_dates');
    }
  },
);

test.each([
  '[null, null]',
  '[1, {}]',
  '[[], []]',
  '[{"account": "suspense", "side": "debit", "cents": "1"}, {"account": "vat-paid", "side": "credit"}]',
  '[{"account": "suspense", "side": "debit", "cents": "1"}, {"account": "vat-paid", "side": "credit", "cents": 1}]',
  '[{"account": "suspense", "side": "debit", "cents": "1"}, {"account": "vat-paid", "side": "no", "cents": "1"}]',
  '[{"account": "suspense", "side": "debit", "cents": "1"}, {"account": null, "side": "credit", "cents": "-1"}]',
])('a journal whose lines cannot be read is not inserted: %s', async (lines) => {
  const change = ['lines', `'${lines}'`] as const;
  await expect(copyRow(JOURNALS, await proposedJournal(), change)).rejects.toThrow(
    'house_journals_lines',
  );
});
