import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';

/** A vendor's fees that VAT belongs to. */
interface TaxedFees {
  readonly vendorId: number;
  /** Without VAT, less what was given back. */
  readonly feesCents: bigint;
}

/** The fee of a payment and its VAT have the same source, and so have both parts of a correction. */
const TAXED_FEES = `
  select f.vendor_id as "vendorId",
    sum(case when f.credit_account = 'fees' then f.amount_cents else -f.amount_cents end)::bigint
      as "feesCents"
  from transfers f
  where f.created_at >= $1 and f.created_at < $2 and f.vendor_id = any ($3::integer[])
    and 'fees' in (f.debit_account, f.credit_account)
    and exists (select from transfers v
      where v.bucket = f.bucket and v.vendor_id = f.vendor_id and v.source_id = f.source_id
        and 'vat' in (v.debit_account, v.credit_account))
  group by f.vendor_id`;

/**
 * The taxed fees of these vendors, read from the transfers themselves: sums of accounts do not say which
 * fees VAT belongs to.
 */
export async function readTaxedFees(
  db: Queryable,
  { from, to }: BookPeriod,
  vendorIds: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  if (vendorIds.length === 0) return new Map();
  const read = await queryByBucket<TaxedFees>(db, TAXED_FEES, [from, to, vendorIds]);
  return new Map([
    ...vendorIds.map((vendorId) => [vendorId, 0n] as const),
    ...read.map(({ vendorId, feesCents }) => [vendorId, feesCents] as const),
  ]);
}
