import { proposeEntry as enter } from '../../src/payments/house/entries.ts';
import type { EntryRequest } from '../../src/payments/house/entries.ts';
import { proposeJournal as book } from '../../src/payments/house/journals.ts';
import type { JournalRequest } from '../../src/payments/house/journals.ts';
import { setSource } from '../../src/payments/receipts/administer.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import { COLLECTOR } from './money-fixture.ts';
import type { Books } from './money-fixture.ts';
import { approveSeen, named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

/** By a name on the command line. */
export type NamedEntry = Omit<EntryRequest, 'by'> & { readonly by: string };
export type NamedJournal = Omit<JournalRequest, 'by'> & { readonly by: string };

export async function proposeEntry(deps: BooksOfPeople, entry: NamedEntry): Promise<ProposalRow> {
  return await enter(quietProposals(deps), { ...entry, by: named(entry.by) });
}

export async function proposeJournal(
  deps: BooksOfPeople,
  journal: NamedJournal,
): Promise<ProposalRow> {
  return await book(quietProposals(deps), { ...journal, by: named(journal.by) });
}

/** An entry that is booked. */
export async function bookEntry(deps: BooksOfPeople, entry: NamedEntry): Promise<void> {
  const { proposalId } = await proposeEntry(deps, entry);
  await approveSeen(deps, proposalId);
}

/** An account of ours at a bank: `bank:bank`. */
export async function addBank({ pool }: Books): Promise<void> {
  const columns = { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Narrative' };
  await setSource(pool, 'bank', {
    ...{ name: 'Bank', kind: 'statement', collector: COLLECTOR },
    settings: { format: 'csv', columns, account_pattern: String.raw`ACC (\w+)` },
  });
}
