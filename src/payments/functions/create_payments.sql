-- Accepts a batch of payments of one bucket: one call, one commit. Decides each row as if the batch were
-- taken one by one, in this order:
--   repeated            this payment_id exists: an earlier call was committed and its answer was lost
--   replayed            the merchant reference exists with the same content: the first answer again
--   reference_reused    the merchant reference exists with other content
--                       (both also when its payment has been archived)
--   likely_duplicate    the row asks for the check, and an equal payment was created in its last seconds
--   insufficient_float  the float does not cover amount and fee
--   accepted
-- Returns first a row 0 with the batch's time, which is created_at of what was accepted, then one row
-- for every row that was not accepted now. `unexplained` is a bug: the caller must fail.
-- Locks: the vendors' float rows, in vendor order; all code that moves their money locks them in the same
-- order. Isolation: READ COMMITTED. Idempotent by payment_id.
--
-- p_rounds: the round in which each row is decided, from 1. No two rows of a round depend on each other:
-- they have different payment_ids and references, and different content if one of them is checked for
-- duplicates. Null: one round. The rows of a vendor whose float does not cover them all get a round each,
-- in their order. Each round calls this same function, so that every decision is here once.
-- p_at is for these inner calls only; a time before or after this call is refused.
-- The runtime role may not insert payments or queue rows, so this is its only way to create them, and
-- always together with their reservation (src/payments/grants.ts).
--
-- Every statement names the bucket and runs on one machine; rows are inserted from the anchor table
-- `buckets`, so that Citus sees where (docs/decisions/0020-buckets.md). The settings, `limit 1`, `offset 0`
-- and `sign(…) = 1`, which is always true, make the planner look up each row by its key (decision 23).
create or replace function create_payments(
  p_bucket integer,
  p_vendor_ids integer[],
  p_payment_ids uuid[],
  p_references text[],
  p_billers text[],
  p_accounts text[],
  p_phones text[],
  p_amounts bigint[],
  -- With their VAT.
  p_fees bigint[],
  -- The VAT of the fees and the rows of fee_prices that they are from. Null: no fee has a price.
  p_vats bigint[],
  p_fee_prices integer[],
  -- For how many seconds an equal payment makes a row a likely duplicate; 0: it is not checked.
  p_windows integer[],
  p_rounds integer[],
  p_at timestamptz default null
) returns table (row_number integer, decision text, known_id uuid, known_at timestamptz, known_fee bigint)
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_rows constant integer := cardinality(p_payment_ids);
  v_now timestamptz;
  v_step bigint;
  v_vendors integer[];
  -- What the rows of each of them cost, and how many there are.
  v_totals bigint[];
  v_counts integer[];
  -- Vendors whose float covers their rows, and has been debited.
  v_debited integer[];
  -- The others.
  v_short integer[];
  -- An inner call's floats have been locked by the outer one.
  v_locked boolean := p_at is not null;
  v_rounds integer := 1;
  v_members integer[];
  -- Whether payments of these ids may exist.
  v_repeated boolean := false;
  -- The rows that are not accepted.
  v_refused bigint[];
  -- What is returned to each float.
  v_refunds bigint[];
