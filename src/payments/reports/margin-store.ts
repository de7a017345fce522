import type { Queryable } from '../../platform/db/pool.ts';
import { isOwnTermsAccountSql } from '../ledger/account.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';

/** What a margin can be listed by. */
export const DIMENSIONS = ['biller', 'operator', 'vendor', 'day'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** All in cents, and corrections included. */
export interface MarginSums {
  /** Payments that succeeded, less those that corrections made fail. */
  readonly payments: number;
  /** What went to operators for vendors. */
  readonly amountCents: bigint;
  /** Without VAT. */
  readonly feesCents: bigint;
  readonly vatCents: bigint;
  readonly costCents: bigint;
  readonly commissionCents: bigint;
}

export interface MarginRow extends MarginSums {
  /** Null: not listed by it. */
  readonly day: string | null;
  readonly vendorId: number | null;
  readonly billerCode: string | null;
  readonly operatorCode: string | null;
}

/**
 * Each transfer counts on its own day, also a correction. Fees belong to the operator that executed the
 * payment.
 */
const MARGINS = `
  select case when $3 then to_char(m.at at time zone $7, 'YYYY-MM-DD') end as day,
    case when $4 then m.vendor_id end as "vendorId",
    case when $5 then coalesce(p.biller_code, a.biller_code) end as "billerCode",
    case when $6 then coalesce(m.operator_code, p.operator_code, a.operator_code) end as "operatorCode",
    sum(m.count)::integer as payments, sum(m.amount)::bigint as "amountCents",
    sum(m.fee)::bigint as "feesCents", sum(m.vat)::bigint as "vatCents",
    sum(m.cost)::bigint as "costCents", sum(m.commission)::bigint as "commissionCents"
  from (
    select f.bucket, f.vendor_id, coalesce(c.payment_id, f.source_id) as payment_id, f.created_at as at,
      nullif(split_part(s.account, ':', 2), '') as operator_code,
      (f.leg = 2 and f.debit_account = 'reserved' and s.account like 'operator:%')::integer as count,
      case when s.account like 'operator:%' then s.change else 0 end as amount,
      case when s.account = 'fees' then s.change else 0 end as fee,
      case when s.account = 'vat' then s.change else 0 end as vat,
      case when s.account like 'cost:%' then -s.change else 0 end as cost,
      case when s.account like 'commission:%' then s.change else 0 end as commission
    from transfers f
      left join corrections c on c.bucket = f.bucket and c.vendor_id = f.vendor_id
        and c.correction_id = f.source_id
      cross join lateral (
        values (f.debit_account, f.credit_account, -f.amount_cents),
          (f.credit_account, f.debit_account, f.amount_cents)
      ) s (account, other, change)
    where f.created_at >= $1 and f.created_at < $2 and f.vendor_id <> 0
      and (s.account in ('fees', 'vat') or s.account like 'cost:%' or s.account like 'commission:%'
        or s.account like 'operator:%' and not ${isOwnTermsAccountSql('s.other')})
    union all
    select bucket, vendor_id, payment_id, posted_at, null,
      case outcome_after when 'success' then 1 else -1 end, 0, 0, 0, 0, 0
    from corrections
    where posted_at >= $1 and posted_at < $2 and vendor_id <> 0 and outcome_after is not null
  ) m
    left join payments p
      on p.bucket = m.bucket and p.vendor_id = m.vendor_id and p.payment_id = m.payment_id
    left join archived_payments a
      on a.bucket = m.bucket and a.vendor_id = m.vendor_id and a.payment_id = m.payment_id
  group by 1, 2, 3, 4`;

/** Sums of the transfers with from <= time < to. The caller's database transaction may take long. */
export async function readMargins(
  db: Queryable,
  period: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  by: ReadonlySet<Dimension>,
): Promise<MarginRow[]> {
  await db.query('set local statement_timeout = 0');
  return await queryByBucket<MarginRow>(db, MARGINS, [
    period.from,
    period.to,
    by.has('day'),
    by.has('vendor'),
    by.has('biller'),
    by.has('operator'),
    period.timeZone,
  ]);
}
