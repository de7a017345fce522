import type { Queryable } from '../../platform/db/pool.ts';
import type { EnteredMovement, EntryKind, ListedKind, Sides } from './entry.ts';

/** An entry that two people decided. Its id is that of its proposal. */
export interface NewEntry extends Sides, EnteredMovement {
  readonly kind: EntryKind;
  readonly subject: string;
  readonly note: string;
  readonly proposedBy: string;
  readonly decidedBy: string;
  readonly decidedAt: Date;
}

/** Returns false if the reference was entered before. */
export async function insertEntry(db: Queryable, entry: NewEntry): Promise<boolean> {
  const inserted = await db.query(
    `insert into house_entries (entry_id, kind, subject, reference, debit_account, credit_account,
       amount_cents, moved_at, note, proposed_by, decided_by, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`,
    [
      entry.entryId,
      entry.kind,
      entry.subject,
      entry.reference,
      entry.debitAccount,
      entry.creditAccount,
      entry.amountCents,
      entry.movedAt,
      entry.note,
      entry.proposedBy,
      entry.decidedBy,
      entry.decidedAt,
    ],
  );
  return inserted.rowCount === 1;
}

/**
 * Looks for a booked movement with this reference in any spelling. @param of.reference see
 * `plainReference`.
 */
export async function isEntered(
  db: Queryable,
  of: { readonly kind: EntryKind; readonly subject: string; readonly reference: string },
): Promise<boolean> {
  const found = await db.query(
    `select from house_entries where kind = $1 and subject = $2
       and lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')) = $3`,
    [of.kind, of.subject, of.reference],
  );
  return found.rowCount !== 0;
}

/** Finds the entries that a statement lists as well. */
export async function findConfirmed(
  db: Queryable,
  entryIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (entryIds.length === 0) return new Set();
  const found = await db.query<{ entryId: string }>(
    `select entry_id as "entryId" from house_entries where entry_id = any ($1) and row_id is not null`,
    [entryIds],
  );
  return new Set(found.rows.map(({ entryId }) => entryId));
}

/** Approved entries about an operator's float that no statement has listed. */
export async function listUnconfirmed(
  db: Queryable,
  operatorCode: string,
  kind: ListedKind,
): Promise<EnteredMovement[]> {
  const listed = await db.query<EnteredMovement>(
    `select entry_id as "entryId", reference, amount_cents as "amountCents", moved_at as "movedAt"
     from house_entries
     where kind = $2 and subject = $1 and row_id is null
     order by moved_at, entry_id`,
    [operatorCode, kind],
  );
  return listed.rows;
}

/** A statement's row lists the entry. */
export async function confirmEntry(db: Queryable, entryId: string, rowId: string): Promise<void> {
  await db.query('update house_entries set row_id = $2 where entry_id = $1', [entryId, rowId]);
}

/**
 * Finds the row of the operator's statements that lists a movement: with its reference, whether or not
 * the row is booked itself; or, if it is a top-up, with its amount and near its time, by a row that
 * confirms no other entry.
 */
export async function findListed(
  db: Queryable,
  movement: {
    readonly operatorCode: string;
    readonly kind: ListedKind;
    readonly amountCents: bigint;
    readonly movedAt: Date;
    /** As `plainReference` returns it. */
    readonly reference: string;
  },
): Promise<{ readonly hasReference: boolean } | undefined> {
  const found = await db.query<{ hasReference: boolean }>(
    `select true as "hasReference" from statement_rows
     where operator = $1 and kind = $2 and verdict = 'noted'
       and lower(regexp_replace(operator_reference, '[^A-Za-z0-9]', '', 'g')) = $5
     union all
     select false from statement_rows r
     where $2 = 'top_up' and r.operator = $1 and r.kind = 'top_up' and r.verdict = 'noted'
       and r.amount_cents = $3
       and r.at between $4::timestamptz - interval '3 days' and $4::timestamptz + interval '3 days'
       and not exists (select from house_entries e where e.row_id = r.row_id)
     order by 1 desc limit 1`,
    [
      movement.operatorCode,
      movement.kind,
      movement.amountCents,
      movement.movedAt,
      movement.reference,
    ],
  );
  return found.rows[0];
}
