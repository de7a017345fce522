-- Writes an event that is not about a payment, if its vendor has a webhook: another wing calls it in the
-- database transaction of the change that it reports. The event's id prevents a second one.
create or replace function announce_event(
  p_bucket integer,
  p_vendor_id integer,
  p_event_id uuid,
  p_type text,
  p_occurred_at timestamptz,
  p_details jsonb
) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at, state,
    due_at, ended_at, created_at, amount_cents, biller_code, account, details)
  select w.bucket, w.vendor_id, p_event_id, p_event_id, p_type, 'success', p_occurred_at,
    case when w.is_off then 'off' else 'waiting' end,
    case when not w.is_off then p_occurred_at end, case when w.is_off then p_occurred_at end,
    p_occurred_at, 0, '', '', p_details
  from (select bucket, vendor_id, p_type = any (off_types) as is_off from webhooks) w
  where w.bucket = p_bucket and w.vendor_id = p_vendor_id
  on conflict do nothing;
end
$$;
