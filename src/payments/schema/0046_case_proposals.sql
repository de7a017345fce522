-- oldest release: 8
-- How a case is resolved is proposed and decided as a proposal (see `src/proposals`). The row keeps who decided it. What
-- waited has to be proposed again, because its code is another one; nothing of it was posted. The history of the case
-- says so, and keeps what was proposed.
alter table case_events
  drop constraint case_events_action_check,
  add constraint case_events_action_check
    check (action in ('opened', 'proposed', 'rejected', 'approved', 'withdrawn', 'expired'));
insert into case_events (bucket, vendor_id, case_id, event_id, at, action, actor, detail)
select bucket, vendor_id, case_id, gen_random_uuid(), clock_timestamp(), 'expired', 'malipo',
  jsonb_build_object('note', 'It waited while Malipo was upgraded, and has to be proposed again.',
    'resolution', proposal ->> 'resolution', 'expired', proposal, 'proposed_by', proposed_by)
from cases where proposal is not null and resolved_at is null;
alter table cases
  drop constraint cases_proposal,
  drop constraint cases_two_people;
update cases set proposed_by = null where resolved_at is null and proposed_by is not null;
alter table cases
  drop column proposal,
  drop column proposal_id,
  drop column proposed_at,
  drop column proposal_mac,
  add constraint cases_two_people check (num_nulls(proposed_by, resolved_by) = 2
    or num_nulls(proposed_by, resolved_by) = 0 and lower(resolved_by) <> lower(proposed_by));
