-- The numbers of the new payments that cannot be accepted; null: none. Their vendors' floats are locked. See
-- explain_refusals for why.
create or replace function refused_payments(
  p_bucket integer,
  p_payments new_payment[],
  -- Vendors whose float is too low.
  p_short integer[],
  -- Whether payments of these ids may exist.
  p_repeated boolean,
  p_at timestamptz
) returns integer[]
language plpgsql
as $$
declare
  v_step constant bigint := duplicate_step(p_at);
  v_refused integer[];
begin
  -- `offset`, so that the planner looks up by index for each row.
  select array_agg(p.number) into v_refused from unnest(p_payments) p
  where p.vendor_id = any (p_short)
    or p.merchant_reference is not null and (
      exists (
        select from payments t
        where t.bucket = p_bucket and t.vendor_id = p.vendor_id and t.merchant_reference = p.merchant_reference
        offset 0)
      or exists (
        select from archived_payments a
        where a.bucket = p_bucket and a.vendor_id = p.vendor_id and a.merchant_reference = p.merchant_reference
        offset 0)
      or exists (
        select from used_references u
        where u.bucket = p_bucket and u.vendor_id = p.vendor_id and u.merchant_reference = p.merchant_reference
        offset 0))
    or p.duplicate_seconds > 0 and exists (
      select from payments t
      where t.bucket = p_bucket and t.vendor_id + 0 = p.vendor_id
        and t.duplicate_key = any (duplicate_keys(v_step, p.content_hash, p.duplicate_seconds))
        and t.biller_code = p.biller_code and t.account = p.account and t.amount_cents = p.amount_cents
        and t.created_at > p_at - p.duplicate_seconds * interval '1 second'
      offset 0)
    or p_repeated and exists (
      select from payments t
      where t.bucket = p_bucket and t.vendor_id = p.vendor_id and t.payment_id = p.payment_id
      offset 0);
  return v_refused;
end
$$;
