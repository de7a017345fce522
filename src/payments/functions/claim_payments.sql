-- Takes due payments of the given queues of one bucket, the oldest first, and records an attempt for each
-- one to be sent: after this commit an instruction may exist. Two callers never get the same payment.
--
-- Nothing is sent in quarantine. The age of an instruction counts from the end of the time that a restore
-- lost: until then it may have been sent again. The account and the amount come from the payment, not from
-- the queue. A row is never claimed without its open payment, and never to be sent while the payment has an
-- instruction in progress; `ledger check` reports both. `limit` and `offset` make the planner look up both
-- by index, for each row.
-- Runs with the caller's privileges. Every statement names the bucket. The settings, `limit 1` and
-- `sign(…) = 1`, which is always true, make the planner look up each row by its key (decision 23).
create or replace function claim_payments(
  p_bucket integer,
  p_vendor_ids integer[],
  p_billers text[],
  p_stages dispatch_stage[],
  -- The operator of the queue (dispatch_queue.operator_code), which may be null.
  p_queue_operators text[],
  p_limits integer[],
  p_lease_ms integer[],
  -- For the stage send: the operator to instruct, why it was chosen, the amounts that go to it, and how
  -- long a payment must have been due.
  p_operators text[],
  p_reasons text[],
  -- The rows of operator_prices that are in force for them. Null: no price is in force.
  p_operator_prices integer[],
  p_minimums bigint[],
  p_maximums bigint[],
  p_waits_ms integer[]
) returns table (
  vendor_id integer, payment_id uuid, biller_code text, stage dispatch_stage, claim_number integer,
  attempt_number smallint, verify_count integer, operator_handle text, account text, phone text,
  amount_cents bigint, attempt_age_ms float8, operator_code text, queue_number integer)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := now();
  v_lost_until timestamptz;
  -- The rows that this call has locked: nothing moves them until it has updated them.
  v_rows tid[];
  v_queues integer[];
  v_due_at timestamptz[];
  v_accounts text[];
  v_phones text[];
  v_amounts bigint[];
begin
  select array_agg(q.ctid), array_agg(w.queue::integer),
    -- Here because an UPDATE on Citus may not add an interval to a time.
    array_agg(v_now + w.lease_ms * interval '1 millisecond'), array_agg(q.account), array_agg(q.phone),
    array_agg(q.amount_cents), (select max(z.lost_until) from quarantines z)
  into v_rows, v_queues, v_due_at, v_accounts, v_phones, v_amounts, v_lost_until
  from unnest(p_vendor_ids, p_billers, p_stages, p_queue_operators, p_limits, p_lease_ms, p_minimums,
      p_maximums, p_waits_ms) with ordinality
      as w (vendor_id, biller_code, stage, operator_code, max, lease_ms, minimum, maximum, wait_ms, queue)
    cross join lateral (
      select d.ctid, o.account, o.phone, o.amount_cents from dispatch_queue d
        cross join lateral (
          select t.account, t.phone, t.amount_cents from payments t
          where t.bucket = p_bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
            and t.biller_code = d.biller_code and t.outcome is null
            and t.amount_cents between w.minimum and w.maximum
          limit 1
        ) o
      where d.bucket = p_bucket and d.vendor_id = w.vendor_id and d.biller_code = w.biller_code
        and d.stage = w.stage and d.operator_code is not distinct from w.operator_code
        and d.due_at <= v_now - w.wait_ms * interval '1 millisecond'
        -- Asked in this statement: if asked earlier, a payment could be sent after a quarantine began.
        and (w.stage <> 'send' or not exists (
          select from quarantines z where z.released_at is null)
        and not exists (
          select from dispatch_queue v
          where v.bucket = p_bucket and v.vendor_id = d.vendor_id and v.biller_code = d.biller_code
            and v.stage = 'verify' and v.payment_id = d.payment_id
          offset 0))
      order by d.payment_id limit w.max for update of d skip locked
    ) q;

  if v_rows is null then
    return;
  end if;

  return query
  update dispatch_queue d
  set stage = 'verify', sent_at = coalesce(d.sent_at, v_now),
    claim_number = d.claim_number + 1,
    attempt_number = d.attempt_number + case when p.stage = 'send' then 1 else 0 end,
    verify_count = case when p.stage = 'send' then 0 else d.verify_count + 1 end,
    due_at = p.due_at,
    operator_code = case when p.stage = 'send' then p.operator_code else d.operator_code end,
    route_reason = case when p.stage = 'send' then p.reason else d.route_reason end,
    operator_price = case when p.stage = 'send' then p.operator_price else d.operator_price end
  from (
    select u.*, p_stages[u.queue] as stage,
      p_operators[u.queue] as operator_code, p_reasons[u.queue] as reason,
      p_operator_prices[u.queue] as operator_price
    from unnest(v_rows, v_queues, v_due_at, v_accounts, v_phones, v_amounts)
      as u (row_at, queue, due_at, account, phone, amount_cents)
    where sign(u.queue) = 1
  ) p
  where d.bucket = p_bucket and d.ctid = p.row_at
  returning d.vendor_id, d.payment_id, d.biller_code, p.stage, d.claim_number, d.attempt_number,
    d.verify_count, d.operator_handle, p.account, p.phone, p.amount_cents,
    (extract(epoch from v_now - greatest(d.sent_at, v_lost_until)) * 1000)::float8, d.operator_code, p.queue;
end
$$;
