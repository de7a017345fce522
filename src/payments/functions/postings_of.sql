-- The transfers of settlements, one branch for each kind. At most the instructed amount is posted; the rest returns
-- to the float. The recorded fee stays. The operator's charge and commission follow from the price of the attempt
-- and the posted amount. A commission is at most that amount, so that a payment never lowers the balance of the
-- operator's account.
create or replace function postings_of(p_settlements settlement[]) returns posting[]
language plpgsql
as $$
begin
  return array(
    select row(s.vendor_id, s.payment_id, 2, 'reserved', 'float', s.amount_cents + s.fee_cents)::posting
    from unnest(p_settlements) s where s.outcome = 'failed'
    union all
    select row(s.vendor_id, s.payment_id, 2, 'reserved', 'operator:' || s.operator_code,
      least(s.paid_cents, s.amount_cents))::posting
    from unnest(p_settlements) s where s.outcome = 'success'
    union all
    select row(s.vendor_id, s.payment_id, l.leg, 'reserved', l.credit, l.amount)::posting
    from unnest(p_settlements) s
      cross join lateral (select case when s.fee_price is null then 0
        else excise_of(s.fee_cents, s.vat_cents, s.fee_price) end as cents offset 0) excise
      cross join lateral (values
        (3, 'fees', s.fee_cents - s.vat_cents - excise.cents),
        (10, 'excise', excise.cents)
      ) l (leg, credit, amount)
    where s.outcome = 'success' and l.amount > 0
    union all
    select row(s.vendor_id, s.payment_id, 4, 'reserved', 'float', s.amount_cents - s.paid_cents)::posting
    from unnest(p_settlements) s where s.outcome = 'success' and s.paid_cents < s.amount_cents
    union all
    select row(s.vendor_id, s.payment_id, 5, 'reserved', 'vat', s.vat_cents)::posting
    from unnest(p_settlements) s where s.outcome = 'success' and s.vat_cents > 0
    union all
    select row(s.vendor_id, s.payment_id, l.leg, l.debit, l.credit, l.amount)::posting
    from unnest(p_settlements) s
      cross join lateral (select * from operator_prices p where p.version = s.operator_price limit 1) p
      cross join lateral (select least(s.paid_cents, s.amount_cents) as cents) posted
      cross join lateral (values
        (8, 'cost:' || s.operator_code, 'operator:' || s.operator_code,
          share_of(posted.cents, p.cost_cents, p.cost_bps)),
        (9, case when p.commission_netted then 'operator:' else 'commission_due:' end || s.operator_code,
          'commission:' || s.operator_code,
          least(share_of(posted.cents, p.commission_cents, p.commission_bps), posted.cents))
      ) l (leg, debit, credit, amount)
    where s.outcome = 'success' and l.amount > 0);
end
$$;
