-- oldest release: 8
-- Another person confirms a person by a proposal (see `src/proposals/parties`). Who waits keeps waiting: until the first
-- start has proposed it, the column names the person who has to propose it. The code of the row covers it as before.
alter table people drop constraint people_link_by_fkey;
alter table people rename column link_by to waits_for;
-- The code of a link covers it, so links that were made before cannot be used any more.
alter table person_links add column waits_for uuid;
