import { settlePayments } from '../../../src/payments/settle/store.ts';
import { proposeEntry } from '../../../src/payments/house/entries.ts';
import { proposeJournal } from '../../../src/payments/house/journals.ts';
import { proposeAccount } from '../../../src/payments/house/own-accounts.ts';
import { addBank } from '../../support/house-decisions.ts';
import type { Books } from '../../support/money-fixture.ts';
import { instructNew, OPERATOR, paidReport } from '../../support/money-fixture.ts';
import { approveSeen } from '../../support/payouts.ts';
import { databaseTime } from '../../support/reconciliation-fixture.ts';
import type { Case, Cases, Given } from './case.ts';

const FLOAT = `operator-float:${OPERATOR}`;

/** The sum of each account of the house; positive: a debit. */
async function houseSums({ pool }: Books): Promise<Record<string, bigint>> {
  const read = await pool.query<{ account: string; cents: bigint }>(
    `select account, sum(cents)::bigint as cents from house_transfers cross join lateral (values
       (debit_account, amount_cents), (credit_account, -amount_cents)) side (account, cents)
     group by account`,
  );
  return Object.fromEntries(read.rows.map(({ account, cents }) => [account, cents]));
}

async function pay(books: Books, amountCents: bigint): Promise<void> {
  await settlePayments(books.pool, [paidReport(await instructNew(books, amountCents))]);
}

/** The opening of a float of which payments have consumed 300.00. */
async function opening({ books, proposals, people }: Given): Promise<Case> {
  await pay(books, 30_000n);
  const movedAt = await databaseTime(books);
  const common = { operatorCode: OPERATOR, movedAt, bank: null, note: 'their portal' };
  const asked = { ...common, kind: 'opening', amountCents: 70_000n, reference: 'O' } as const;
  const { proposalId: id } = await proposeEntry(proposals, { ...asked, by: people.asha });
  const sides = (cents: string) => [
    { label: 'Debit', text: FLOAT, cents },
    { label: 'Credit', text: 'opening', cents },
  ];
  const approved = { [FLOAT]: 100_000n, opening: -100_000n };
  return {
    ...{ id, approved, ended: {} },
    shown: [
      ...sides('70000'),
      { label: 'Consumed by earlier payments, also booked' },
      ...sides('30000'),
    ],
    state: async () => await houseSums(books),
    // The books of the float begin in another way.
    changeFacts: async () => {
      const charge = { ...common, kind: 'charge', amountCents: 100n, reference: 'C' } as const;
      const { proposalId } = await proposeEntry(proposals, { ...charge, by: people.chege });
      await approveSeen(books, proposalId, people.baraka);
    },
    reason: /began without an opening/,
    endedAfterChange: { [FLOAT]: -100n, [`operator-charges:${OPERATOR}`]: 100n },
    // A later payment consumes more of the float.
    spend: async () => {
      await pay(books, 40_000n);
      return approved;
    },
  };
}

async function journal({ books, proposals, people }: Given): Promise<Case> {
  await addBank(books);
  const texts = { reference: 'INV 7', note: 'servers of the month', evidence: 'invoice 7' };
  const asked = {
    ...{ ...texts, movedAt: new Date(Date.now() - 60_000) },
    lines: [
      { account: 'expense:hosting', side: 'debit', amountCents: 30_000n },
      { account: 'expense:bank-fees', side: 'debit', amountCents: 500n },
      { account: 'bank:bank', side: 'credit', amountCents: 30_500n },
    ],
  } as const;
  const { proposalId: id } = await proposeJournal(proposals, { ...asked, by: people.asha });
  return {
    id,
    shown: asked.lines.map(({ account, side, amountCents }) => ({
      ...{ label: side === 'debit' ? 'Debit' : 'Credit', text: account },
      cents: String(amountCents),
    })),
    state: async () => await houseSums(books),
    approved: {
      ...{ 'expense:hosting': 30_000n, 'expense:bank-fees': 500n, 'bank:bank': -30_500n },
    },
    ended: {},
    // The bank account is none of ours any more.
    changeFacts: async () => {
      await books.owner.query(`delete from receipt_sources where source_code = 'bank'`);
    },
    reason: /no account bank:bank|already withdrawn/,
    // Its proposer withdraws it and enters the same document again, with less.
    spend: async () => {
      await proposals.withdraw({ proposalId: id, by: people.asha });
      const [first] = asked.lines;
      const lines = [first, { account: 'suspense', side: 'credit', amountCents: 30_000n }] as const;
      const again = { ...asked, lines, by: people.asha };
      const { proposalId } = await proposeJournal(proposals, again);
      await approveSeen(books, proposalId, people.baraka);
      return 'refused';
    },
  };
}

async function addedAccount({ books, proposals, people }: Given): Promise<Case> {
  const asked = { account: 'liability:landlord', title: 'Rent that we owe', note: 'a new office' };
  const { proposalId: id } = await proposeAccount(proposals, { ...asked, by: people.asha });
  const added = async (): Promise<Record<string, string>> => {
    const read = await books.pool.query<{ account: string; title: string }>(
      'select account, title from house_accounts',
    );
    return Object.fromEntries(read.rows.map((row) => [row.account, row.title]));
  };
  const approved = { 'liability:landlord': 'Rent that we owe' };
  return {
    ...{ id, approved, ended: {}, state: added },
    shown: [{ label: 'Added', text: 'liability:landlord: Rent that we owe' }],
    // Another account gets its title.
    changeFacts: async () => {
      const other = { ...asked, account: 'liability:rent', title: 'rent that WE owe' };
      const { proposalId } = await proposeAccount(proposals, { ...other, by: people.chege });
      await approveSeen(books, proposalId, people.baraka);
    },
    reason: /Another account has this title/,
    endedAfterChange: { 'liability:rent': 'rent that WE owe' },
    // Another account is added, which changes nothing about this one.
    spend: async () => {
      const more = { ...asked, account: 'expense:rent', title: 'Rent', by: people.chege };
      const { proposalId } = await proposeAccount(proposals, more);
      await approveSeen(books, proposalId, people.baraka);
      return { ...approved, 'expense:rent': 'Rent' };
    },
  };
}

export const CASES: Cases = {
  house_account: { make: addedAccount },
  house_entry: { make: opening },
  house_journal: { make: journal },
};
