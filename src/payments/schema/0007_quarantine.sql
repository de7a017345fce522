-- After a restore the books lack what was done since the backup, while operators remember. Until
-- their statements were matched nothing is sent: as long as there is an open quarantine no dispatcher
-- claims a payment to be sent, and every biller is OFFLINE.

create table quarantines (
  entered_at timestamptz not null,
  -- What was done in between may be missing from the books.
  lost_from timestamptz not null,
  lost_until timestamptz not null check (lost_until >= lost_from),
  released_at timestamptz,
  quarantine_id uuid primary key,
  reason text not null,
  released_by text,
  -- One person wants a release without the statements; another one has to want it, too.
  force_proposed_by text,
  force_reason text,
  forced boolean not null default false,
  check ((released_at is null) = (released_by is null)),
  check ((force_proposed_by is null) = (force_reason is null)),
  constraint quarantines_two_people check (not forced
    or (released_by is not null and lower(released_by) <> lower(force_proposed_by)))
);
create unique index quarantines_one_open on quarantines ((true)) where released_at is null;
create index quarantines_by_end on quarantines (lost_until);

-- Who did what. Append-only; an event's id makes it once, so that a start that was cut short enters
-- the quarantine of a restore once.
create table quarantine_events (
  at timestamptz not null,
  event_id uuid primary key,
  quarantine_id uuid not null references quarantines,
  action text not null check (action in ('entered', 'extended', 'force_proposed', 'released')),
  actor text not null,
  detail jsonb not null
);
