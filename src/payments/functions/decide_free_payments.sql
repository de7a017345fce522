-- Decides new payments with decide_payments, and gives that up if it has to wait for a lock for more than 1 ms, such
-- as for a float that another process has locked. Then it decides those whose vendors' floats can be locked now, and
-- postpones the others: the caller passes them again, before others, in their order
-- (docs/decisions/0037-locked-floats-are-passed-over.md).
-- If none can be locked, the first payment's vendor is waited for, and only its payments are decided. So every call
-- decides something; the caller sees to it that no payment is postponed for ever. Waits for more than 1 ms only for its first lock, so its
-- callers cannot deadlock.
create or replace function decide_free_payments(p_bucket integer, p_payments new_payment[])
returns create_decision[]
language plpgsql
as $$
declare
  v_lock_timeout constant text := current_setting('lock_timeout');
  v_decisions create_decision[];
  v_free integer[];
begin
  begin
    perform set_config('lock_timeout', '1ms', true);
    v_decisions := decide_payments(p_bucket, p_payments);
    perform set_config('lock_timeout', v_lock_timeout, true);
    return v_decisions;
  exception when lock_not_available or query_canceled then
    -- PostgreSQL sometimes reports the limit as a cancelled statement: if it was reached just when the lock became
    -- free, and the next lock has to be waited for as well. Other reasons to cancel a statement that has just begun
    -- are rare, and are ignored once.
    if sqlstate = '57014' and clock_timestamp() > statement_timestamp() + interval '1 second' then
      raise;
    end if;
    -- The rollback to the start of the block also restored the setting.
  end;

  v_free := array(
    select a.vendor_id from accounts a
    where a.bucket = p_bucket and a.account = 'float'
      and a.vendor_id = any (array(select p.vendor_id from unnest(p_payments) p))
    for update skip locked);
  if cardinality(v_free) = 0 then
    perform from accounts a
    where a.bucket = p_bucket and a.vendor_id = p_payments[1].vendor_id and a.account = 'float' for update;
    -- A vendor without a float cannot be locked, but has to be decided.
    v_free := array[p_payments[1].vendor_id];
  end if;

  return decide_payments(p_bucket, array(select p from unnest(p_payments) p where p.vendor_id = any (v_free)))
    || array(
      select row(p.number, 'postponed', null, null, null)::create_decision
      from unnest(p_payments) p where p.vendor_id <> all (v_free));
end
$$;
