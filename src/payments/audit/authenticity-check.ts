import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { collectionText, correctionText } from '../ledger/authenticity.ts';
import { houseTransferText } from '../house/transfer.ts';
import type { PostedTransfer } from '../house/transfer.ts';
import type { Violation } from './check.ts';

const PAGE_ROWS = 5_000;

/** What lets money into the books carries an authentication code. */
export async function checkAuthenticity(
  db: Queryable,
  mac: Mac,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.('collections_authentic');
  const collections = await checkCollections(db, mac);
  onInvariant?.('corrections_authentic');
  const corrections = await checkCorrections(db, mac);
  onInvariant?.('house_authentic');
  return [...collections, ...corrections, ...(await checkHouse(db, mac))];
}

interface CollectionRow {
  collector: string;
  reference: string;
  vendorId: number;
  collectionId: string;
  amountCents: bigint;
  paidAt: Date;
  createdAt: Date;
  mac: Buffer | null;
}

async function checkCollections(db: Queryable, mac: Mac): Promise<Violation[]> {
  const violations: Violation[] = [];
  await db.query(
    `declare collections_to_check no scroll cursor for
     select collector, reference, vendor_id as "vendorId", collection_id as "collectionId",
       amount_cents as "amountCents", paid_at as "paidAt", created_at as "createdAt", mac
     from collections`,
  );
  for (;;) {
    const page = await db.query<CollectionRow>(`fetch ${PAGE_ROWS} from collections_to_check`);
    for (const row of page.rows) {
      const text = collectionText({
        collector: row.collector,
        reference: row.reference,
        vendorId: row.vendorId,
        collectionId: row.collectionId,
        amountCents: row.amountCents,
        paidAt: row.paidAt,
        createdAt: row.createdAt,
      });
      if (mac.verify(text, row.mac)) continue;
      violations.push({
        invariant: 'collections_authentic',
        vendorId: row.vendorId,
        detail: `collection ${row.collectionId} (reference ${row.reference} of collector ${row.collector}): ${faultOf(row.mac)}`,
      });
    }
    if (page.rows.length < PAGE_ROWS) break;
  }
  await db.query('close collections_to_check');
  return violations;
}

interface CorrectionRow {
  vendorId: number;
  correctionId: string;
  caseId: string;
  paymentId: string | null;
  resolution: string;
  amountCents: bigint;
  postedAt: Date;
  outcomeAfter: string | null;
  proposedBy: string | null;
  resolvedBy: string | null;
  mac: Buffer | null;
}

async function checkCorrections(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<CorrectionRow>(
    // The case may be another vendor's, in another bucket.
    `with made as materialized (select * from corrections),
       decided as materialized (select case_id, proposed_by, resolved_by from cases)
     select c.vendor_id as "vendorId", c.correction_id as "correctionId", c.case_id as "caseId",
      c.payment_id as "paymentId", c.resolution, c.amount_cents as "amountCents",
       c.posted_at as "postedAt", c.outcome_after as "outcomeAfter", c.mac,
         k.proposed_by as "proposedBy", k.resolved_by as "resolvedBy"
     from made c left join decided k on k.case_id = c.case_id`,
  );
  return read.rows
    .filter((row) => {
      const text = correctionText({
        vendorId: row.vendorId,
        correctionId: row.correctionId,
        caseId: row.caseId,
        paymentId: row.paymentId,
        resolution: row.resolution,
        amountCents: row.amountCents,
        postedAt: row.postedAt,
        outcomeAfter: row.outcomeAfter,
        proposedBy: row.proposedBy,
        approvedBy: row.resolvedBy,
      });
      return !mac.verify(text, row.mac);
    })
    .map((row) => ({
      invariant: 'corrections_authentic',
      vendorId: row.vendorId,
      detail: `correction ${row.correctionId} of case ${row.caseId}: ${faultOf(row.mac)}`,
    }));
}

type HouseRow = PostedTransfer & { readonly mac: Buffer | null };

async function checkHouse(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<HouseRow>(
    `select t.transfer_id as "transferId", t.source, t.source_id as "sourceId",
       t.debit_account as "debitAccount", t.credit_account as "creditAccount",
       t.amount_cents as "amountCents", t.moved_at as "movedAt", t.posted_at as "postedAt", t.mac,
       e.proposed_by as "proposedBy", e.decided_by as "approvedBy"
     from house_transfers t left join house_entries e
       on t.source = 'entry' and e.entry_id = t.source_id`,
  );
  return read.rows
    .filter((row) => !mac.verify(houseTransferText(row), row.mac))
    .map((row) => ({
      invariant: 'house_authentic',
      vendorId: 0,
      detail: `house transfer ${row.transferId}: ${faultOf(row.mac)}`,
    }));
}

function faultOf(mac: Buffer | null): string {
  return mac === null
    ? 'it was not made by the service: it has no authentication code'
    : 'it was altered: its authentication code does not match';
}
