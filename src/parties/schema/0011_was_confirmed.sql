-- oldest release: 8
-- Whether the person has ever been confirmed. Somebody whom one administrator invited, and nobody could confirm, is not
-- the second person without whom nothing is decided. Of people of an earlier release nobody knows.
alter table people add column was_confirmed boolean not null default false;
update people set was_confirmed = true where credentials_at is not null;
