-- Takes due payments of the given queues of one bucket, oldest first, to ask the operators that have
-- their instructions. Two callers never get the same payment.
--
-- The age of an instruction counts from when it was sent. If a restore lost a time, it counts from the end of
-- that time, because the instruction may have been sent again until then. See claim_to_send.sql for where the
-- columns come from and how each row is looked up.
create or replace function claim_to_ask(
  p_bucket integer,
  p_vendor_ids integer[],
  p_billers text[],
  -- The operator that has the instructions; null: not known since a restore.
  p_operators text[],
  p_limits integer[],
  -- Where to begin: earlier ids are passed over.
  p_first_ids uuid[],
  p_leases_ms integer[]
) returns table (
  queue_number integer, payment_id uuid, claim_number integer, attempt_number smallint,
  content payment_content, verify_count integer, operator_handle text, attempt_age_ms float8,
  operator_version integer)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := now();
  v_leased_until timestamptz[];
begin
  select array_agg(v_now + w.lease_ms * interval '1 millisecond') into v_leased_until
  from unnest(p_leases_ms) as w (lease_ms);

  return query
  with picked as materialized (
    select w.queue, w.leased_until, q.*, (select max(z.lost_until) from quarantines z) as lost_until
    from unnest(p_vendor_ids, p_billers, p_operators, p_limits, p_first_ids, v_leased_until) with ordinality
        as w (vendor_id, biller_code, operator_code, max, first_id, leased_until, queue)
      cross join lateral (
        select d.ctid as row_at, o.content from dispatch_queue d
          cross join lateral (
            select row(t.account, t.phone, t.amount_cents)::payment_content as content from payments t
            where t.bucket = p_bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
              and t.biller_code = d.biller_code and t.outcome is null
            limit 1
          ) o
        where d.bucket = p_bucket and d.vendor_id = w.vendor_id and d.biller_code = w.biller_code
          and d.payment_id >= w.first_id and d.stage = 'verify'
          and d.operator_code is not distinct from w.operator_code
          and d.due_at <= v_now
        order by d.payment_id limit w.max for update of d skip locked
      ) q
  )
  update dispatch_queue d
  set claim_number = d.claim_number + 1, verify_count = d.verify_count + 1, due_at = p.leased_until
  from picked p
  where d.bucket = p_bucket and d.ctid = p.row_at and sign(p.queue) = 1
  returning p.queue::integer, d.payment_id, d.claim_number, d.attempt_number, p.content, d.verify_count,
    d.operator_handle, date_part('epoch', v_now - greatest(d.sent_at, p.lost_until)) * 1000, d.operator_version;
end
$$;
