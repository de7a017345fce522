-- Calls create_payments for all rows, and gives that up if it has to wait for a lock for more than 1 ms, such as
-- for a float that another process has locked. Then it calls it for the rows whose vendors' floats can be
-- locked now (docs/decisions/0037-locked-floats-are-passed-over.md). Returns what create_payments returns, and
-- for every other row:
--   postponed   nothing was done; the caller passes it again, before others, in its order
-- The float of the first row's vendor is waited for, so every call decides something, and no row is postponed
-- for ever. Waits for more than 1 ms only for its first lock, so its callers cannot deadlock.
create or replace function create_or_postpone_payments(
  p_bucket integer,
  p_vendor_ids integer[],
  p_payment_ids uuid[],
  p_references text[],
  p_billers text[],
  p_accounts text[],
  p_phones text[],
  p_amounts bigint[],
  p_fees bigint[],
  p_vats bigint[],
  p_fee_prices integer[],
  p_windows integer[],
  p_rounds integer[]
) returns table (row_number integer, decision text, known_id uuid, known_at timestamptz, known_fee bigint)
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_lock_timeout constant text := current_setting('lock_timeout');
  v_now timestamptz;
  v_free integer[];
  v_members integer[];
begin
  begin
    perform set_config('lock_timeout', '1ms', true);
    return query select * from create_payments(p_bucket, p_vendor_ids, p_payment_ids, p_references, p_billers,
      p_accounts, p_phones, p_amounts, p_fees, p_vats, p_fee_prices, p_windows, p_rounds);
    perform set_config('lock_timeout', v_lock_timeout, true);
    return;
  exception when lock_not_available or query_canceled then
    -- PostgreSQL sometimes reports the limit as a cancelled statement: if it was reached just when the lock became
    -- free, and the next lock has to be waited for as well. Other reasons to cancel a statement that has just begun
    -- are rare, and are ignored once.
    if sqlstate = '57014' and clock_timestamp() > statement_timestamp() + interval '1 second' then
      raise;
    end if;
    -- The rollback to the start of the block also restored the setting.
  end;

  perform 1 from accounts a
  where a.bucket = p_bucket and a.vendor_id = p_vendor_ids[1] and a.account = 'float' for update;

  select array_agg(f.vendor_id) into v_free from (
    select a.vendor_id from accounts a
    where a.bucket = p_bucket and a.vendor_id = any (p_vendor_ids) and a.account = 'float'
    for update skip locked
  ) f;
  -- A vendor without a float cannot be locked, but has to be decided.
  v_free := v_free || p_vendor_ids[1];
  v_now := clock_timestamp();

  select array_agg(u.number order by u.number) into v_members
  from unnest(p_vendor_ids) with ordinality as u (vendor_id, number)
  where u.vendor_id = any (v_free);

  return query select case d.row_number when 0 then 0 else v_members[d.row_number] end, d.decision,
    d.known_id, d.known_at, d.known_fee
  from (
    select array_agg(p_vendor_ids[m]) as vendor_ids, array_agg(p_payment_ids[m]) as payment_ids,
      array_agg(p_references[m]) as merchant_references, array_agg(p_billers[m]) as billers,
      array_agg(p_accounts[m]) as accounts, array_agg(p_phones[m]) as phones,
      array_agg(p_amounts[m]) as amounts, array_agg(p_fees[m]) as fees,
      array_agg(p_vats[m]) as vats, array_agg(p_fee_prices[m]) as fee_prices,
      array_agg(p_windows[m]) as windows, array_agg(p_rounds[m]) as rounds
    from unnest(v_members) m
  ) r cross join lateral create_payments(p_bucket, r.vendor_ids, r.payment_ids,
    r.merchant_references, r.billers, r.accounts, r.phones, r.amounts, r.fees,
    case when p_vats is not null then r.vats end, case when p_fee_prices is not null then r.fee_prices end,
    r.windows, case when p_rounds is not null then r.rounds end, v_now) d;

  return query select u.number::integer, 'postponed', null::uuid, null::timestamptz, null::bigint
  from unnest(p_vendor_ids) with ordinality as u (vendor_id, number)
  where u.vendor_id <> all (v_free);
end
$$;
revoke all on function create_or_postpone_payments from public;
