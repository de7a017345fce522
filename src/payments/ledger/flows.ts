/**
 * SQL that lists every transfer as closed days count it: once for the vendor's own money
 * (`operator_code` ''; that is collected, float and reserved together), and once for each operator
 * side (operator:<code>, receivable:<code>). net = in − payments − fees + corrections for the
 * first, payments + corrections for the others; refunds are within the vendor's money, for
 * information.
 */
export const FLOWS = `(
  select f.created_at, f.vendor_id, s.*
  from transfers f cross join lateral (
    select '' as operator_code, n.net_cents,
      case when f.debit_account = 'external' and f.credit_account = 'collected'
        then f.amount_cents else 0 end as in_cents,
      case when f.debit_account = 'reserved' and f.credit_account like 'operator:%'
        then f.amount_cents else 0 end as payments_cents,
      case when f.debit_account = 'reserved' and f.credit_account = 'fees'
        then f.amount_cents else 0 end as fees_cents,
      case when f.debit_account = 'reserved' and f.credit_account = 'float'
        then f.amount_cents else 0 end as refunds_cents,
      case when f.debit_account = 'reserved' or f.debit_account = 'external' and f.credit_account = 'collected'
        then 0 else n.net_cents end as corrections_cents
    from (select f.amount_cents * ((f.credit_account in ('collected', 'float', 'reserved'))::integer
      - (f.debit_account in ('collected', 'float', 'reserved'))::integer) as net_cents) n
    union all
    select split_part(side.account, ':', 2), side.sign * f.amount_cents, 0,
      case when f.debit_account = 'reserved' then f.amount_cents else 0 end, 0,
      case when f.credit_account = 'float' then f.amount_cents else 0 end,
      case when f.debit_account = 'reserved' then 0 else side.sign * f.amount_cents end
    from (values (f.debit_account, -1), (f.credit_account, 1)) as side (account, sign)
    where side.account like 'operator:%' or side.account like 'receivable:%'
  ) s
)`;
