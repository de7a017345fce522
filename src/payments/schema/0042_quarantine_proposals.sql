-- oldest release: 8
-- A release without the statements is proposed and decided as a proposal (see `src/proposals`). One that waited has to
-- be proposed again. The code shows that the service wrote a release: one without it is undone, also one from before.
delete from quarantine_events where action = 'force_proposed';
alter table quarantine_events
  drop constraint quarantine_events_action_check,
  add constraint quarantine_events_action_check
    check (action in ('entered', 'extended', 'released', 'reopened'));
alter table quarantines
  drop constraint quarantines_two_people,
  drop column force_proposed_at,
  drop column force_proposed_by,
  drop column force_reason,
  drop column force_proposal_id,
  drop column force_missing,
  -- HMAC-SHA-256 under the ledger's key; null while it is open.
  add column release_mac bytea;
