-- Moves what new payments cost, fee included, from the floats of their vendors to `reserved`; with p_sign -1, back.
-- Locks the floats, in vendor order. Raises FLOAT if a float is too low: then the caller rolls back, and locks all of
-- them before it decides.
create or replace function reserve_amounts(
  p_bucket integer,
  p_payments new_payment[],
  -- Vendors that are left out. They have one payment each.
  p_short integer[],
  p_sign integer
) returns void
language plpgsql
as $$
declare
  v_moved bigint;
begin
  if cardinality(p_short) = cardinality(p_payments) then
    return;
  end if;

  with moved as (
    update accounts a
    set balance_cents = a.balance_cents + case a.account when 'float' then -c.cents else c.cents end
    from (
      select p.vendor_id, p_sign * sum(p.amount_cents + p.fee_cents)::bigint as cents, count(*) as payments
      from unnest(p_payments) p where p.vendor_id <> all (p_short)
      group by p.vendor_id having sign(min(p.number)) = 1 order by p.vendor_id
    ) c
    where a.bucket = p_bucket and a.vendor_id = c.vendor_id and a.account in ('float', 'reserved')
      and (a.account = 'reserved' or a.balance_cents >= c.cents)
    returning c.payments
  )
  select coalesce(sum(m.payments), 0) into v_moved from moved m;

  if v_moved <> 2 * (cardinality(p_payments) - cardinality(p_short)) then
    raise exception 'a float is too low' using errcode = 'FLOAT';
  end if;
end
$$;
