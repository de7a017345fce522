-- Erases the personal data of up to p_limit enquiries of one vendor; the rows and the chain stay. The
-- runtime role cannot change an enquiry in any other way, and not before the retention ends. The owner
-- can erase at any time.
create or replace function erase_enquiries(p_vendor_id integer, p_before timestamptz, p_limit integer)
returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with erased as (
    update enquiries set sealed_payload = null
    where vendor_id = p_vendor_id and sequence in (
      select sequence from enquiries
      where vendor_id = p_vendor_id and enquired_at < p_before and sealed_payload is not null
        and (session_user = current_user
          or enquired_at < now() - (select least_days from enquiry_retention) * interval '1 day')
      limit p_limit)
    returning sequence
  )
  select count(*) from erased
$$;
revoke all on function erase_enquiries from public;
