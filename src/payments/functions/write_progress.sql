-- Records what workers learnt about payments of one bucket that have no final answer yet, except where the
-- claim is no longer theirs. `send` proves that the instruction was not executed, so it may be sent again.
-- Returns how many were written. Runs with the caller's privileges. Every statement names the bucket.
-- The settings and `sign(…) = 1`, which is always true, make the planner look up each row by its key
-- (decision 23).
create or replace function write_progress(
  p_bucket integer,
  p_vendor_ids integer[],
  p_billers text[],
  p_payment_ids uuid[],
  p_claim_numbers integer[],
  p_next dispatch_stage[],
  p_delays_ms integer[],
  p_notes text[],
  p_handles text[],
  -- With `send`: the operator to try next; null: to be chosen.
  p_operators text[]
) returns integer
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
declare
  v_now constant timestamptz := now();
  v_numbers integer[];
  -- The rows that this call has locked: nothing moves them until it has updated them.
  v_rows tid[];
  v_due_at timestamptz[];
  v_sent_at timestamptz[];
  v_attempts smallint[];
  v_handles text[];
  v_operators text[];
  v_reasons text[];
  v_operator_prices integer[];
  v_operator_versions integer[];
begin
  select array_agg(u.number), array_agg(q.row_at),
    -- Here because an UPDATE on Citus may not add an interval to a time.
    array_agg(v_now + u.delay_ms * interval '1 millisecond'), array_agg(q.sent_at), array_agg(q.attempt_number),
    -- A callback that came before the answer may have added to the handle what only callbacks tell.
    array_agg(case when starts_with(q.operator_handle, u.handle || ':') then q.operator_handle
      else coalesce(u.handle, q.operator_handle) end),
    array_agg(q.operator_code), array_agg(q.route_reason), array_agg(q.operator_price),
    array_agg(q.operator_version)
  into v_numbers, v_rows, v_due_at, v_sent_at, v_attempts, v_handles, v_operators, v_reasons, v_operator_prices,
    v_operator_versions
  from unnest(p_vendor_ids, p_billers, p_payment_ids, p_claim_numbers, p_delays_ms, p_handles)
      with ordinality
      as u (vendor_id, biller_code, payment_id, claim_number, delay_ms, handle, number)
    cross join lateral (
      -- Skip locked: another process is settling the row, or has claimed it after us.
      select d.ctid as row_at, d.sent_at, d.attempt_number, d.operator_handle, d.operator_code,
        d.route_reason, d.operator_price, d.operator_version
      from dispatch_queue d
      where d.bucket = p_bucket and d.vendor_id = u.vendor_id and d.biller_code = u.biller_code
        and d.payment_id = u.payment_id and d.stage = 'verify' and d.claim_number = u.claim_number
      for update of d skip locked
    ) q;

  update dispatch_queue d
  set stage = l.next, due_at = l.due_at,
    sent_at = case when l.next = 'verify' then l.sent_at end,
    operator_handle = case when l.next = 'verify' then l.handle end,
    note = case when l.next = 'verify' then l.note end,
    operator_code = case when l.next = 'verify' then l.operator_code else l.next_operator end,
    route_reason = case when l.next = 'verify' then l.reason end,
    operator_price = case when l.next = 'verify' then d.operator_price end,
    operator_version = case when l.next = 'verify' then d.operator_version end
  from (
    select u.row_at, p_next[u.number] as next, u.due_at,
      p_notes[u.number] as note, u.sent_at, u.handle, u.operator_code, u.reason,
      p_operators[u.number] as next_operator
    from unnest(v_numbers, v_rows, v_due_at, v_sent_at, v_handles, v_operators, v_reasons)
      as u (number, row_at, due_at, sent_at, handle, operator_code, reason)
    where sign(u.number) = 1
  ) l
  where d.bucket = p_bucket and d.ctid = l.row_at;

  insert into unexecuted_attempts (bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at,
    ended_at, operator_handle, note, operator_code, route_reason, operator_price, operator_version)
  select k.bucket, p_vendor_ids[u.number], p_billers[u.number], p_payment_ids[u.number],
    u.attempt_number, u.sent_at, v_now, u.handle, p_notes[u.number], u.operator_code, u.reason,
    u.operator_price, u.operator_version
  from buckets k
    cross join unnest(v_numbers, v_sent_at, v_attempts, v_handles, v_operators, v_reasons,
      v_operator_prices, v_operator_versions)
      as u (number, sent_at, attempt_number, handle, operator_code, reason, operator_price, operator_version)
  where k.bucket = p_bucket and p_next[u.number] = 'send';

  return coalesce(cardinality(v_numbers), 0);
end
$$;
