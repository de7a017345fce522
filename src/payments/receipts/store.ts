import { isWrittenAlike, plainReference } from '../../platform/base/written-alike.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Reversal } from './reversals.ts';
import type { Doubt, Receipt, ReceiptReport, ReceiptState } from './receipt.ts';

export interface ReceiptRow {
  issuer: string;
  receipt: string;
  receiptId: string;
  sourceCode: string;
  collector: string;
  account: string | null;
  payer: string | null;
  amountCents: bigint;
  paidAt: Date;
  receivedAt: Date;
  vendorId: number | null;
  state: ReceiptState;
  doubt: Doubt | null;
  reversedAt: Date | null;
  /** How often it was moved to another vendor. */
  moves: number;
  /** The amount with which it was moved last; null: never. */
  movedCents: bigint | null;
  /** The decision's proposer, decider and time. */
  proposedBy: string | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  mac: Buffer;
}

const COLUMNS = `issuer, receipt, receipt_id as "receiptId", source_code as "sourceCode", collector,
  account, payer, amount_cents as "amountCents", paid_at as "paidAt", received_at as "receivedAt",
  vendor_id as "vendorId", state, doubt, reversed_at as "reversedAt", moves, moved_cents as "movedCents",
  proposed_by as "proposedBy", decided_by as "decidedBy", decided_at as "decidedAt", mac`;

/** SQL: the number as `plainReference` makes it, as indexed. */
export const PLAIN_NUMBER = "lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g'))";

/** Returns false if the issuer's receipt is known already. */
export async function insertReceipt(
  db: Queryable,
  row: Receipt & {
    readonly state: ReceiptState;
    readonly doubt: Doubt | null;
    readonly mac: Buffer;
  },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into receipts (issuer, receipt, receipt_id, source_code, collector, account, payer,
       amount_cents, paid_at, received_at, vendor_id, state, mac, batch, doubt, named, is_day_only)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), $10, $11, $12, $13, $14, $15, $16) on conflict do nothing`,
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

export async function findReceipt(
  db: Queryable,
  issuer: string,
  receipt: string,
): Promise<ReceiptRow | undefined> {
  const found = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts where issuer = $1 and receipt = $2`,
    [issuer, receipt],
  );
  return found.rows[0];
}

/** Reads the receipts of a bank's entry: the entry as one receipt, or its parts. */
export async function listReceiptsOfEntry(
  db: Queryable,
  issuer: string,
  entry: string,
): Promise<ReceiptRow[]> {
  const listed = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts where issuer = $1 and (receipt = $2 or batch = $2)
     order by receipt`,
    [issuer, entry],
  );
  return listed.rows;
}

/** Finds the numbers that some receipt already has. */
export async function listKnownNumbers(
  db: Queryable,
  numbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const listed = await db.query<{ receipt: string }>(
    `select distinct receipt from receipts where ${PLAIN_NUMBER} = any ($1) and receipt = any ($2)`,
    [numbers.map(plainReference), numbers],
  );
  return new Set(listed.rows.map(({ receipt }) => receipt));
}

/** Every receipt with this number; several only if issuers use the same one. */
export async function findReceipts(db: Queryable, receipt: string): Promise<ReceiptRow[]> {
  const alike = await findReceiptsLike(db, receipt);
  return alike.filter((row) => row.receipt === receipt);
}

/** Every receipt whose number may be this one in another spelling; those of vendors first. */
export async function findReceiptsLike(db: Queryable, receipt: string): Promise<ReceiptRow[]> {
  const found = await listNumbered(db, [plainReference(receipt)]);
  return found.filter((row) => isWrittenAlike(row.receipt, receipt));
}

/** Every receipt with one of these numbers, as `plainReference` makes them; those of vendors first. */
export async function listNumbered(
  db: Queryable,
  numbers: readonly string[],
): Promise<ReceiptRow[]> {
  const found = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts where ${PLAIN_NUMBER} = any ($1)
     order by vendor_id is null, issuer, receipt`,
    [numbers],
  );
  return found.rows;
}

/** SQL: where the receipt of the id $1 stands; of null before all. */
const PLACE_OF = `coalesce((select received_at from receipts where receipt_id = $1), '-infinity'),
       coalesce($1, '00000000-0000-0000-0000-000000000000')`;

