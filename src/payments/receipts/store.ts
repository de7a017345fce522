import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Doubt, Receipt, ReceiptReport, ReceiptState } from './receipt.ts';
import { COLUMNS } from './read-receipts.ts';
import type { ReceiptRow, ReceiptEvent } from './read-receipts.ts';

/** Returns false if the issuer's receipt is known already. */
export async function insertReceipt(
  db: Queryable,
  row: Receipt & {
    readonly bank: string;
    readonly isUnallocated: boolean;
    readonly state: ReceiptState;
    readonly doubt: Doubt | null;
    readonly mac: Buffer;
  },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into receipts (issuer, receipt, receipt_id, source_code, collector, account, payer,
       amount_cents, paid_at, received_at, vendor_id, state, mac, batch, doubt, named, is_day_only,
       is_arrival_time, is_by_hand, bank, is_unallocated)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
     on conflict do nothing`,
    [
      row.issuer,
      row.receipt,
      row.receiptId,
      row.sourceCode,
      row.collector,
      row.account,
      row.payer,
      row.amountCents,
      row.paidAt,
      row.vendorId,
      row.state,
      row.mac,
      row.batch ?? null,
      row.doubt === null ? null : JSON.stringify(row.doubt),
      row.named === undefined || row.named.length === 0 ? null : row.named,
      row.isDayOnly === true,
      row.isArrivalTime === true,
      row.isByHand === true,
      row.bank,
      row.isUnallocated,
    ],
  );
  return inserted.rowCount === 1;
}

/** The receipt, locked until the caller's database transaction ends. */
export async function lockReceipt(
  db: Queryable,
  issuer: string,
  receipt: string,
): Promise<ReceiptRow | undefined> {
  const found = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts where issuer = $1 and receipt = $2 for update`,
    [issuer, receipt],
  );
  return found.rows[0];
}

/**
 * Gives the receipt to a vendor. The caller holds its lock.
 * Throws (SQLSTATE 23514) if `decidedBy` is the person who proposed it.
 */
export async function setClaimed(
  db: Queryable,
  row: Omit<ReceiptRow, 'state' | 'decidedAt'>,
): Promise<void> {
  await db.query(
    // The time is read apart: Citus accepts no changing function in a CASE.
    `with clock as materialized (select now() as at)
     update receipts set state = 'claimed', vendor_id = $2, account = $3, mac = $4, decided_by = $5,
       proposed_by = $6, moves = $7, moved_cents = $8,
       decided_at = case when $5::text is not null then clock.at end
     from clock where receipt_id = $1`,
    [
      row.receiptId,
      row.vendorId,
      row.account,
      row.mac,
      row.decidedBy,
      row.proposedBy,
      row.moves,
      row.movedCents,
    ],
  );
}

/**
 * The receipt is for no vendor. The caller holds its lock.
 * Throws (SQLSTATE 23514) if `decidedBy` is the person who proposed it.
 */
export async function setClosed(
  db: Queryable,
  row: Pick<ReceiptRow, 'receiptId' | 'proposedBy' | 'decidedBy' | 'mac'>,
): Promise<void> {
  await db.query(
    `update receipts set state = 'closed', vendor_id = null, mac = $2, decided_by = $3, proposed_by = $4, decided_at = now()
     where receipt_id = $1`,
    [row.receiptId, row.mac, row.decidedBy, row.proposedBy],
  );
}

/** No vendor has the receipt any more, and nobody has decided about it. The caller holds its lock. */
export async function setUnclaimed(
  db: Queryable,
  row: Pick<ReceiptRow, 'receiptId' | 'mac'>,
): Promise<void> {
  await db.query(
    `update receipts set state = 'unmatched', vendor_id = null, mac = $2, decided_by = null,
       decided_at = null, proposed_by = null
     where receipt_id = $1`,
    [row.receiptId, row.mac],
  );
}

