-- Applies a correction to the payment's outcome, once. The runtime role can change a settled payment only
-- through this function. Returns false when the payment does not have the outcome that the correction replaces.
create or replace function set_corrected_outcome(
  p_bucket integer,
  p_vendor_id integer,
  p_correction_id uuid,
  p_biller_reference text,
  p_message text,
  p_details jsonb
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update payments t
  set outcome = c.outcome_after, biller_reference = p_biller_reference, message = p_message,
    details = p_details, failure_code = case when c.outcome_after = 'failed' then 'corrected' end
  from (
    select x.payment_id, x.outcome_before, x.outcome_after from corrections x
    where x.bucket = p_bucket and x.vendor_id = p_vendor_id and x.correction_id = p_correction_id
    -- So that the payment is looked up by its key (decision 23).
    limit 1
  ) c
  where t.bucket = p_bucket and t.vendor_id = p_vendor_id and t.payment_id = c.payment_id
    and t.outcome = c.outcome_before;
  return found;
end
$$;
revoke all on function set_corrected_outcome from public;