/** Receipts of a state, oldest first. */
export async function listReceipts(
  db: Queryable,
  filter: {
    readonly states: readonly ReceiptState[];
    /** The id of the last one before; null: from the beginning. */
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<ReceiptRow[]> {
  const listed = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts
     where state = any ($2) and (received_at, receipt_id) > (${PLACE_OF})
     order by received_at, receipt_id limit $3`,
    [filter.after, filter.states, filter.limit],
  );
  return listed.rows;
}

/**
 * Claimed receipts that were not credited at once: their process ended, or the database did. Oldest
 * first.
 * @param page.after the receipt id of the last one before; null: from the beginning.
 */
export async function listLeftClaims(
  db: Queryable,
  page: { readonly after: string | null; readonly limit: number },
): Promise<ReceiptRow[]> {
  const listed = await db.query<ReceiptRow>(
    `select ${COLUMNS} from receipts
     where state = 'claimed' and (received_at, receipt_id) > (${PLACE_OF})
     order by received_at, receipt_id limit $2`,
    [page.after, page.limit],
  );
  return listed.rows;
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

/** The caller holds the receipt's lock. */
export async function setReversed(db: Queryable, receiptId: string, at: Date): Promise<void> {
  await db.query('update receipts set reversed_at = $2 where receipt_id = $1', [receiptId, at]);
}

/** The reversals of a receipt that were reported, oldest first. */
export async function listReversals(
  db: Queryable,
  { receiptId }: Pick<ReceiptRow, 'receiptId'>,
): Promise<Reversal[]> {
  const listed = await db.query<Reversal>(
    `select (detail ->> 'cents')::bigint as cents, detail ->> 'reporter' as reporter, detail ->> 'key' as key,
       (detail ->> 'repeat')::boolean as "isRepeat", (detail ->> 'reversed_at')::timestamptz as "reversedAt"
     from receipt_events where receipt_id = $1 and action = 'reversed' order by at, event_id`,
    [receiptId],
  );
  return listed.rows;
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

/** True if an equal report of the same channel was kept: `insertReport` would keep nothing. */
export async function wasReported(
  db: Queryable,
  receiptId: string,
  { sourceCode, channel, amountCents, account, paidAt }: ReceiptReport,
): Promise<boolean> {
  const found = await db.query(
    `select from receipt_reports where receipt_id = $1 and source_code = $2 and channel = $3
       and amount_cents = $4 and account = $5 and paid_at = $6`,
    [receiptId, sourceCode, channel, amountCents, account ?? '', paidAt],
  );
  return found.rowCount === 1;
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

/**
 * True if a statement has listed a debit with this number (in any spelling) and amount, whoever its
 * issuer is said to be.
 */
export async function isDebited(
  db: Queryable,
  { receipt, amountCents }: Pick<ReceiptReport, 'receipt' | 'amountCents'>,
): Promise<boolean> {
  const found = await db.query<{ receipt: string }>(
    `select receipt from receipt_debits where ${PLAIN_NUMBER} = $1 and amount_cents = $2`,
    [plainReference(receipt), amountCents],
  );
  return found.rows.some((row) => isWrittenAlike(row.receipt, receipt));
}

export interface ReceiptReportRow {
  sourceCode: string;
  channel: ReceiptReport['channel'];
  amountCents: bigint;
  account: string;
  paidAt: Date;
  reportedAt: Date;
}

export async function listReports(db: Queryable, receiptId: string): Promise<ReceiptReportRow[]> {
  const listed = await db.query<ReceiptReportRow>(
    `select source_code as "sourceCode", channel, amount_cents as "amountCents", account,
       paid_at as "paidAt", reported_at as "reportedAt"
     from receipt_reports where receipt_id = $1 order by reported_at, source_code, channel`,
    [receiptId],
  );
  return listed.rows;
}

export interface ReceiptEvent {
  readonly action:
    | 'claimed'
    | 'credited'
    | 'disputed'
    | 'conflict'
    | 'reversed'
    | 'proposed'
    | 'rejected'
    | 'approved';
  /** A person, or the channel that reported. */
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function insertReceiptEvent(
  db: Queryable,
  receiptId: string,
  event: ReceiptEvent,
): Promise<void> {
  await db.query(
    `insert into receipt_events (receipt_id, event_id, at, action, actor, detail)
     values ($1, $2, clock_timestamp(), $3, $4, $5)`,
    [receiptId, newId(), event.action, event.actor, JSON.stringify(event.detail)],
  );
}

/** True if two people have closed the receipt. The runtime role cannot remove that. */
export async function wasClosed(db: Queryable, receiptId: string): Promise<boolean> {
  const found = await db.query(
    `select from receipt_events
     where receipt_id = $1 and action = 'approved' and detail ->> 'decision' = 'close' limit 1`,
    [receiptId],
  );
  return found.rowCount === 1;
}

export async function listReceiptEvents(
  db: Queryable,
  receiptId: string,
): Promise<(ReceiptEvent & { readonly at: Date })[]> {
  const listed = await db.query<ReceiptEvent & { readonly at: Date }>(
    `select at, action, actor, detail from receipt_events where receipt_id = $1
     order by at, event_id`,
    [receiptId],
  );
  return listed.rows;
}

/** The receipts of one state that still need something. */
export interface OpenReceipts {
  readonly state: ReceiptState;
  readonly count: number;
  readonly amountCents: bigint;
}

export async function countOpenReceipts(db: Queryable): Promise<OpenReceipts[]> {
  const counted = await db.query<OpenReceipts>(
    `select state, count(*)::integer as count, sum(amount_cents)::bigint as "amountCents"
     from receipts where state not in ('credited', 'closed') group by state`,
  );
  return counted.rows;
}
