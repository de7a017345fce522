-- Stores new payments, the transfers that reserve their amounts, and their rows of the queue. Their vendors' floats are
-- locked.
create or replace function store_payments(
  p_bucket integer,
  p_payments new_payment[],
  -- The numbers of those that are not stored; null: none.
  p_refused integer[],
  p_at timestamptz
) returns void
language plpgsql
as $$
declare
  v_step constant bigint := duplicate_step(p_at);
begin
  insert into payments (bucket, vendor_id, payment_id, merchant_reference, biller_code, account,
    phone, amount_cents, fee_cents, vat_cents, fee_price, duplicate_key, created_at)
  select k.bucket, p.vendor_id, p.payment_id, p.merchant_reference, p.biller_code, p.account,
    p.phone, p.amount_cents, p.fee_cents, p.vat_cents, p.fee_price, v_step | p.content_hash, p_at
  from buckets k cross join unnest(p_payments) p
  where k.bucket = p_bucket and (p_refused is null or p.number <> all (p_refused));

  insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents,
    created_at)
  select k.bucket, p.vendor_id, p.payment_id, 1, 'float', 'reserved', p.amount_cents + p.fee_cents, p_at
  from buckets k cross join unnest(p_payments) p
  where k.bucket = p_bucket and (p_refused is null or p.number <> all (p_refused));

  insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
  select k.bucket, p.vendor_id, p.biller_code, p.payment_id, p_at
  from buckets k cross join unnest(p_payments) p
  where k.bucket = p_bucket and (p_refused is null or p.number <> all (p_refused));
end
$$;