begin
  if p_at < now() or p_at > clock_timestamp() then
    raise exception 'p_at is not a time of this call';
  end if;

  select array_agg(w.vendor_id), array_agg(w.total), array_agg(w.count) into v_vendors, v_totals, v_counts
  from (
    select u.vendor_id, sum(u.amount + u.fee)::bigint as total, count(*)::integer as count
    from unnest(p_vendor_ids, p_amounts, p_fees) as u (vendor_id, amount, fee)
    group by u.vendor_id order by u.vendor_id
  ) w;

  -- From here on no other call moves money of these vendors or creates payments for them. Debiting a float
  -- locks it. A float that is too low is not debited; then this starts again, and locks all of them first.
  loop
    begin
      if v_locked and p_at is null then
        perform 1 from accounts a
        where a.bucket = p_bucket and a.vendor_id = any (v_vendors) and a.account = 'float'
        order by a.vendor_id for update;
      end if;

      with debited as (
        update accounts a set balance_cents = a.balance_cents - u.total
        from unnest(v_vendors, v_totals) with ordinality as u (vendor_id, total, number)
        where a.bucket = p_bucket and a.vendor_id = u.vendor_id and a.account = 'float'
          and a.balance_cents >= u.total and sign(u.number) = 1
        returning a.vendor_id
      )
      select coalesce(array_agg(d.vendor_id), '{}') into v_debited from debited d;

      exit when v_locked or cardinality(v_debited) = cardinality(v_vendors);
      raise exception 'a float is too low';
    exception when raise_exception then
      v_locked := true;
    end;
  end loop;

  if cardinality(v_debited) < cardinality(v_vendors) then
    select array_agg(u.vendor_id), max(u.count) into v_short, v_rounds
    from unnest(v_vendors, v_counts) as u (vendor_id, count)
    where u.vendor_id <> all (v_debited);
  end if;

  v_now := coalesce(p_at, clock_timestamp());
  row_number := 0; decision := 'time'; known_at := v_now;
  return next;

  if v_rounds > 1 or p_rounds is not null then
    -- Each round debits its own rows.
    update accounts a set balance_cents = a.balance_cents + u.total
    from unnest(v_vendors, v_totals) with ordinality as u (vendor_id, total, number)
    where a.bucket = p_bucket and a.vendor_id = u.vendor_id and a.account = 'float'
      and a.vendor_id = any (v_debited) and sign(u.number) = 1;

    for v_members in
      select array_agg(r.number order by r.number) from (
        select u.number::integer, case when u.vendor_id = any (v_short)
          then row_number() over (partition by u.vendor_id order by u.number)
          else coalesce(u.round, 1) end as round
        from unnest(p_vendor_ids, p_rounds) with ordinality as u (vendor_id, round, number)
      ) r group by r.round order by r.round
    loop
      return query select v_members[d.row_number], d.decision, d.known_id, d.known_at, d.known_fee
      from (
        select array_agg(p_vendor_ids[m]) as vendor_ids, array_agg(p_payment_ids[m]) as payment_ids,
          array_agg(p_references[m]) as merchant_references, array_agg(p_billers[m]) as billers,
          array_agg(p_accounts[m]) as accounts, array_agg(p_phones[m]) as phones,
          array_agg(p_amounts[m]) as amounts, array_agg(p_fees[m]) as fees,
          array_agg(p_vats[m]) as vats, array_agg(p_fee_prices[m]) as fee_prices,
          array_agg(p_windows[m]) as windows
        from unnest(v_members) m
      ) r cross join lateral create_payments(p_bucket, r.vendor_ids, r.payment_ids,
        r.merchant_references, r.billers, r.accounts, r.phones, r.amounts, r.fees, r.vats, r.fee_prices,
        r.windows, null, v_now) d
      where d.row_number > 0;
    end loop;
    return;
  end if;

  -- A duplicate key is the time in steps of 32 s above a hash of the content: look-ups by equality find
  -- everything of the last seconds.
  v_step := floor(extract(epoch from v_now) / 32)::bigint << 32;

  -- At this point a vendor whose float is short has only one row.
  loop
    -- `offset`, so that the planner looks up by index for each row.
    select array_agg(w.number) into v_refused
    from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_amounts, p_windows)
      with ordinality as w (vendor_id, payment_id, reference, biller, account, amount, seconds, number)
    where w.vendor_id = any (v_short)
      or w.reference is not null and (
        exists (
          select from payments t
          where t.bucket = p_bucket and t.vendor_id = w.vendor_id and t.merchant_reference = w.reference
          offset 0)
        or exists (
          select from archived_payments a
          where a.bucket = p_bucket and a.vendor_id = w.vendor_id and a.merchant_reference = w.reference
          offset 0))
      or w.seconds > 0 and exists (
        select from payments t
        where t.bucket = p_bucket and t.vendor_id + 0 = w.vendor_id
          and t.duplicate_key = any (duplicate_keys(v_step, content_hash(w.biller, w.account, w.amount), w.seconds))
          and t.biller_code = w.biller and t.account = w.account and t.amount_cents = w.amount
          and t.created_at > v_now - w.seconds * interval '1 second'
        offset 0)
      or v_repeated and exists (
        select from payments t
        where t.bucket = p_bucket and t.vendor_id = w.vendor_id and t.payment_id = w.payment_id
        offset 0);
    exit when cardinality(v_refused) = v_rows;

    begin
      insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account,
        phone, amount_cents, fee_cents, vat_cents, fee_price, duplicate_key, created_at)
      select k.bucket, w.vendor_id, w.payment_id, w.reference, w.biller, w.account,
        w.phone, w.amount, w.fee, coalesce(w.vat, 0), w.fee_price,
        v_step | content_hash(w.biller, w.account, w.amount), v_now
      from buckets k
        cross join unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones,
          p_amounts, p_fees, p_vats, p_fee_prices) with ordinality
        as w (vendor_id, payment_id, reference, biller, account, phone, amount, fee, vat, fee_price, number)
      where k.bucket = p_bucket and (v_refused is null or w.number <> all (v_refused));
      exit;
    exception when unique_violation then
      -- Only a call whose answer was lost has stored these ids, so they are not looked up every time.
      if v_repeated then raise; end if;
      v_repeated := true;
    end;
  end loop;

  if v_refused is null or cardinality(v_refused) < v_rows then
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
      amount_cents, created_at)
    select k.bucket, w.vendor_id, w.payment_id, 1, 'float', 'reserved', w.amount + w.fee, v_now
    from buckets k cross join unnest(p_vendor_ids, p_payment_ids, p_amounts, p_fees) with ordinality
      as w (vendor_id, payment_id, amount, fee, number)
    where k.bucket = p_bucket and (v_refused is null or w.number <> all (v_refused));

    insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
    select k.bucket, w.vendor_id, w.biller, w.payment_id, v_now
    from buckets k cross join unnest(p_vendor_ids, p_payment_ids, p_billers) with ordinality
      as w (vendor_id, payment_id, biller, number)
    where k.bucket = p_bucket and (v_refused is null or w.number <> all (v_refused));
  end if;

  if cardinality(v_debited) > 0 then
    if v_refused is not null then
      select array_agg(s.vendor_id), array_agg(s.total), array_agg(s.refund)
      into v_vendors, v_totals, v_refunds
      from (
        select u.vendor_id,
          sum(u.amount + u.fee) filter (where u.number <> all (v_refused))::bigint as total,
          sum(u.amount + u.fee) filter (where u.number = any (v_refused))::bigint as refund
        from unnest(p_vendor_ids, p_amounts, p_fees) with ordinality
          as u (vendor_id, amount, fee, number)
        where u.vendor_id = any (v_debited)
        group by u.vendor_id order by u.vendor_id
      ) s;
    end if;

    update accounts a set balance_cents = a.balance_cents + m.change
    from (
      select u.vendor_id, x.account, x.change
      from unnest(v_vendors, v_totals, v_refunds) with ordinality
          as u (vendor_id, total, refund, number)
        cross join lateral (values ('reserved', u.total), ('float', u.refund)) x (account, change)
      where x.change > 0 and sign(u.number) = 1
    ) m
    where a.bucket = p_bucket and a.vendor_id = m.vendor_id and a.account = m.account;
  end if;

  if v_refused is null then
    return;
  end if;
  return query
  select w.number::integer,
    case
      when own.payment_id is not null then 'repeated'
      when same.biller_code = w.biller and same.account = w.account
        and same.amount_cents = w.amount and same.is_phone then 'replayed'
      when same.payment_id is not null then 'reference_reused'
      when twin.payment_id is not null then 'likely_duplicate'
      when w.vendor_id = any (v_short) then 'insufficient_float'
      else 'unexplained'
    end,
    coalesce(own.payment_id, same.payment_id, twin.payment_id),
    coalesce(own.created_at, same.created_at, twin.created_at),
    coalesce(own.fee_cents, same.fee_cents, twin.fee_cents)
  from unnest(p_vendor_ids, p_payment_ids, p_references, p_billers, p_accounts, p_phones, p_amounts,
      p_windows) with ordinality
    as w (vendor_id, payment_id, reference, biller, account, phone, amount, seconds, number)
    left join lateral (
      select t.payment_id, t.created_at, t.fee_cents from payments t
      where t.bucket = p_bucket and t.vendor_id = w.vendor_id and t.payment_id = w.payment_id limit 1
    ) own on true
    left join lateral (
      select t.payment_id, t.created_at, t.fee_cents, t.biller_code, t.account, t.amount_cents,
        t.phone is not distinct from w.phone as is_phone
      from payments t
      where t.bucket = p_bucket and t.vendor_id = w.vendor_id and t.merchant_reference = w.reference
      union all
      -- For an archived payment only a hash covers the phone: acceptedRest in src/payments/ledger/entries.ts.
      select a.payment_id, a.created_at, a.fee_cents, a.biller_code, a.account, a.amount_cents,
        a.accepted_rest is not distinct from case when w.phone is not null then
          sha256(convert_to(row(encode(uuid_send(a.payment_id), 'hex'), w.phone)::text, 'UTF8')) end
      from archived_payments a
      where a.bucket = p_bucket and a.vendor_id = w.vendor_id and a.merchant_reference = w.reference
      limit 1
    ) same on true
    left join lateral (
      select t.payment_id, t.created_at, t.fee_cents from payments t
      where t.bucket = p_bucket and t.vendor_id + 0 = w.vendor_id and w.seconds > 0
        and t.duplicate_key = any (duplicate_keys(v_step, content_hash(w.biller, w.account, w.amount), w.seconds))
        and t.biller_code = w.biller and t.account = w.account and t.amount_cents = w.amount
        and t.created_at > v_now - w.seconds * interval '1 second'
      order by t.created_at desc limit 1
    ) twin on true
  where w.number = any (v_refused);
end
$$;
revoke all on function create_payments from public;
