-- Gives settled payments their outcome and takes them from the queue. The rows are where they were found: those of
-- the queue are locked, and open payments are changed only under the lock of the vendor's float.
create or replace function end_payments(p_bucket integer, p_settlements settlement[], p_at timestamptz) returns void
language plpgsql
as $$
declare
  v_dequeued integer;
  v_ended integer;
begin
  delete from dispatch_queue q using unnest(p_settlements) s
  where q.bucket = p_bucket and q.ctid = s.queue_row and sign(s.number) = 1;
  get diagnostics v_dequeued = row_count;

  update payments t
  set outcome = s.outcome, settled_at = p_at, biller_response_time = s.responded_at,
    biller_reference = s.biller_reference, message = s.message, details = s.details,
    failure_code = s.failure_code, sent_at = s.sent_at, attempt_number = s.attempt_number,
    attempt_outcome = case when s.attempt_number is null then null
      when s.outcome = 'success' then 'paid' else 'declined' end,
    settled_by = case when s.attempt_number is not null then s.source end,
    operator_handle = s.operator_handle, operator_code = s.operator_code, route_reason = s.route_reason,
    operator_price = s.operator_price
  from unnest(p_settlements) s
  where t.bucket = p_bucket and t.ctid = s.payment_row and sign(s.number) = 1
    and t.vendor_id = s.vendor_id and t.payment_id = s.payment_id and t.outcome is null;
  get diagnostics v_ended = row_count;

  if v_dequeued <> cardinality(p_settlements) or v_ended <> cardinality(p_settlements) then
    raise exception 'a payment was changed while it was being settled';
  end if;
end
$$;
