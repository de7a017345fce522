-- Deletes up to p_limit events of one vendor that are past retention: 30 days, as in
-- src/platform/base/limits.ts. The runtime role cannot delete events in any other way.
-- p_first_id_after: the first id of the instant p_before; older events have smaller ids.
create or replace function delete_old_events(
  p_vendor_id integer,
  p_before timestamptz,
  p_first_id_after uuid,
  p_limit integer
) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from events where vendor_id = p_vendor_id and event_id in (
      select event_id from events
      where vendor_id = p_vendor_id and event_id < p_first_id_after and occurred_at < p_before
        and occurred_at < now() - interval '30 days'
      limit p_limit)
    returning event_id
  )
  select count(*) from gone
$$;
revoke all on function delete_old_events from public;
