import type { Queryable } from '../../platform/db/pool.ts';

// As `collectionReference` names them.
const referenceAfter = (moves: string): string =>
  `case when r.issuer = 'mpesa' then r.receipt else r.issuer || '/' || r.receipt end
    || case when ${moves} = 0 then '' else '→' || ${moves} end`;

/** SQL: whether the collection `c` is the present one of the receipt `r`. */
export const IS_COLLECTION_OF_RECEIPT = `c.collector = r.collector and c.reference = ${referenceAfter('r.moves')}`;

/** SQL: how much of a receipt went back, of a case about it. */
export const REVERSED_CENTS = `coalesce((facts ->> 'reversed_cents')::bigint, 0)`;

/** Sums what undecided reversals of credited receipts take from what the vendor's books still hold, in cents. */
export async function readTakenBackCents(db: Queryable, vendorId: number): Promise<bigint> {
  const read = await db.query<{ receiptId: string; cents: bigint }>(
    `select evidence_id as "receiptId", ${REVERSED_CENTS} as cents from cases
     where bucket = bucket_of($1) and vendor_id = $1 and kind = 'receipt_reversed' and resolved_at is null`,
    [vendorId],
  );
  const receiptIds = read.rows.map((row) => row.receiptId);
  const kept = await readKeptReceipts(db, vendorId, receiptIds);
  return read.rows.reduce((sum, { receiptId, cents }) => {
    const left = kept.get(receiptId) ?? 0n;
    return sum + (left < cents ? left : cents);
  }, 0n);
}

/**
 * Adds money that went back to the open case about the receipt. A proposal for it cannot be approved any more. Returns
 * false if none is open.
 */
export async function addReversal(
  db: Queryable,
  { vendorId, receiptId }: { readonly vendorId: number; readonly receiptId: string },
  { note, cents }: { readonly note: string; readonly cents: bigint },
): Promise<boolean> {
  const updated = await db.query(
    `update cases set facts = facts || jsonb_build_object('reversed_cents', ${REVERSED_CENTS} + $3::bigint,
       'note', concat_ws('; ', facts ->> 'note', $4::text))
     where bucket = bucket_of($1) and vendor_id = $1 and evidence_id = $2 and kind = 'receipt_reversed'
       and resolved_at is null`,
    [vendorId, receiptId, cents, note],
  );
  return updated.rowCount === 1;
}

/**
 * Sums what a vendor's books still hold of receipts, in cents: what was collected, less what two people
 * have taken back. Without those that were never collected for this vendor.
 */
export async function readKeptReceipts(
  db: Queryable,
  vendorId: number,
  receiptIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  // Also what vendors had that had the receipt before, with a look-up in the index for each. Separately from the
  // corrections, because on a cluster the tables are on different nodes.
  const collected = await db.query<{ receiptId: string; cents: bigint }>(
    `select r.receipt_id as "receiptId", sum(c.amount_cents)::bigint as cents
     from receipts r cross join lateral generate_series(0, r.moves) n
       join collections c on c.collector = r.collector and c.reference = ${referenceAfter('n')}
     where r.receipt_id = any ($2::uuid[]) and c.vendor_id = $1
     group by r.receipt_id`,
    [vendorId, receiptIds],
  );
  const takenBack = await db.query<{ receiptId: string; cents: bigint }>(
    `select c.evidence_id as "receiptId", sum(k.amount_cents)::bigint as cents
     from cases c join corrections k
       on k.bucket = c.bucket and k.vendor_id = c.vendor_id and k.case_id = c.case_id
     where c.bucket = bucket_of($1) and c.vendor_id = $1 and c.evidence_id = any ($2::uuid[])
       and k.resolution = 'take_back'
     group by c.evidence_id`,
    [vendorId, receiptIds],
  );
  const kept = new Map(collected.rows.map((row) => [row.receiptId, row.cents]));
  for (const { receiptId, cents } of takenBack.rows) {
    kept.set(receiptId, (kept.get(receiptId) ?? 0n) - cents);
  }
  return kept;
}

interface OpenReceiptCase {
  caseId: string;
  facts: Record<string, unknown>;
  /** The amount that went back to the payer, if the case is about a reversal. */
  reversedCents: bigint;
}

/** The open case of this kind about a vendor's receipt; undefined: none. */
export async function findOpenReceiptCase(
  db: Queryable,
  about: {
    readonly vendorId: number;
    readonly receiptId: string;
    readonly kind: 'receipt_conflict' | 'receipt_reversed';
  },
): Promise<OpenReceiptCase | undefined> {
  const found = await db.query<OpenReceiptCase>(
    `select case_id as "caseId", facts, ${REVERSED_CENTS} as "reversedCents" from cases
     where bucket = bucket_of($1) and vendor_id = $1 and evidence_id = $2 and kind = $3 and resolved_at is null`,
    [about.vendorId, about.receiptId, about.kind],
  );
  return found.rows[0];
}
