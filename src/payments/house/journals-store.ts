import type { Queryable } from '../../platform/db/pool.ts';
import type { StoredLine } from './fields.ts';

/** A journal that two people decided. Its id is that of its proposal. */
export interface NewJournal {
  readonly journalId: string;
  readonly reference: string;
  readonly lines: readonly StoredLine[];
  readonly movedAt: Date;
  readonly note: string;
  readonly evidence: string;
  readonly isOpening: boolean;
  readonly proposedBy: string;
  readonly decidedBy: string;
  readonly decidedAt: Date;
}

/** Returns false if the reference was entered before. */
export async function insertJournal(db: Queryable, journal: NewJournal): Promise<boolean> {
  const inserted = await db.query(
    `insert into house_journals (journal_id, reference, lines, moved_at, note, evidence, is_opening,
       proposed_by, decided_by, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      journal.journalId,
      journal.reference,
      JSON.stringify(journal.lines),
      journal.movedAt,
      journal.note,
      journal.evidence,
      journal.isOpening,
      journal.proposedBy,
      journal.decidedBy,
      journal.decidedAt,
    ],
  );
  return inserted.rowCount === 1;
}

/** Looks for a booked document with this reference in any spelling. @param plain see `plainReference`. */
export async function isJournalBooked(db: Queryable, plain: string): Promise<boolean> {
  const found = await db.query(
    `select from house_journals where lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')) = $1`,
    [plain],
  );
  return found.rowCount !== 0;
}

/** True once the opening trial balance of another system is booked. */
export async function isOpeningBooked(db: Queryable): Promise<boolean> {
  return (await db.query('select from house_journals where is_opening')).rowCount !== 0;
}
