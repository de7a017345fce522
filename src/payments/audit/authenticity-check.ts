import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  collectionText,
  correctionText,
  openingText,
  payoutText,
  receiptText,
} from '../ledger/authenticity.ts';
import type {
  CollectionContent,
  CorrectionContent,
  OpeningContent,
  PayoutContent,
  ReceiptContent,
} from '../ledger/authenticity.ts';
import { houseTransferText } from '../house/transfer.ts';
import type { PostedTransfer } from '../house/transfer.ts';
import { ACCOUNTS_INVARIANT, checkAccounts } from './accounts-check.ts';
import { checkPhones, PHONES_INVARIANT } from './disbursements-check.ts';
import { checkReferenceFiles, REFERENCES_INVARIANT } from './references-check.ts';
import type { Violation } from './violation.ts';

const PAGE_ROWS = 5_000;

/** Rows that bring money into the ledger carry an authentication code. */
export async function checkAuthenticity(
  db: Queryable,
  mac: Mac,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.('collections_authentic');
  const collections = await checkCollections(db, mac);
  onInvariant?.('receipts_authentic');
  const receipts = await checkReceipts(db, mac);
  onInvariant?.(ACCOUNTS_INVARIANT.name);
  const accounts = await checkAccounts(db, mac);
  onInvariant?.('corrections_authentic');
  const corrections = await checkCorrections(db, mac);
  onInvariant?.('payouts_authentic');
  const payouts = await checkPayouts(db, mac);
  onInvariant?.('openings_authentic');
  const openings = await checkVendorOpenings(db, mac);
  onInvariant?.(PHONES_INVARIANT.name);
  const phones = await checkPhones(db, mac);
  onInvariant?.(REFERENCES_INVARIANT.name);
  const references = await checkReferenceFiles(db, mac);
  onInvariant?.('house_authentic');
  const house = await checkHouse(db, mac);
  return [
    ...collections,
    ...receipts,
    ...accounts,
    ...corrections,
    ...payouts,
    ...openings,
    ...phones,
    ...references,
    ...house,
  ];
}

type CollectionRow = CollectionContent & { mac: Buffer | null };
type ReceiptRow = ReceiptContent & { mac: Buffer | null };

async function checkCollections(db: Queryable, mac: Mac): Promise<Violation[]> {
  await db.query(
    `declare collections_to_check no scroll cursor for
     select collector, reference, vendor_id as "vendorId", collection_id as "collectionId",
       amount_cents as "amountCents", paid_at as "paidAt", created_at as "createdAt", account, mac
     from collections`,
  );
  const violations = await checkPages(
    async () => await db.query<CollectionRow>(`fetch ${PAGE_ROWS} from collections_to_check`),
    (row) => {
      if (mac.verify(collectionText(row), row.mac)) return undefined;
      return {
        invariant: 'collections_authentic',
        vendorId: row.vendorId,
        detail: `collection ${row.collectionId} (reference ${row.reference} of collector ${row.collector}): ${faultOf(row.mac)}`,
      };
    },
  );
  await db.query('close collections_to_check');
  return violations;
}

async function checkReceipts(db: Queryable, mac: Mac): Promise<Violation[]> {
  await db.query(
    `declare receipts_to_check no scroll cursor for
     select issuer, receipt, receipt_id as "receiptId", source_code as "sourceCode", collector, bank,
       amount_cents as "amountCents", paid_at as "paidAt", account, vendor_id as "vendorId", state,
       proposed_by as "proposedBy", decided_by as "decidedBy", moves, moved_cents as "movedCents", mac
     from receipts`,
  );
  const violations = await checkPages(
    async () => await db.query<ReceiptRow>(`fetch ${PAGE_ROWS} from receipts_to_check`),
    (row) => {
      if (mac.verify(receiptText(row), row.mac)) return undefined;
      return {
        invariant: 'receipts_authentic',
        vendorId: row.vendorId ?? 0,
        detail: `receipt ${row.receipt} of ${row.issuer}: ${faultOf(row.mac)}`,
      };
    },
  );
  await db.query('close receipts_to_check');
  return violations;
}

/** The violations among the rows of a cursor, in constant memory. */
async function checkPages<Row>(
  fetchPage: () => Promise<{ readonly rows: readonly Row[] }>,
  check: (row: Row) => Violation | undefined,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (;;) {
    const { rows } = await fetchPage();
    violations.push(...rows.map(check).filter((violation) => violation !== undefined));
    if (rows.length < PAGE_ROWS) return violations;
  }
}

interface CorrectionRow extends Omit<CorrectionContent, 'approvedBy'> {
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

type PayoutRow = PayoutContent & { mac: Buffer | null };

async function checkPayouts(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<PayoutRow>(
    `select vendor_id as "vendorId", payout_id as "payoutId", amount_cents as "amountCents",
       bank, bank_account as "bankAccount", reference, evidence, note, proposed_by as "proposedBy",
       decided_by as "approvedBy", posted_at as "postedAt", mac
     from vendor_payouts`,
  );
  return read.rows
    .filter((row) => !mac.verify(payoutText(row), row.mac))
    .map((row) => ({
      invariant: 'payouts_authentic',
      vendorId: row.vendorId,
      detail: `payout ${row.payoutId}: ${faultOf(row.mac)}`,
    }));
}

async function checkVendorOpenings(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<OpeningContent & { mac: Buffer }>(
    `select vendor_id as "vendorId", import_id as "importId", collected_cents as "collectedCents",
       float_cents as "floatCents", has_references as "hasReferences", valued_at as "valuedAt",
       posted_at as "postedAt", mac
     from vendor_openings`,
  );
  return read.rows
    .filter((row) => !mac.verify(openingText(row), row.mac))
    .map((row) => ({
      invariant: 'openings_authentic',
      vendorId: row.vendorId,
      detail: `opening ${row.importId}: ${faultOf(row.mac)}`,
    }));
}

type HouseRow = PostedTransfer & { readonly mac: Buffer | null };

async function checkHouse(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<HouseRow>(
    `select t.transfer_id as "transferId", t.source, t.source_id as "sourceId",
       t.part::integer as part, t.debit_account as "debitAccount", t.credit_account as "creditAccount",
       t.amount_cents as "amountCents", t.moved_at as "movedAt", t.posted_at as "postedAt", t.mac,
       coalesce(e.proposed_by, j.proposed_by) as "proposedBy",
       coalesce(e.decided_by, j.decided_by) as "approvedBy",
       case t.source when 'entry' then array[e.reference, e.note]
         when 'journal' then array[j.reference, j.note, j.evidence] end as texts
     from house_transfers t
       left join house_entries e on t.source = 'entry' and e.entry_id = t.source_id
       left join house_journals j on t.source = 'journal' and j.journal_id = t.source_id`,
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
