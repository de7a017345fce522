import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { SpanCursor } from '../../platform/db/search-by-time.ts';

/** A transfer of a vendor's books, as stored. */
export interface EntryRow {
  createdAt: Date;
  /** The time to the microsecond, in ISO 8601. */
  createdAtExactly: string;
  /** Vendor 0: our own accounts. */
  vendorId: number;
  sourceId: string;
  leg: number;
  debitAccount: string;
  creditAccount: string;
  amountCents: bigint;
}

/** Where the next page begins: after this transfer. */
export interface EntryCursor extends SpanCursor {
  readonly vendorId: number;
  readonly sourceId: string;
  readonly leg: number;
}

/** Columns of an entry, from transfers `f`. */
export const ENTRY = `select f.created_at as "createdAt",
       to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAtExactly",
       f.vendor_id as "vendorId", f.source_id as "sourceId", f.leg::integer as leg,
       f.debit_account as "debitAccount", f.credit_account as "creditAccount",
       f.amount_cents as "amountCents"
     from transfers f`;

/** Transfers of a span of time to or from an account, newest first. */
export async function listEntriesOfSpan(
  db: Queryable,
  filter: { readonly account: string; readonly vendorId: number | null },
  { from, before, limit }: { from: Date; before: EntryCursor; limit: number },
): Promise<EntryRow[]> {
  const listed = await db.query<EntryRow>(
    `${ENTRY}
     where f.created_at >= $1 and f.created_at <= $4 and $2 in (f.debit_account, f.credit_account)
       and ($3::integer is null or f.bucket = bucket_of($3) and f.vendor_id = $3)
       and (f.created_at, f.vendor_id, f.source_id, f.leg)
         < ($4::timestamptz, $5::integer, $6::uuid, $7::integer)
     order by f.created_at desc, f.vendor_id desc, f.source_id desc, f.leg desc limit $8`,
    [
      from,
      filter.account,
      filter.vendorId,
      before.createdAt,
      before.vendorId,
      before.sourceId,
      before.leg,
      limit,
    ],
  );
  return listed.rows;
}

type Source = Pick<EntryRow, 'vendorId' | 'sourceId'>;

export interface PaymentSource {
  vendorId: number;
  sourceId: string;
  billerCode: string;
  merchantReference: string | null;
  /** Null: not known yet. */
  operatorCode: string | null;
  /** The operator's. */
  billerReference: string | null;
}

/** Finds the sources that are payments, archived or not. */
export async function findPaymentSources(
  db: Queryable,
  sources: readonly Source[],
): Promise<PaymentSource[]> {
  const found: PaymentSource[] = [];
  for (const { bucket, items } of await groupByBucket(db, sources)) {
    const read = await db.query<PaymentSource>(
      `select vendor_id as "vendorId", payment_id as "sourceId", biller_code as "billerCode",
         merchant_reference as "merchantReference", operator_code as "operatorCode",
         biller_reference as "billerReference"
       from payments
       where bucket = $1 and vendor_id = any ($2) and payment_id = any ($3)
       union all
       select vendor_id, payment_id, biller_code, merchant_reference, operator_code, biller_reference
       from archived_payments
       where bucket = $1 and vendor_id = any ($2) and payment_id = any ($3)`,
      [bucket, vendorsOf(items), idsOf(items)],
    );
    found.push(...read.rows);
  }
  return found;
}

export interface CorrectionSource {
  vendorId: number;
  sourceId: string;
  caseId: string;
  paymentId: string | null;
}

/** Finds the sources that are corrections. */
export async function findCorrectionSources(
  db: Queryable,
  sources: readonly Source[],
): Promise<CorrectionSource[]> {
  const found: CorrectionSource[] = [];
  for (const { bucket, items } of await groupByBucket(db, sources)) {
    const read = await db.query<CorrectionSource>(
      `select vendor_id as "vendorId", correction_id as "sourceId", case_id as "caseId",
         payment_id as "paymentId"
       from corrections
       where bucket = $1 and vendor_id = any ($2) and correction_id = any ($3)`,
      [bucket, vendorsOf(items), idsOf(items)],
    );
    found.push(...read.rows);
  }
  return found;
}

export interface CollectionSource {
  sourceId: string;
  collector: string;
  reference: string;
}

/** Finds the sources that are collected income. They have the time of their transfer. */
export async function findCollectionSources(
  db: Queryable,
  sources: readonly (Source & { readonly createdAt: Date })[],
): Promise<CollectionSource[]> {
  if (sources.length === 0) return [];
  const times = sources.map(({ createdAt }) => createdAt.getTime());
  const read = await db.query<CollectionSource>(
    `select collection_id as "sourceId", collector, reference from collections
     where created_at >= $1 and created_at < $2 and collection_id = any ($3)`,
    [new Date(Math.min(...times)), new Date(Math.max(...times) + 1), idsOf(sources)],
  );
  return read.rows;
}

const vendorsOf = (items: readonly Source[]): number[] => [
  ...new Set(items.map(({ vendorId }) => vendorId)),
];
const idsOf = (items: readonly Source[]): string[] => items.map(({ sourceId }) => sourceId);
