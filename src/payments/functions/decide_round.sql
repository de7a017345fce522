-- Decides new payments that do not depend on each other: reserves what they cost, stores and queues what can be
-- accepted, and gives back what was reserved for the others. Returns the time, and a decision for each of the others.
create or replace function decide_round(
  p_bucket integer,
  p_payments new_payment[],
  -- Vendors whose float is too low. They have one payment each.
  p_short integer[],
  -- Null: the floats have not been locked. Then this takes the time after it has locked them, and returns null, with
  -- nothing done, if a float is too low.
  p_at timestamptz
) returns create_decision[]
language plpgsql
as $$
declare
  v_repeated boolean := false;
  v_now timestamptz := p_at;
  v_numbers integer[];
  v_refused new_payment[];
  v_time create_decision[];
begin
  loop
    begin
      perform reserve_amounts(p_bucket, p_payments, p_short, 1);
      -- From here on no other call moves money of these vendors or creates payments for them.
      if p_at is null then
        v_now := clock_timestamp();
      end if;
      v_numbers := refused_payments(p_bucket, p_payments, p_short, v_repeated, v_now);
      if v_numbers is null or cardinality(v_numbers) < cardinality(p_payments) then
        perform store_payments(p_bucket, p_payments, v_numbers, v_now);
      end if;
      exit;
    exception
      when unique_violation then
        -- Only a call whose answer was lost has stored these ids, so they are not looked up every time.
        if v_repeated then raise; end if;
        v_repeated := true;
      when sqlstate 'FLOAT' then
        if p_at is not null then raise; end if;
        return null;
    end;
  end loop;

  v_time := array[row(0, 'time', null, v_now, null)::create_decision];
  if v_numbers is null then
    return v_time;
  end if;
  v_refused := array(select p from unnest(p_payments) p where p.number = any (v_numbers));
  perform reserve_amounts(p_bucket, v_refused, p_short, -1);
  return v_time || explain_refusals(p_bucket, v_refused, p_short, v_now);
end
$$;
