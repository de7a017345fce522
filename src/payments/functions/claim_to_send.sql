-- Takes due payments of the given queues of one bucket, oldest first, and records an attempt for each one:
-- after this commit an instruction may exist. Two callers never get the same payment.
--
-- Nothing is taken in quarantine. The account and the amount come from the payment, not from the queue. A queue
-- row whose payment is not open is never claimed; `ledger check` reports it. A payment has one row, so an
-- instruction is never sent while another is in progress.
-- `materialized` ensures that the rows are locked once: a subquery that the planner runs again takes more than
-- the limit.
-- Runs with the caller's privileges. Every statement names the bucket. The settings, `limit 1` and
-- `sign(…) = 1`, which is always true, make the planner look up each row by its key (decision 23).
create or replace function claim_to_send(
  p_bucket integer,
  p_vendor_ids integer[],
  p_billers text[],
  -- The operator of the queue (dispatch_queue.operator_code), which may be null.
  p_queue_operators text[],
  p_limits integer[],
  -- Where to begin: earlier ids are passed over.
  p_first_ids uuid[],
  p_leases_ms integer[],
  -- The operator to instruct, and why it was chosen.
  p_operators text[],
  p_reasons text[],
  -- The row of operator_prices that is in force for that operator. Null: no price is in force.
  p_operator_prices integer[],
  -- The version of that operator that the instruction goes to (operators.version).
  p_operator_versions integer[],
  -- The amounts that go to it, and how long a payment must have been due.
  p_minimums bigint[],
  p_maximums bigint[],
  p_waits_ms integer[]
) returns table (
  queue_number integer, payment_id uuid, claim_number integer, attempt_number smallint,
  content payment_content)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := now();
  v_due_before timestamptz[];
  v_leased_until timestamptz[];
begin
  -- Here because an UPDATE on Citus may not add an interval to a time.
  select array_agg(v_now - w.wait_ms * interval '1 millisecond'),
    array_agg(v_now + w.lease_ms * interval '1 millisecond')
  into v_due_before, v_leased_until
  from unnest(p_waits_ms, p_leases_ms) as w (wait_ms, lease_ms);

  return query
  with picked as materialized (
    select w.queue, w.leased_until, w.operator_code, w.reason, w.operator_price, w.operator_version, q.*
    from unnest(p_vendor_ids, p_billers, p_queue_operators, p_limits, p_first_ids, p_minimums, p_maximums,
        v_due_before, v_leased_until, p_operators, p_reasons, p_operator_prices, p_operator_versions)
        with ordinality as w (vendor_id, biller_code, queue_operator, max, first_id, minimum, maximum, due_before,
          leased_until, operator_code, reason, operator_price, operator_version, queue)
      cross join lateral (
        -- This statement has locked the row: nothing moves it.
        select d.ctid as row_at, o.content from dispatch_queue d
          cross join lateral (
            select row(t.account, t.phone, t.amount_cents)::payment_content as content from payments t
            where t.bucket = p_bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
              and t.biller_code = d.biller_code and t.outcome is null
              and t.amount_cents between w.minimum and w.maximum
            limit 1
          ) o
        where d.bucket = p_bucket and d.vendor_id = w.vendor_id and d.biller_code = w.biller_code
          and d.payment_id >= w.first_id and d.stage = 'send'
          and d.operator_code is not distinct from w.queue_operator
          and d.due_at <= w.due_before
          -- No attempt can have a larger number. A payment that is refused each minute for three weeks has it, and
          -- must not stop others.
          and d.attempt_number < 32767
          -- An operator that had it before says that it paid, so another instruction would pay it twice. People
          -- decide first.
          and (d.attempt_number = 0 or not exists (
            select from cases c
            where c.bucket = p_bucket and c.vendor_id = d.vendor_id and c.payment_id = d.payment_id
              and c.kind = 'contradiction' and c.resolved_at is null
              and c.facts ->> 'operator_says' = 'success'
            offset 0))
          -- Asked in this statement: if asked earlier, a payment could be sent after a quarantine began.
          and not exists (select from quarantines z where z.released_at is null)
        order by d.payment_id limit w.max for update of d skip locked
      ) q
  )
  update dispatch_queue d
  set stage = 'verify', sent_at = v_now, claim_number = d.claim_number + 1,
    attempt_number = d.attempt_number + 1, verify_count = 0, due_at = p.leased_until,
    operator_code = p.operator_code, route_reason = p.reason, operator_price = p.operator_price,
    operator_version = p.operator_version
  from picked p
  where d.bucket = p_bucket and d.ctid = p.row_at and sign(p.queue) = 1
  returning p.queue::integer, d.payment_id, d.claim_number, d.attempt_number, p.content;
end
$$;
