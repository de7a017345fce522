-- Erases the personal data of up to p_limit enquiries of one vendor; the rows and the chain stay. The
-- runtime role can change an enquiry only through this function, and only after its retention. The owner
-- can erase at any time.
create or replace function erase_enquiries(
  p_bucket integer,
  p_vendor_id integer,
  p_before timestamptz,
  p_limit integer
) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_before timestamptz := p_before;
  v_sequences bigint[];
begin
  if session_user <> current_user then
    select least(p_before, now() - least_days * interval '1 day') into v_before from enquiry_retention
    where least_days is not null;
    if not found then
      return 0;
    end if;
  end if;
  v_sequences := array(
    select sequence from enquiries
    where bucket = p_bucket and vendor_id = p_vendor_id and enquired_at < v_before
      and sealed_payload is not null
    limit p_limit);
  update enquiries set sealed_payload = null
  where bucket = p_bucket and vendor_id = p_vendor_id and sequence = any (v_sequences);
  return cardinality(v_sequences);
end
$$;
revoke all on function erase_enquiries from public;
