-- Ends a payment that has no instruction in progress, and returns its reservation. Returns false, with nothing done, if
-- an instruction is in progress, the payment has ended, or people have to decide about it.
--
-- Locks: the vendor's float row; then the row of the queue, which no claim takes meanwhile. The runtime role may not
-- update payments, so this is its only way to cancel one.
create or replace function cancel_payment(
  p_bucket integer,
  p_vendor_id integer,
  p_payment_id uuid,
  p_biller_code text,
  p_message text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz;
  v_cancelled settlement[];
begin
  perform from accounts a
  where a.bucket = p_bucket and a.vendor_id = p_vendor_id and a.account = 'float' for update;
  perform from dispatch_queue q
  where q.bucket = p_bucket and q.vendor_id = p_vendor_id and q.biller_code = p_biller_code
    and q.payment_id = p_payment_id for update;

  -- In a statement of its own: the one that waited for a lock does not see what was written meanwhile.
  v_now := clock_timestamp();
  v_cancelled := array(
    select row(1, p_vendor_id, p_payment_id, 'failed', null, null, p_message, null, 'other', 'person', null, null,
      null, null, null, null, t.amount_cents, t.fee_cents, t.vat_cents, t.fee_price, null, q.row_at, t.row_at)::settlement
    from (
      select d.ctid as row_at from dispatch_queue d
      where d.bucket = p_bucket and d.vendor_id = p_vendor_id and d.biller_code = p_biller_code
        and d.payment_id = p_payment_id and d.stage = 'send'
      limit 1
    ) q
      cross join lateral (
        select p.ctid as row_at, p.amount_cents, p.fee_cents, p.vat_cents, p.fee_price from payments p
        where p.bucket = p_bucket and p.vendor_id = p_vendor_id and p.payment_id = p_payment_id
          and p.biller_code = p_biller_code and p.outcome is null
        limit 1
      ) t
    where not exists (
      select from cases c
      where c.bucket = p_bucket and c.vendor_id = p_vendor_id and c.payment_id = p_payment_id
        and c.resolved_at is null));
  if cardinality(v_cancelled) = 0 then
    return false;
  end if;

  perform end_payments(p_bucket, v_cancelled, v_now);
  perform post_transfers(p_bucket, postings_of(v_cancelled), v_now);
  perform announce_settlements(p_bucket, v_cancelled);
  return true;
end
$$;
revoke all on function cancel_payment from public;
