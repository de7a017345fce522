-- Removes events of one vendor that are past retention, at most so many. The runtime role has no
-- other way to remove any, and none to remove younger ones: 30 days, as in src/platform/base/limits.ts.
-- p_first_id_after: the first id of p_before; ids of older events are smaller.
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
