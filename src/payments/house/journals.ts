import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { requireAnother, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import {
  requireFound,
  requireOpen,
  requireText,
  requireUnaltered,
} from '../../platform/base/proposal.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { findOperator } from '../billers/store.ts';
import { postingTime } from '../ledger/store.ts';
import type { HouseAccount } from './account.ts';
import { requireReference } from './entry.ts';
import { journalProposalText, requireBalanced, transfersOf } from './journal.ts';
import type { JournalLine } from './journal.ts';
import {
  findJournal,
  insertJournal,
  linesOf,
  listUnknownBanks,
  lockJournal,
  setJournalDecision,
  storedLines,
} from './journals-store.ts';
import type { JournalRow } from './journals-store.ts';
import { postHouseTransfer } from './store.ts';

export interface JournalRequest {
  readonly lines: readonly JournalLine[];
  /** Of the document: the same one is entered once. */
  readonly reference: string;
  readonly movedAt: Date;
  /** Why. */
  readonly note: string;
  /** Where it can be looked up. */
  readonly evidence: string;
  readonly by: string;
}

interface JournalDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Proposes a journal. Nothing is booked yet. Throws: `PlainError` with the problem. */
export async function proposeJournal(
  { pool, ledgerMac }: JournalDeps,
  request: JournalRequest,
): Promise<JournalRow> {
  const proposedBy = requirePerson(request.by);
  const { lines, movedAt } = request;
  const [reference, note, evidence] = [
    requireReference(request.reference),
    requireText(request.note, 'note'),
    requireText(request.evidence, 'evidence'),
  ];
  requireBalanced(lines);
  if (movedAt > new Date()) throw new PlainError('It must not be in the future.', { field: 'at' });
  await requireKnown(pool, lines);
  const journalId = newId();
  const journal = {
    ...{ journalId, reference, lines: storedLines(lines), movedAt, note, evidence },
    ...{ proposedBy, proposedAt: await postingTime(pool) },
  };
  const proposalMac = ledgerMac.sign(journalProposalText(journal));
  if (!(await insertJournal(pool, { ...journal, proposalMac }))) {
    throw new PlainError('This reference was entered before.', { field: 'reference' });
  }
  return requireFound(await findJournal(pool, journalId), 'journal');
}

/** Throws: `PlainError` if an account names an operator or a bank account that does not exist. */
async function requireKnown(db: Queryable, lines: readonly JournalLine[]): Promise<void> {
  const codesOf = (kind: string): string[] =>
    lines
      .map(({ account }) => account.split(':'))
      .filter(([prefix]) => prefix === kind)
      .map(([, code = '']) => code);
  const [bank] = await listUnknownBanks(db, codesOf('bank'));
  if (bank !== undefined) {
    throw new PlainError(`There is no source ${bank}.`, { field: 'lines' });
  }
  for (const code of [...codesOf('operator-charges'), ...codesOf('commission-due')]) {
    if ((await findOperator(db, code)) !== undefined) continue;
    throw new PlainError(`Operator ${code} does not exist.`, { field: 'lines' });
  }
}

/**
 * Books another person's journal.
 * Throws: `PlainError` if the service did not record it as it is, or it was decided.
 */
export async function approveJournal(
  deps: JournalDeps,
  request: { readonly journalId: string; readonly by: string },
): Promise<JournalRow> {
  const approvedBy = requirePerson(request.by);
  return await databaseTransaction(deps.pool, async (client) => {
    const journal = requireOpen(await lockJournal(client, request.journalId), 'journal');
    const { journalId, proposedBy, movedAt, reference, note, evidence } = journal;
    requireAnother(proposedBy, approvedBy);
    requireUnaltered(deps.ledgerMac, journalProposalText(journal), journal.proposalMac);
    await setJournalDecision(client, journalId, { decision: 'approved', person: approvedBy });
    for (const [index, transfer] of transfersOf(linesOf(journal)).entries()) {
      await postHouseTransfer(client, deps.ledgerMac, {
        source: 'journal',
        sourceId: journalId,
        part: index + 1,
        // `requireBalanced` knows no other accounts.
        debitAccount: transfer.debitAccount as HouseAccount,
        creditAccount: transfer.creditAccount as HouseAccount,
        amountCents: transfer.amountCents,
        movedAt,
        proposedBy,
        approvedBy,
        texts: [reference, note, evidence],
      });
    }
    return requireFound(await findJournal(client, journalId), 'journal');
  });
}

/** Anybody may reject a journal, also who proposed it. Throws: `PlainError` if it was decided. */
export async function rejectJournal(
  pool: Pool,
  request: { readonly journalId: string; readonly by: string },
): Promise<JournalRow> {
  const person = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const { journalId } = requireOpen(await lockJournal(client, request.journalId), 'journal');
    await setJournalDecision(client, journalId, { decision: 'rejected', person });
    return requireFound(await findJournal(client, journalId), 'journal');
  });
}
