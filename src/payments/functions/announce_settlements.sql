-- An event about each settled payment of a vendor that has a webhook, also for followers of the list of events when
-- the webhook does not want its type.
create or replace function announce_settlements(p_bucket integer, p_settlements settlement[]) returns void
language plpgsql
as $$
begin
  if not exists (
    select from webhooks w
    where w.bucket = p_bucket and w.vendor_id = any (array(select s.vendor_id from unnest(p_settlements) s))
  ) then
    return;
  end if;

  insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at, state,
    due_at, ended_at, created_at, biller_response_time, amount_cents, biller_code, account, merchant_reference,
    biller_reference, message, failure_code, details)
  select t.bucket, t.vendor_id, t.payment_id, t.payment_id, e.type, t.outcome, t.settled_at,
    case when e.is_off then 'off' else 'waiting' end,
    case when not e.is_off then t.settled_at end, case when e.is_off then t.settled_at end,
    t.created_at, t.biller_response_time, t.amount_cents, t.biller_code, t.account, t.merchant_reference,
    t.biller_reference, t.message, t.failure_code, t.details
  from unnest(p_settlements) s
    cross join lateral (
      select x.type, x.type = any (w.off_types) as is_off
      from webhooks w, (values (case when s.outcome = 'success' then 'transaction.succeeded'
        else 'transaction.failed' end)) x (type)
      where w.bucket = p_bucket and w.vendor_id = s.vendor_id
      limit 1
    ) e
    cross join lateral (
      select * from payments t
      where t.bucket = p_bucket and t.vendor_id = s.vendor_id and t.payment_id = s.payment_id
      limit 1
    ) t;
end
$$;
