import { isWrittenAlike, plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Reversal } from './reversals.ts';
import type { Doubt, ReceiptReport, ReceiptState } from './receipt.ts';

export interface ReceiptRow {
  issuer: string;
  receipt: string;
  receiptId: string;
  sourceCode: string;
  collector: string;
  /** The account of ours that the money came to, without `bank:`. */
  bank: string;
  /** It is booked as money whose vendor is not known. */
  isUnallocated: boolean;
  account: string | null;
  payer: string | null;
  amountCents: bigint;
  paidAt: Date;
  /** The provider gave no time that could be read: `paidAt` is when its first report arrived. */
  isArrivalTime: boolean;
  receivedAt: Date;
  vendorId: number | null;
  state: ReceiptState;
  doubt: Doubt | null;
  reversedAt: Date | null;
  /** Number of times that it was moved to another vendor. */
  moves: number;
  /** The amount with which it was moved last; null: never. */
  movedCents: bigint | null;
  /** The decision's proposer, decider and time. */
  proposedBy: string | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  mac: Buffer;
}

export const COLUMNS = `issuer, receipt, receipt_id as "receiptId", source_code as "sourceCode", collector,
  bank, is_unallocated as "isUnallocated", account, payer, amount_cents as "amountCents", paid_at as "paidAt", is_arrival_time as "isArrivalTime",
  received_at as "receivedAt", vendor_id as "vendorId", state, doubt, reversed_at as "reversedAt", moves, moved_cents as "movedCents",
  proposed_by as "proposedBy", decided_by as "decidedBy", decided_at as "decidedAt", mac`;

/** SQL: the number as `plainReference` makes it, as indexed. */
export const PLAIN_NUMBER = "lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g'))";

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
