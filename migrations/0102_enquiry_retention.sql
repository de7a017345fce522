-- Retention finds what it has still to erase without reading what is kept or erased already.
create index enquiries_to_erase on enquiries (vendor_id, enquired_at)
  where sealed_payload is not null;
create index upstream_calls_to_erase on upstream_calls (vendor_id, started_at)
  where sealed_answer is not null;

-- How long enquiries are kept at least, as the owner has set it; null: for ever. `migrate` and the
-- start write CREDIT_ENQUIRY_RETENTION_DAYS here, where they are the owner.
create table enquiry_retention (
  one_row boolean primary key default true check (one_row),
  least_days integer check (least_days > 0)
);
insert into enquiry_retention (least_days) values (1826);

-- Erase what enquiries of one vendor hold of people, at most so many; the rows and the chain stay.
-- The runtime role has no other way to change an enquiry, and none before its time. The owner may
-- at any time.
create function erase_enquiries(p_vendor_id integer, p_before timestamptz, p_limit integer)
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
