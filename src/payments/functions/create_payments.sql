-- Commits a batch of creates: one call, one commit, decisions equal to taking the rows one by one.
--
-- Decisions, in this order, for each row:
--   5  this very payment_id exists already (an earlier call was committed, its answer got lost)
--   1  the reference exists with the same content: the first answer again
--   2  the reference exists with other content: the first payment is named
--   3  an equal payment of the last 30 seconds exists and the row asks for the check
--   4  the float does not cover amount and fee
--   0  accepted
-- Returns a row 0 with the batch's time, which is created_at of what was accepted, and one row for
-- each row of the batch that was not accepted now.
--
-- p_sequential: rows of this batch may depend on each other (equal references, or equal content
-- where the duplicate check applies); the caller knows. The batch is also taken row by row when a
-- vendor's float does not cover all of its rows. Otherwise rows cannot influence each other and one
-- statement does it all.

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
  p_sequential boolean
) returns table (row_number integer, decision smallint, known_id uuid, known_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_bucket bigint;
  v_fits boolean;
  v_row record;
  v_known record;
  v_float bigint;
begin
  -- From here on nobody else moves money of these vendors or creates payments for them.
  select coalesce(bool_and(w.total <= coalesce(l.balance_cents, 0)), true) into v_fits
  from (
    select u.vendor_id, sum(u.amount + u.fee) as total
    from unnest(p_vendor_ids, p_amounts, p_fees) as u (vendor_id, amount, fee)
    group by u.vendor_id order by u.vendor_id
  ) w left join lateral (
    select a.balance_cents from accounts a
    where a.vendor_id = w.vendor_id and a.account = 'float' for update
  ) l on true;

  v_now := clock_timestamp();
  v_bucket := floor(extract(epoch from v_now) / 32)::bigint << 32;
  row_number := 0; decision := 0; known_at := v_now;
  return next;

  if v_fits and not p_sequential then
    return query
    with wanted as materialized (
      select u.*, u.n::integer as number,
        v_bucket | (hashtextextended(u.biller || ' ' || u.account, u.amount) & 4294967295) as duplicate_key
      from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones,
          p_amounts, p_fees, p_checks)
        with ordinality as u (vendor_id, payment_id, reference, biller, account, phone,
          amount, fee, checked, n)
    ), twins as materialized (
      select w.number, t.payment_id, t.created_at
      from wanted w cross join lateral (
        -- This bucket of 32 s and the one before; equalities, so that the index on them is used.
        select t.payment_id, t.created_at from payments t
        where t.vendor_id = w.vendor_id
          and t.duplicate_key = any (array[w.duplicate_key, w.duplicate_key - 4294967296])
          and t.biller_code = w.biller and t.account = w.account and t.amount_cents = w.amount
          and t.created_at > v_now - interval '30 seconds'
        order by t.created_at desc limit 1
      ) t
      where w.checked
    ), accepted as (
      insert into payments (vendor_id, payment_id, merchant_reference, biller_code, account,
        phone, amount_cents, fee_cents, duplicate_key, created_at)
      select w.vendor_id, w.payment_id, w.reference, w.biller, w.account,
        w.phone, w.amount, w.fee, w.duplicate_key, v_now
      from wanted w
      where not w.checked or w.number not in (select number from twins)
      on conflict do nothing
      returning vendor_id, payment_id, biller_code, account, phone, amount_cents,
        amount_cents + fee_cents as total
    ), reserved as (
      insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
      select vendor_id, payment_id, 1, 'float', 'reserved', total, v_now from accepted
    ), queued as (
      insert into dispatch_queue (vendor_id, biller_code, payment_id, account, phone,
        amount_cents, due_at)
      select vendor_id, biller_code, payment_id, account, phone, amount_cents, v_now from accepted
    ), moved as (
      update accounts a set balance_cents = a.balance_cents + m.change
      from (
        select s.vendor_id, x.account, x.sign * s.total as change
        from (select vendor_id, sum(total)::bigint as total from accepted group by vendor_id) s
          cross join (values ('float', -1), ('reserved', 1)) x (account, sign)
      ) m
      where a.vendor_id = m.vendor_id and a.account = m.account
    )
    select w.number,
      (case
        when own.payment_id is not null then 5
        when r.payment_id is null then 3
        when r.biller_code = w.biller and r.account = w.account and r.amount_cents = w.amount
          and r.phone is not distinct from w.phone then 1
        else 2
      end)::smallint,
      coalesce(own.payment_id, r.payment_id, t.payment_id),
      coalesce(own.created_at, r.created_at, t.created_at)
    from wanted w
      -- Limits, so that whatever the planner believes of the table, it looks up by index.
      left join lateral (
        select payment_id, created_at from payments
        where vendor_id = w.vendor_id and payment_id = w.payment_id limit 1
      ) own on true
      left join lateral (
        select payment_id, created_at, biller_code, account, amount_cents, phone from payments
        where vendor_id = w.vendor_id and merchant_reference = w.reference limit 1
      ) r on true
      left join twins t on t.number = w.number
    where w.payment_id not in (select payment_id from accepted);
    return;
  end if;

  for v_row in
    select u.*, v_bucket | (hashtextextended(u.biller || ' ' || u.account, u.amount) & 4294967295) as duplicate_key
    from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones,
        p_amounts, p_fees, p_checks)
      with ordinality as u (vendor_id, payment_id, reference, biller, account, phone,
        amount, fee, checked, n)
    order by u.n
  loop
    row_number := v_row.n;
    decision := 0;

    select t.payment_id, t.created_at into v_known from payments t
    where t.vendor_id = v_row.vendor_id and t.payment_id = v_row.payment_id;
    if found then
      decision := 5;
    end if;

    if decision = 0 and v_row.reference is not null then
      select t.payment_id, t.created_at,
        t.biller_code = v_row.biller and t.account = v_row.account and t.amount_cents = v_row.amount
          and t.phone is not distinct from v_row.phone as same
      into v_known from payments t
      where t.vendor_id = v_row.vendor_id and t.merchant_reference = v_row.reference;
      if found then
        decision := case when v_known.same then 1 else 2 end;
      end if;
    end if;

    if decision = 0 and v_row.checked then
      select t.payment_id, t.created_at into v_known from payments t
      where t.vendor_id = v_row.vendor_id
        and t.duplicate_key in (v_row.duplicate_key, v_row.duplicate_key - 4294967296)
        and t.biller_code = v_row.biller and t.account = v_row.account and t.amount_cents = v_row.amount
        and t.created_at > v_now - interval '30 seconds'
      order by t.created_at desc limit 1;
      if found then
        decision := 3;
      end if;
    end if;

    if decision <> 0 then
      known_id := v_known.payment_id; known_at := v_known.created_at;
      return next;
      continue;
    end if;

    select a.balance_cents into v_float from accounts a
    where a.vendor_id = v_row.vendor_id and a.account = 'float';
    if coalesce(v_float, 0) < v_row.amount + v_row.fee then
      decision := 4; known_id := null; known_at := null;
      return next;
      continue;
    end if;

    insert into payments (vendor_id, payment_id, merchant_reference, biller_code, account,
      phone, amount_cents, fee_cents, duplicate_key, created_at)
    values (v_row.vendor_id, v_row.payment_id, v_row.reference, v_row.biller, v_row.account,
      v_row.phone, v_row.amount, v_row.fee, v_row.duplicate_key, v_now);
    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    values (v_row.vendor_id, v_row.payment_id, 1, 'float', 'reserved', v_row.amount + v_row.fee, v_now);
    insert into dispatch_queue (vendor_id, biller_code, payment_id, account, phone,
      amount_cents, due_at)
    values (v_row.vendor_id, v_row.biller, v_row.payment_id, v_row.account, v_row.phone,
      v_row.amount, v_now);
    update accounts a
    set balance_cents = a.balance_cents
      + case when a.account = 'float' then -(v_row.amount + v_row.fee) else v_row.amount + v_row.fee end
    where a.vendor_id = v_row.vendor_id and a.account in ('float', 'reserved');
  end loop;
end
$$;
