import type { Proposal } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { HouseAccount } from './account.ts';
import type { EnteredMovement, EntryKind, ListedKind } from './entry.ts';

export interface EntryRow extends Proposal {
  entryId: string;
  kind: EntryKind;
  subject: string;
  reference: string;
  debitAccount: HouseAccount;
  creditAccount: HouseAccount;
  amountCents: bigint;
  movedAt: Date;
  note: string;
  rowId: string | null;
  /** Null: made by a release that had no codes. */
  proposalMac: Buffer | null;
}

const ENTRIES = `select entry_id as "entryId", kind, subject, reference,
    debit_account as "debitAccount", credit_account as "creditAccount",
    amount_cents as "amountCents", moved_at as "movedAt", note, proposed_by as "proposedBy",
    proposed_at as "proposedAt", decision, decided_by as "decidedBy", decided_at as "decidedAt",
    row_id as "rowId", proposal_mac as "proposalMac"
  from house_entries`;

export type NewEntry = Omit<EntryRow, keyof Proposal | 'rowId' | 'proposalMac'> &
  Pick<Proposal, 'proposedBy' | 'proposedAt'> & { readonly proposalMac: Buffer };

/** Returns false if the reference was entered before. */
export async function insertEntry(db: Queryable, entry: NewEntry): Promise<boolean> {
  const inserted = await db.query(
    `insert into house_entries (entry_id, kind, subject, reference, debit_account, credit_account,
       amount_cents, moved_at, note, proposed_by, proposed_at, proposal_mac)
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
      entry.proposedAt,
      entry.proposalMac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function findEntry(db: Queryable, entryId: string): Promise<EntryRow | undefined> {
  return (await db.query<EntryRow>(`${ENTRIES} where entry_id = $1`, [entryId])).rows[0];
}

/** The entry, locked until the caller's database transaction ends. */
export async function lockEntry(db: Queryable, entryId: string): Promise<EntryRow | undefined> {
  return (await db.query<EntryRow>(`${ENTRIES} where entry_id = $1 for update`, [entryId])).rows[0];
}

/** Newest first. */
export async function listEntries(
  db: Queryable,
  filter: { readonly open: boolean; readonly limit: number },
): Promise<EntryRow[]> {
  const listed = await db.query<EntryRow>(
    `${ENTRIES} where not $1 or decision is null order by proposed_at desc, entry_id desc limit $2`,
    [filter.open, filter.limit],
  );
  return listed.rows;
}

/** Throws (SQLSTATE 23514) if the person who proposed it approves it. */
export async function setDecision(
  db: Queryable,
  entryId: string,
  by: { readonly decision: 'approved' | 'rejected'; readonly person: string },
): Promise<void> {
  await db.query(
    `update house_entries set decision = $2, decided_by = $3, decided_at = now()
     where entry_id = $1`,
    [entryId, by.decision, by.person],
  );
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
     where kind = $2 and subject = $1 and decision = 'approved' and row_id is null
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
 * How the operator's statements list a movement: with its reference, whether or not the row is booked itself; or,
 * if it is a top-up, with its amount and near its time, by a row that confirms no other entry.
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
