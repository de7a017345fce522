import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';

/** A vendor's fees without VAT. */
interface UntaxedFees {
  readonly vendorId: number;
  /** Less what was given back. */
  readonly feesCents: bigint;
}

/**
 * The fee of a payment and its VAT have the same source and the same time, and so have both parts of a
 * correction. Without the time, the transfers of all time would be read.
 */
const UNTAXED = `(f.debit_account in ('fees', 'excise') or f.credit_account in ('fees', 'excise'))
    and not exists (select from transfers v
      where v.bucket = f.bucket and v.vendor_id = f.vendor_id and v.source_id = f.source_id
        and v.created_at >= $1 and v.created_at < $2 and 'vat' in (v.debit_account, v.credit_account))
  group by f.vendor_id`;

const SUM = `select f.vendor_id as "vendorId",
    sum(case when f.credit_account in ('fees', 'excise') then f.amount_cents else -f.amount_cents end)::bigint
      as "feesCents"`;

const OF_ALL = `${SUM}
  from transfers f
  where f.created_at >= $1 and f.created_at < $2 and f.vendor_id = any ($3::integer[]) and ${UNTAXED}`;

const OF_CORRECTIONS = `${SUM}
  from corrections c join transfers f
    on f.bucket = c.bucket and f.vendor_id = c.vendor_id and f.source_id = c.correction_id
  where c.posted_at >= $1 and c.posted_at < $2 and c.vendor_id = any ($3::integer[]) and ${UNTAXED}`;

/**
 * The fees without VAT, in cents, of vendors who have any. Reads transfers themselves, because sums of
 * accounts do not say which fees VAT belongs to.
 * @param vendors `ofAll`: those whose payments may have fees without VAT; reads all their transfers.
 * `ofCorrections`: those of whom only corrections may; reads these.
 */
export async function readUntaxedFees(
  db: Queryable,
  { from, to }: BookPeriod,
  vendors: { readonly ofAll: readonly number[]; readonly ofCorrections: readonly number[] },
): Promise<ReadonlyMap<number, bigint>> {
  const read = async (sql: string, vendorIds: readonly number[]): Promise<UntaxedFees[]> =>
    vendorIds.length === 0 ? [] : await queryByBucket<UntaxedFees>(db, sql, [from, to, vendorIds]);
  const found = [
    ...(await read(OF_ALL, vendors.ofAll)),
    ...(await read(OF_CORRECTIONS, vendors.ofCorrections)),
  ];
  return new Map(found.map(({ vendorId, feesCents }) => [vendorId, feesCents]));
}

const FURTHER_PARTS = `select f.vendor_id as "vendorId",
    (count(*) - count(distinct f.source_id))::integer as count
  from corrections c join transfers f
    on f.bucket = c.bucket and f.vendor_id = c.vendor_id and f.source_id = c.correction_id
  where c.posted_at >= $1 and c.posted_at < $2 and c.vendor_id = any ($3::integer[])
    and f.credit_account = 'vat'
  group by f.vendor_id`;

/**
 * Transfers of VAT that are the second or third part of a charge, of these vendors: what a correction charges
 * may come from a vendor's float in part, and become a debt in part.
 */
export async function countFurtherParts(
  db: Queryable,
  { from, to }: BookPeriod,
  vendorIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (vendorIds.length === 0) return new Map();
  const found = await queryByBucket<{ vendorId: number; count: number }>(db, FURTHER_PARTS, [
    from,
    to,
    vendorIds,
  ]);
  return new Map(found.map(({ vendorId, count }) => [vendorId, count]));
}
