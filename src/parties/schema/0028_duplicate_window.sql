-- For how long an equal payment makes a new one a likely duplicate. Longer than the usual 30 s for vendors whose
-- references are optional: clients repeat a create for up to a minute.
alter table vendors add column duplicate_window_seconds integer not null default 30
  check (duplicate_window_seconds in (30, 120));
