import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { collectionText, correctionText } from '../ledger/authenticity.ts';
import type { Violation } from './check.ts';

const PAGE_ROWS = 5_000;

/** Money enters the ledger by collections and corrections: both carry an authentication code. */
export async function checkAuthenticity(
  db: Queryable,
  mac: Mac,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.('collections_authentic');
  const collections = await checkCollections(db, mac);
  onInvariant?.('corrections_authentic');
  return [...collections, ...(await checkCorrections(db, mac))];
}

interface CollectionRow {
  collector: string;
  reference: string;
  vendor_id: number;
  collection_id: string;
  amount_cents: bigint;
  paid_at: Date;
  created_at: Date;
  mac: Buffer | null;
}

async function checkCollections(db: Queryable, mac: Mac): Promise<Violation[]> {
  const violations: Violation[] = [];
  await db.query(
    `declare collections_to_check no scroll cursor for
     select collector, reference, vendor_id, collection_id, amount_cents, paid_at, created_at, mac
     from collections`,
  );
  for (;;) {
    const page = await db.query<CollectionRow>(`fetch ${PAGE_ROWS} from collections_to_check`);
    for (const row of page.rows) {
      const text = collectionText({
        collector: row.collector,
        reference: row.reference,
        vendorId: row.vendor_id,
        collectionId: row.collection_id,
        amountCents: row.amount_cents,
        paidAt: row.paid_at,
        createdAt: row.created_at,
      });
      if (mac.verify(text, row.mac)) continue;
      violations.push({
        invariant: 'collections_authentic',
        vendorId: row.vendor_id,
        detail: `collection ${row.collection_id} (reference ${row.reference} of collector ${row.collector}): ${faultOf(row.mac)}`,
      });
    }
    if (page.rows.length < PAGE_ROWS) break;
  }
  await db.query('close collections_to_check');
  return violations;
}

interface CorrectionRow {
  vendor_id: number;
  correction_id: string;
  case_id: string;
  payment_id: string | null;
  resolution: string;
  amount_cents: bigint;
  posted_at: Date;
  outcome_after: string | null;
  proposed_by: string | null;
  resolved_by: string | null;
  mac: Buffer | null;
}

async function checkCorrections(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<CorrectionRow>(
    `select c.vendor_id, c.correction_id, c.case_id, c.payment_id, c.resolution, c.amount_cents,
       c.posted_at, c.outcome_after, c.mac, k.proposed_by, k.resolved_by
     from corrections c left join cases k on k.case_id = c.case_id`,
  );
  return read.rows
    .filter((row) => {
      const text = correctionText({
        vendorId: row.vendor_id,
        correctionId: row.correction_id,
        caseId: row.case_id,
        paymentId: row.payment_id,
        resolution: row.resolution,
        amountCents: row.amount_cents,
        postedAt: row.posted_at,
        outcomeAfter: row.outcome_after,
        proposedBy: row.proposed_by,
        approvedBy: row.resolved_by,
      });
      return !mac.verify(text, row.mac);
    })
    .map((row) => ({
      invariant: 'corrections_authentic',
      vendorId: row.vendor_id,
      detail: `correction ${row.correction_id} of case ${row.case_id}: ${faultOf(row.mac)}`,
    }));
}

function faultOf(mac: Buffer | null): string {
  return mac === null
    ? 'it was not made by the service: it has no authentication code'
    : 'it is not what the service made: its authentication code does not fit';
}
