-- Deletes up to p_limit events of one vendor that are past retention: 30 days, as in
-- src/platform/base/limits.ts. The runtime role cannot delete events in any other way.
-- p_first_id_after: the first id of the instant p_before; older events have smaller ids.
create or replace function delete_old_events(
  p_bucket integer,
  p_vendor_id integer,
  p_before timestamptz,
  p_first_id_after uuid,
  p_limit integer
) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_ids uuid[];
  v_count bigint;
begin
  v_ids := array(
    select e.event_id from events e
    where e.bucket = p_bucket and e.vendor_id = p_vendor_id and e.event_id < p_first_id_after
      -- The sum keeps the planner to the index by id, however many events there are.
      and e.occurred_at + interval '0' < least(p_before, now() - interval '30 days')
    limit p_limit);
  delete from events e
  where e.bucket = p_bucket and e.vendor_id = p_vendor_id and e.event_id = any (v_ids);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
revoke all on function delete_old_events from public;
