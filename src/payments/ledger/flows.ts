import { isIncomeSql, isVendorsMoneySql } from './account.ts';

/** Income, or what the vendor had at another system. */
const INCOMING = `(x.debit_account = 'opening' or x.credit_account = 'collected' and ${isIncomeSql('x.debit_account')})`;

/**
 * SQL that lists every transfer as closed days count it: once for the vendor's own money
 * (`operator_code` ''; that is `VENDORS_MONEY` together), and once for each operator
 * side (operator:<code>, receivable:<code>).
 *
 * For the vendor's money net = in − payments − fees − vat − payouts + corrections. Refunds are reservations that
 * returned to the float; they are within it, for information.
 * Excise duty is counted with VAT. For an operator net = payments + costs − commissions + corrections: what it took from our float. A commission
 * that it pays later is not in it. Refunds are what corrections returned to floats; they are within corrections.
 * @param transfers SQL of rows like transfers.
 */
export const flowsOf = (transfers: string): string => `(
  select x.created_at, x.vendor_id,
    case when x.side = 0 then '' else split_part(x.account, ':', 2) end as operator_code,
    x.net_cents,
    case when x.side = 0 and ${INCOMING}
      then x.amount_cents else 0 end as in_cents,
    case when x.debit_account = 'reserved' and (x.side <> 0 or x.credit_account like 'operator:%')
      then x.amount_cents else 0 end as payments_cents,
    case when x.side = 0 and x.debit_account = 'reserved' and x.credit_account = 'fees'
      then x.amount_cents else 0 end as fees_cents,
    case when x.side = 0 and x.debit_account = 'reserved' and x.credit_account in ('vat', 'excise')
      then x.amount_cents else 0 end as vat_cents,
    -- What a payout takes from exposure was spent before.
    case when x.side = 0 and x.credit_account like 'bank:%' then -x.net_cents else 0 end as payouts_cents,
    case when x.other like 'cost:%' then x.net_cents else 0 end as costs_cents,
    case when x.other like 'commission:%' then -x.net_cents else 0 end as commissions_cents,
    case when (x.side <> 0 or x.debit_account = 'reserved') and x.credit_account = 'float'
      then x.amount_cents else 0 end as refunds_cents,
    case when x.debit_account = 'reserved'
        or x.side = 0 and ${INCOMING}
        or x.side = 0 and x.credit_account like 'bank:%'
        or x.other like 'cost:%' or x.other like 'commission:%'
      then 0 else x.net_cents end as corrections_cents
  from (
    -- Side 0: the vendor's own money. One select, because Citus rejects a union here.
    select f.created_at, f.vendor_id, f.debit_account, f.credit_account, f.amount_cents, k.side,
      case when k.side < 0 then f.debit_account when k.side > 0 then f.credit_account end as account,
      case when k.side < 0 then f.credit_account when k.side > 0 then f.debit_account end as other,
      f.amount_cents * case when k.side <> 0 then k.side
        else (${isVendorsMoneySql('f.credit_account')})::integer
          - (${isVendorsMoneySql('f.debit_account')})::integer end as net_cents
    from ${transfers} f cross join (values (0), (-1), (1)) as k (side)
  ) x
  where x.side = 0 or x.account like 'operator:%' or x.account like 'receivable:%'
)`;

export const FLOWS = flowsOf('transfers');
