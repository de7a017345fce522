-- Why new payments were refused: see create_payments. A reference and an id count more than a duplicate, and that more
-- than the float, which has not changed since.
create or replace function explain_refusals(
  p_bucket integer, p_refused new_payment[], p_short integer[], p_at timestamptz
) returns create_decision[]
language plpgsql
as $$
declare
  v_step constant bigint := duplicate_step(p_at);
begin
  return array(
    select row(p.number,
      case
        when own.payment_id is not null then 'repeated'
        when same.biller_code = p.biller_code and same.account = p.account
          and same.amount_cents = p.amount_cents and same.is_phone then 'replayed'
        when same.payment_id is not null then 'reference_reused'
        when twin.payment_id is not null then 'likely_duplicate'
        when p.vendor_id = any (p_short) then 'insufficient_float'
        else 'unexplained'
      end,
      coalesce(own.payment_id, same.payment_id, twin.payment_id),
      coalesce(own.created_at, same.created_at, twin.created_at),
      coalesce(own.fee_cents, same.fee_cents, twin.fee_cents))::create_decision
    from unnest(p_refused) p
      left join lateral (
        select t.payment_id, t.created_at, t.fee_cents from payments t
        where t.bucket = p_bucket and t.vendor_id = p.vendor_id and t.payment_id = p.payment_id limit 1
      ) own on true
      left join lateral (
        select t.payment_id, t.created_at, t.fee_cents, t.biller_code, t.account, t.amount_cents,
          t.phone is not distinct from p.phone as is_phone
        from payments t
        where t.bucket = p_bucket and t.vendor_id = p.vendor_id and t.merchant_reference = p.merchant_reference
        union all
        -- For an archived payment only a hash covers the phone: acceptedRest in src/payments/ledger/entries.ts.
        select a.payment_id, a.created_at, a.fee_cents, a.biller_code, a.account, a.amount_cents,
          a.accepted_rest is not distinct from case when p.phone is not null then
            sha256(convert_to(row(encode(uuid_send(a.payment_id), 'hex'), p.phone)::text, 'UTF8')) end
        from archived_payments a
        where a.bucket = p_bucket and a.vendor_id = p.vendor_id and a.merchant_reference = p.merchant_reference
        union all
        select u.payment_id, u.created_at, u.fee_cents, u.biller_code, u.account, u.amount_cents,
          u.phone is not distinct from p.phone
        from used_references u
        where u.bucket = p_bucket and u.vendor_id = p.vendor_id and u.merchant_reference = p.merchant_reference
        limit 1
      ) same on true
      left join lateral (
        select t.payment_id, t.created_at, t.fee_cents from payments t
        where t.bucket = p_bucket and t.vendor_id + 0 = p.vendor_id and p.duplicate_seconds > 0
          and t.duplicate_key = any (duplicate_keys(v_step, p.content_hash, p.duplicate_seconds))
          and t.biller_code = p.biller_code and t.account = p.account and t.amount_cents = p.amount_cents
          and t.created_at > p_at - p.duplicate_seconds * interval '1 second'
        order by t.created_at desc limit 1
      ) twin on true);
end
$$;
