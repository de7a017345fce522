-- Decides new payments: see create_payments. Payments that depend on each other are decided in rounds, as are those
-- of a vendor whose float does not cover them all: one in each round, in their order.
create or replace function decide_payments(p_bucket integer, p_payments new_payment[]) returns create_decision[]
language plpgsql
as $$
declare
  v_decisions create_decision[];
  v_short integer[];
  v_now timestamptz;
  v_round new_payment[];
begin
  if p_payments[1].round is null then
    v_decisions := decide_round(p_bucket, p_payments, '{}', null);
    if v_decisions is not null then
      return v_decisions;
    end if;
  end if;

  v_short := lock_floats(p_bucket, p_payments);
  v_now := clock_timestamp();
  if p_payments[1].round is null and not exists (
    select from unnest(p_payments) p
    where p.vendor_id = any (v_short) group by p.vendor_id having count(*) > 1
  ) then
    return decide_round(p_bucket, p_payments, v_short, v_now);
  end if;

  v_decisions := array[row(0, 'time', null, v_now, null)::create_decision];
  for v_round in
    select array_agg(n.payment order by n.number) from (
      select p as payment, p.number, case when p.vendor_id = any (v_short)
        then row_number() over (partition by p.vendor_id order by p.number)
        else coalesce(p.round, 1) end as round
      from unnest(p_payments) p
    ) n group by n.round order by n.round
  loop
    v_decisions := v_decisions
      || (decide_round(p_bucket, v_round, lock_floats(p_bucket, v_round), v_now))[2:];
  end loop;
  return v_decisions;
end
$$;
