-- oldest release: 8
-- Entries and journals of the house are proposed and decided as proposals (see `src/proposals`). A row here was booked,
-- so rows are only inserted; of an entry, the row of a statement that lists it is added. What waited has to be proposed
-- again; nothing of it was booked.
delete from house_entries where decision is distinct from 'approved';
delete from house_journals where decision is distinct from 'approved';
drop index house_entries_once;
drop index house_journals_once;
alter table house_entries
  drop constraint house_entries_decision,
  drop constraint house_entries_two_people,
  drop constraint house_entries_confirmed,
  drop constraint house_entries_dates,
  drop column decision,
  drop column proposed_at,
  drop column proposal_mac,
  alter column decided_at set not null,
  alter column decided_by set not null,
  add constraint house_entries_two_people check (lower(decided_by) <> lower(proposed_by)),
  add constraint house_entries_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799));
alter table house_journals
  drop constraint house_journals_decision,
  drop constraint house_journals_two_people,
  drop constraint house_journals_dates,
  drop column decision,
  drop column proposed_at,
  drop column proposal_mac,
  alter column decided_at set not null,
  alter column decided_by set not null,
  add constraint house_journals_two_people check (lower(decided_by) <> lower(proposed_by)),
  add constraint house_journals_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799));
-- However the reference is spelt: see `plainReference`.
create unique index house_entries_once on house_entries
  (kind, subject, lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));
create unique index house_journals_once on house_journals
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));
