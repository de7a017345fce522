-- From here on no other call settles payments of these vendors, and no claim takes these payments.
create or replace function lock_reported_payments(p_bucket integer, p_reports final_report[]) returns void
language plpgsql
as $$
begin
  perform from accounts a
  where a.bucket = p_bucket and a.account = 'float'
    and a.vendor_id = any (array(select r.vendor_id from unnest(p_reports) r))
  order by a.vendor_id for update;

  perform from unnest(p_reports) r
    cross join lateral (
      select from dispatch_queue q
      where q.bucket = p_bucket and q.vendor_id = r.vendor_id and q.biller_code = r.biller_code
        and q.payment_id = r.payment_id
      for update
    ) q;
end
$$;