/** Returns false if this claim has ended. */
export async function endClaim(
  db: Queryable,
  { receiptId, moves }: Pick<ReceiptRow, 'receiptId' | 'moves'>,
  state: 'credited' | 'disputed',
): Promise<boolean> {
  const updated = await db.query(
    `update receipts set state = $2 where receipt_id = $1 and state = 'claimed' and moves = $3`,
    [receiptId, state, moves],
  );
  return updated.rowCount === 1;
}

/** Returns false if it was booked as unallocated before. */
export async function setUnallocated(db: Queryable, receiptId: string): Promise<boolean> {
  const updated = await db.query(
    'update receipts set is_unallocated = true where receipt_id = $1 and not is_unallocated',
    [receiptId],
  );
  return updated.rowCount === 1;
}

/** The caller holds the receipt's lock. */
export async function setReversed(db: Queryable, receiptId: string, at: Date): Promise<void> {
  await db.query('update receipts set reversed_at = $2 where receipt_id = $1', [receiptId, at]);
}

/** Keeps the report. Returns false if an equal one of the same channel was kept before. */
export async function insertReport(
  db: Queryable,
  receiptId: string,
  report: ReceiptReport,
): Promise<boolean> {
  const inserted = await db.query(
    `insert into receipt_reports (receipt_id, source_code, channel, amount_cents, account, paid_at,
       reported_at)
     values ($1, $2, $3, $4, $5, $6, now()) on conflict do nothing`,
    [
      receiptId,
      report.sourceCode,
      report.channel,
      report.amountCents,
      report.account ?? '',
      report.paidAt,
    ],
  );
  return inserted.rowCount === 1;
}

/** A line of a bank statement as it is kept. */
export interface BankLine {
  readonly bookedAt: Date;
  /** Below zero: it left the account. */
  readonly amountCents: bigint;
  /** Its number among lines with the same content. */
  readonly nth: number;
  readonly kind: string;
  readonly issuer: string;
  readonly receipt: string;
  readonly reference: string;
}

/** Keeps lines of a statement. Those that are known change nothing. */
export async function insertBankLines(
  db: Queryable,
  { bank, sourceCode }: { readonly bank: string; readonly sourceCode: string },
  lines: readonly BankLine[],
): Promise<void> {
  await db.query(
    `insert into bank_lines (bank, source_code, reported_at, booked_at, amount_cents, nth, kind, issuer,
       receipt, reference)
     select $1, $2, now(), u.* from unnest($3::timestamptz[], $4::bigint[], $5::integer[], $6::text[],
       $7::text[], $8::text[], $9::text[]) u
     on conflict do nothing`,
    [
      ...[bank, sourceCode, lines.map(({ bookedAt }) => bookedAt)],
      ...[lines.map(({ amountCents }) => amountCents), lines.map(({ nth }) => nth)],
      ...[lines.map(({ kind }) => kind), lines.map(({ issuer }) => issuer)],
      ...[lines.map(({ receipt }) => receipt), lines.map(({ reference }) => reference)],
    ],
  );
}

/** Keeps a debit of a bank statement whose credit is not known. */
export async function insertDebit(db: Queryable, report: ReceiptReport): Promise<void> {
  const { issuer, receipt, amountCents, sourceCode, paidAt } = report;
  await db.query(
    `insert into receipt_debits (issuer, receipt, amount_cents, source_code, booked_at, reported_at)
     values ($1, $2, $3, $4, $5, now()) on conflict do nothing`,
    [issuer, receipt, amountCents, sourceCode, paidAt],
  );
}

export async function insertReceiptEvent(
  db: Queryable,
  receiptId: string,
  event: ReceiptEvent,
): Promise<string> {
  const eventId = newId();
  await db.query(
    `insert into receipt_events (receipt_id, event_id, at, action, actor, detail)
     values ($1, $2, clock_timestamp(), $3, $4, $5)`,
    [receiptId, eventId, event.action, event.actor, JSON.stringify(event.detail)],
  );
  return eventId;
}
