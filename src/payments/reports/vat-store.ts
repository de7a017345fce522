import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';

/** What was posted to a vendor's accounts `vat` and `fees` in a period, in cents. */
export interface VatRow {
  readonly vendorId: number;
  /** Charges, and what corrections gave back. */
  readonly charges: number;
  readonly chargedCents: bigint;
  readonly returnedCents: bigint;
  /** Fees without VAT, less what was given back. */
  readonly feesCents: bigint;
}

const VAT = `
  select f.vendor_id as "vendorId", (count(*) filter (where f.credit_account = 'vat'))::integer as charges,
    coalesce(sum(f.amount_cents) filter (where f.credit_account = 'vat'), 0)::bigint as "chargedCents",
    coalesce(sum(f.amount_cents) filter (where f.debit_account = 'vat'), 0)::bigint as "returnedCents",
    sum(case when f.credit_account = 'fees' then f.amount_cents
      when f.debit_account = 'fees' then -f.amount_cents else 0 end)::bigint as "feesCents"
  from transfers f
  where f.created_at >= $1 and f.created_at < $2
    and (f.debit_account in ('vat', 'fees') or f.credit_account in ('vat', 'fees'))
  group by f.vendor_id`;

/** By vendor. The caller's database transaction may take long. */
export async function readVat(db: Queryable, { from, to }: BookPeriod): Promise<VatRow[]> {
  await db.query('set local statement_timeout = 0');
  return await queryByBucket<VatRow>(db, VAT, [from, to]);
}
