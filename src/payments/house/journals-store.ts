import type { Proposal } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { JournalLine } from './journal.ts';

/** A line as stored: JSON has no exact integers of 64 bits, so cents are text. */
export interface StoredLine {
  account: string;
  side: 'debit' | 'credit';
  cents: string;
}

export interface JournalRow extends Proposal {
  journalId: string;
  reference: string;
  lines: StoredLine[];
  movedAt: Date;
  note: string;
  evidence: string;
  /** Null: made by a release that had no codes. */
  proposalMac: Buffer | null;
}

const JOURNALS = `select journal_id as "journalId", reference, lines, moved_at as "movedAt", note,
    evidence, proposed_by as "proposedBy", proposed_at as "proposedAt", decision,
    decided_by as "decidedBy", decided_at as "decidedAt", proposal_mac as "proposalMac"
  from house_journals`;

/** Lines as they are stored. */
export function storedLines(lines: readonly JournalLine[]): StoredLine[] {
  return lines.map(({ account, side, amountCents }) => ({
    ...{ account, side },
    cents: String(amountCents),
  }));
}

export type NewJournal = Omit<JournalRow, keyof Proposal | 'proposalMac'> &
  Pick<Proposal, 'proposedBy' | 'proposedAt'> & { readonly proposalMac: Buffer };

/** Returns false if the reference was entered before. */
export async function insertJournal(db: Queryable, journal: NewJournal): Promise<boolean> {
  const inserted = await db.query(
    `insert into house_journals (journal_id, reference, lines, moved_at, note, evidence, proposed_by,
       proposed_at, proposal_mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      journal.journalId,
      journal.reference,
      JSON.stringify(journal.lines),
      journal.movedAt,
      journal.note,
      journal.evidence,
      journal.proposedBy,
      journal.proposedAt,
      journal.proposalMac,
    ],
  );
  return inserted.rowCount === 1;
}

/** The lines of a journal. */
export function linesOf({ lines }: Pick<JournalRow, 'lines'>): JournalLine[] {
  return lines.map(({ account, side, cents }) => ({ account, side, amountCents: BigInt(cents) }));
}

export async function findJournal(
  db: Queryable,
  journalId: string,
): Promise<JournalRow | undefined> {
  return (await db.query<JournalRow>(`${JOURNALS} where journal_id = $1`, [journalId])).rows[0];
}

/** The journal, locked until the caller's database transaction ends. */
export async function lockJournal(
  db: Queryable,
  journalId: string,
): Promise<JournalRow | undefined> {
  const locked = await db.query<JournalRow>(`${JOURNALS} where journal_id = $1 for update`, [
    journalId,
  ]);
  return locked.rows[0];
}

/** Newest first. */
export async function listJournals(
  db: Queryable,
  filter: { readonly open: boolean; readonly limit: number },
): Promise<JournalRow[]> {
  const listed = await db.query<JournalRow>(
    `${JOURNALS} where not $1 or decision is null
     order by proposed_at desc, journal_id desc limit $2`,
    [filter.open, filter.limit],
  );
  return listed.rows;
}

/** Throws (SQLSTATE 23514) if the person who proposed it approves it. */
export async function setJournalDecision(
  db: Queryable,
  journalId: string,
  by: { readonly decision: 'approved' | 'rejected'; readonly person: string },
): Promise<void> {
  await db.query(
    `update house_journals set decision = $2, decided_by = $3, decided_at = now()
     where journal_id = $1`,
    [journalId, by.decision, by.person],
  );
}

/** Those of the codes that are no source of receipts, and so have no bank account of ours. */
export async function listUnknownBanks(db: Queryable, codes: readonly string[]): Promise<string[]> {
  const found = await db.query<{ code: string }>(
    `select code from unnest($1::text[]) as u (code)
     where not exists (select from receipt_sources s where s.source_code = u.code)`,
    [codes],
  );
  return found.rows.map(({ code }) => code);
}
