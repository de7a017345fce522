-- Accepts a batch of payments: one call, one commit. Decides each row as if the batch were taken one by
-- one, in this order:
--   repeated            this payment_id exists: an earlier call was committed and its answer was lost
--   replayed            the merchant reference exists with the same content: the first answer again
--   reference_reused    the merchant reference exists with other content
--   likely_duplicate    the row asks for the check, and an equal payment was created in the last 30 s
--   insufficient_float  the float does not cover amount and fee
--   accepted
-- Returns first a row 0 with the batch's time, which is created_at of what was accepted, then one row
-- for every row that was not accepted now. `unexplained` is a bug: the caller must fail.
-- Locks: the vendors' float rows, in vendor order; whoever moves their money locks them in the same
-- order. Isolation: READ COMMITTED. Idempotent by payment_id.
--
-- p_sequential: rows of the batch may depend on each other (equal payment_ids or references, or equal
-- content of which one is checked); the caller knows. Then all rows are decided by this same function,
-- called with one row at a time, and otherwise only those of vendors whose float does not cover their
-- rows. The remaining rows cannot influence each other and are decided together.
-- p_at is for these inner calls only; a time before or after this call is refused.
-- The runtime role may not insert payments or queue rows, so this is its only way to create them, and
-- always together with their reservation (src/payments/grants.ts).
create or replace function create_payments(
  p_vendor_ids integer[],
  p_payment_ids uuid[],
  p_references text[],
  p_billers text[],
  p_accounts text[],
  p_phones text[],
  p_amounts bigint[],
  p_fees bigint[],
  p_checks boolean[],
  p_sequential boolean,
  p_at timestamptz default null
) returns table (row_number integer, decision text, known_id uuid, known_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_rows constant integer := cardinality(p_payment_ids);
  v_now timestamptz;
  v_step bigint;
  v_short integer[];
  -- Vendors whose rows are decided one by one, and the number of the other rows.
  v_apart integer[] := '{}';
  v_together integer := v_rows;
  v_accepted_count integer;
  v_accepted uuid[];
begin
  if p_at < now() or p_at > clock_timestamp() then
    raise exception 'p_at is not a time of this call';
  end if;

  -- From here on nobody else moves money of these vendors or creates payments for them.
  select array_agg(w.vendor_id) filter (where coalesce(l.balance_cents, 0) < w.total) into v_short
  from (
    select u.vendor_id, sum(u.amount + u.fee) as total
    from unnest(p_vendor_ids, p_amounts, p_fees) as u (vendor_id, amount, fee)
    group by u.vendor_id order by u.vendor_id
  ) w left join lateral (
    select a.balance_cents from accounts a
    where a.vendor_id = w.vendor_id and a.account = 'float' for update
  ) l on true;

  v_now := coalesce(p_at, clock_timestamp());
  row_number := 0; decision := 'time'; known_at := v_now;
  return next;

  if v_rows > 1 and (p_sequential or v_short is not null) then
    v_apart := case when p_sequential then p_vendor_ids else v_short end;
    for i in 1..v_rows loop
      continue when p_vendor_ids[i] <> all (v_apart);
      v_together := v_together - 1;
      return query select i, d.decision, d.known_id, d.known_at
      from create_payments(p_vendor_ids[i:i], p_payment_ids[i:i], p_references[i:i],
        p_billers[i:i], p_accounts[i:i], p_phones[i:i], p_amounts[i:i], p_fees[i:i],
        p_checks[i:i], false, v_now) d
      where d.row_number = 1;
    end loop;
    if v_together = 0 then
      return;
    end if;
  end if;

  -- A duplicate key is the time in steps of 32 s above a hash of the content: look-ups by equality find
  -- everything of the last 30 s.
  v_step := floor(extract(epoch from v_now) / 32)::bigint << 32;

  -- Here a vendor that is short has the only row of the call, or its rows were decided above.
  insert into payments (vendor_id, payment_id, merchant_reference, biller_code, account,
    phone, amount_cents, fee_cents, duplicate_key, created_at)
  select w.vendor_id, w.payment_id, w.reference, w.biller, w.account,
    w.phone, w.amount, w.fee, v_step | content_hash(w.biller, w.account, w.amount), v_now
  from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones, p_amounts,
      p_fees, p_checks)
    as w (vendor_id, payment_id, reference, biller, account, phone, amount, fee, checked)
  where (v_short is null or w.vendor_id <> all (v_short))
    and not (w.checked and exists (
      select from payments t
      where t.vendor_id = w.vendor_id
        and t.duplicate_key = any (duplicate_keys(v_step, content_hash(w.biller, w.account, w.amount)))
        and t.biller_code = w.biller and t.account = w.account and t.amount_cents = w.amount
        and t.created_at > v_now - interval '30 seconds'))
  on conflict do nothing;
  get diagnostics v_accepted_count = row_count;

  if v_accepted_count between 1 and v_rows - 1 then
    -- Limit, so that whatever the planner believes of the table, it looks up by index.
    select array_agg(w.payment_id) into v_accepted
    from unnest(p_vendor_ids, p_payment_ids) as w (vendor_id, payment_id)
      cross join lateral (
        select from payments t
        where t.vendor_id = w.vendor_id and t.payment_id = w.payment_id and t.created_at = v_now
        limit 1
      ) t
    where w.vendor_id <> all (v_apart);
  end if;

  if v_accepted_count > 0 then
    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents,
      created_at)
    select w.vendor_id, w.payment_id, 1, 'float', 'reserved', w.amount + w.fee, v_now
    from unnest(p_vendor_ids, p_payment_ids, p_amounts, p_fees)
      as w (vendor_id, payment_id, amount, fee)
    where v_accepted_count = v_rows or w.payment_id = any (v_accepted);

    insert into dispatch_queue (vendor_id, biller_code, payment_id, account, phone, amount_cents,
      due_at)
    select w.vendor_id, w.biller, w.payment_id, w.account, w.phone, w.amount, v_now
    from unnest(p_vendor_ids, p_payment_ids, p_billers, p_accounts, p_phones, p_amounts)
      as w (vendor_id, payment_id, biller, account, phone, amount)
    where v_accepted_count = v_rows or w.payment_id = any (v_accepted);

    update accounts a set balance_cents = a.balance_cents + m.change
    from (
      select s.vendor_id, x.account, x.sign * s.total as change
      from (
        select u.vendor_id, sum(u.amount + u.fee)::bigint as total
        from unnest(p_vendor_ids, p_payment_ids, p_amounts, p_fees)
          as u (vendor_id, payment_id, amount, fee)
        where v_accepted_count = v_rows or u.payment_id = any (v_accepted)
        group by u.vendor_id
      ) s cross join (values ('float', -1), ('reserved', 1)) x (account, sign)
    ) m
    where a.vendor_id = m.vendor_id and a.account = m.account;
  end if;

  if v_accepted_count = v_together then
    return;
  end if;
  return query
  select w.number::integer,
    case
      when own.payment_id is not null then 'repeated'
      when same.biller_code = w.biller and same.account = w.account
        and same.amount_cents = w.amount and same.phone is not distinct from w.phone then 'replayed'
      when same.payment_id is not null then 'reference_reused'
      when twin.payment_id is not null then 'likely_duplicate'
      when v_short is not null then 'insufficient_float'
      else 'unexplained'
    end,
    coalesce(own.payment_id, same.payment_id, twin.payment_id),
    coalesce(own.created_at, same.created_at, twin.created_at)
  from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones, p_amounts,
      p_checks) with ordinality
    as w (vendor_id, payment_id, reference, biller, account, phone, amount, checked, number)
    left join lateral (
      select payment_id, created_at from payments
      where vendor_id = w.vendor_id and payment_id = w.payment_id limit 1
    ) own on true
    left join lateral (
      select payment_id, created_at, biller_code, account, amount_cents, phone from payments
      where vendor_id = w.vendor_id and merchant_reference = w.reference limit 1
    ) same on true
    left join lateral (
      select t.payment_id, t.created_at from payments t
      where t.vendor_id = w.vendor_id and w.checked
        and t.duplicate_key = any (duplicate_keys(v_step, content_hash(w.biller, w.account, w.amount)))
        and t.biller_code = w.biller and t.account = w.account and t.amount_cents = w.amount
        and t.created_at > v_now - interval '30 seconds'
      order by t.created_at desc limit 1
    ) twin on true
  where w.vendor_id <> all (v_apart)
    and (v_accepted is null or w.payment_id <> all (v_accepted));
end
$$;
revoke all on function create_payments(integer[], uuid[], text[], text[], text[], text[], bigint[],
  bigint[], boolean[], boolean, timestamptz) from public;
