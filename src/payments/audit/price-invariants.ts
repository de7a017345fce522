import type { Invariant } from './invariant.ts';

/** The cost of an amount by a recorded price. @param amount SQL of the amount that the operator executed. */
const costOf = (amount: string): string => `share_of(${amount}, p.cost_cents, p.cost_bps)`;
const commissionOf = (amount: string): string =>
  `least(share_of(${amount}, p.commission_cents, p.commission_bps), ${amount})`;

/**
 * The transfers that recorded prices require. Whether the recorded prices are right is checked by
 * price-check.ts.
 * @param payments SQL of all payments, archived ones included.
 */
export function priceInvariants(payments: string): readonly Invariant[] {
  return [operatorPricesPosted(payments), CORRECTED_BY_PRICE];
}

function operatorPricesPosted(payments: string): Invariant {
  return {
    name: 'operator_prices_posted',
    says: 'With each payment that an operator executed, the cost and the commission of the recorded price were posted, and no others.',
    sql: `select coalesce(e.vendor_id, f.vendor_id) as "vendorId",
            format('payment %s: transfer %s is %s from %s to %s instead of %s from %s to %s',
              coalesce(e.payment_id, f.source_id), coalesce(e.leg, f.leg), coalesce(f.amount_cents, 0),
              f.debit_account, f.credit_account, coalesce(e.amount_cents, 0), e.debit_account,
              e.credit_account) as detail
          from (
            select t.bucket, t.vendor_id, t.payment_id, c.*
            from ${payments} t join operator_prices p on p.version = t.operator_price
              join transfers r on r.bucket = t.bucket and r.vendor_id = t.vendor_id
                and r.source_id = t.payment_id and r.leg = 2 and r.debit_account = 'reserved'
                and r.credit_account = 'operator:' || t.operator_code
              cross join lateral (
                select 8 as leg, 'cost:' || t.operator_code as debit_account,
                  'operator:' || t.operator_code as credit_account,
                  ${costOf('r.amount_cents')} as amount_cents
                union all
                select 9,
                  case when p.commission_netted then 'operator:' else 'commission_due:' end || t.operator_code,
                  'commission:' || t.operator_code, ${commissionOf('r.amount_cents')}
              ) c
            where c.amount_cents > 0
          ) e full join (
            select * from transfers where leg in (8, 9)
          ) f on f.bucket = e.bucket and f.vendor_id = e.vendor_id and f.source_id = e.payment_id
            and f.leg = e.leg
          where (e.debit_account, e.credit_account, e.amount_cents)
            is distinct from (f.debit_account, f.credit_account, f.amount_cents)`,
  };
}

/**
 * The corrections that say that the operator's terms differ from the recorded price. When all of the payment was
 * returned, they came back with it.
 */
const TERMS_DIFFER = `select x.correction_id from corrections x where x.bucket = t.bucket
                    and x.vendor_id = t.vendor_id and x.payment_id = t.payment_id
                    and x.resolution = 'terms_differ' and not exists (
                      select from corrections y where y.bucket = t.bucket and y.vendor_id = t.vendor_id
                        and y.payment_id = t.payment_id and y.outcome_after = 'failed'
                        and y.posted_at > x.posted_at)`;

const CORRECTED_BY_PRICE: Invariant = {
  name: 'corrected_by_price',
  says: 'After corrections a successful payment has its fee and taxes, a failed one none, and its cost and commission are those of the amount that the ledger still counts as paid, and what two people decided to differ.',
  sql: `select t.vendor_id as "vendorId",
            format('payment %s: fee %s, VAT %s, excise %s, cost %s, commission %s, of which due %s', t.payment_id, m.fee,
              m.vat, m.excise, m.cost, m.commission, m.due) as detail
          from (
            select distinct bucket, vendor_id, payment_id from corrections where payment_id is not null
          ) c join payments t
              on t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id
            cross join lateral (
              select coalesce(sum(s.change) filter (where s.account = 'fees'), 0) as fee,
                coalesce(sum(s.change) filter (where s.account = 'vat'), 0) as vat,
                coalesce(sum(s.change) filter (where s.account = 'excise'), 0) as excise,
                coalesce(-sum(s.change) filter (where s.account like 'cost:%'), 0) as cost,
                coalesce(sum(s.change) filter (where s.account like 'commission:%'), 0) as commission,
                coalesce(-sum(s.change) filter (where s.account like 'commission_due:%'), 0) as due,
                coalesce(sum(s.change) filter (where s.account = 'operator:' || t.operator_code
                  and s.other not like 'cost:%' and s.other not like 'commission:%'), 0)::bigint as paid,
                coalesce(-sum(s.change) filter (where s.account like 'cost:%' and f.source_id in (
                  ${TERMS_DIFFER})), 0) as other_cost,
                coalesce(sum(s.change) filter (where s.account like 'commission:%' and f.source_id in (
                  ${TERMS_DIFFER})), 0) as other_commission
              from transfers f cross join lateral (
                values (f.debit_account, f.credit_account, -f.amount_cents),
                  (f.credit_account, f.debit_account, f.amount_cents)
              ) s (account, other, change)
              where f.bucket = t.bucket and f.vendor_id = t.vendor_id and f.source_id in (
                select t.payment_id union all select x.correction_id from corrections x
                where x.bucket = t.bucket and x.vendor_id = t.vendor_id and x.payment_id = t.payment_id)
            ) m
            left join lateral (
              select ${costOf('m.paid')} as cost, ${commissionOf('m.paid')} as commission,
                p.commission_netted as is_netted
              from operator_prices p where p.version = t.operator_price and m.paid > 0
            ) e on true
          cross join lateral (select excise_of(t.fee_cents, t.vat_cents, t.fee_price) as cents) x
          where (m.fee, m.vat, m.excise, m.cost, m.commission, m.due) is distinct from (
            case when t.outcome = 'success' then t.fee_cents - t.vat_cents - x.cents else 0 end,
            case when t.outcome = 'success' then t.vat_cents else 0 end,
            case when t.outcome = 'success' then x.cents else 0 end,
            coalesce(e.cost, 0) + case when m.paid > 0 then m.other_cost else 0 end,
            coalesce(e.commission, 0) + case when m.paid > 0 then m.other_commission else 0 end,
            case when e.is_netted then 0 else coalesce(e.commission, 0) end)`,
};
