-- After a restore the ledger lacks what operators executed after the backup. Until their statements are
-- reconciled, nothing is sent: while a quarantine is open, no dispatcher claims a payment to send, and
-- every biller is OFFLINE.

create table quarantines (
  entered_at timestamptz not null,
  -- What happened between these times may be missing from the ledger.
  lost_from timestamptz not null,
  lost_until timestamptz not null check (lost_until >= lost_from),
  released_at timestamptz,
  force_proposed_at timestamptz,
  quarantine_id uuid primary key,
  reason text not null,
  released_by text,
  -- By all that is known, nothing is missing, as after the promotion of a synchronous standby.
  seems_complete boolean not null default false,
  -- One person proposes a release without the statements; another one must confirm it.
  force_proposed_by text,
  force_reason text,
  -- The proposal that a confirmation must name, and the operators whose statements were missing then.
  force_proposal_id uuid,
  force_missing text[],
  forced boolean not null default false,
  check ((released_at is null) = (released_by is null)),
  check (num_nulls(force_proposed_at, force_proposed_by, force_reason, force_proposal_id, force_missing)
    in (0, 5)),
  constraint quarantines_two_people check (not forced
    or (released_by is not null and lower(released_by) <> lower(force_proposed_by)))
);
create unique index quarantines_one_open on quarantines ((true)) where released_at is null;
create index quarantines_by_end on quarantines (lost_until);

-- The history of a quarantine. Append-only. The event id makes an entry idempotent, so that an interrupted
-- start enters the quarantine of a restore once.
create table quarantine_events (
  at timestamptz not null,
  event_id uuid primary key,
  quarantine_id uuid not null references quarantines,
  action text not null check (action in ('entered', 'extended', 'force_proposed', 'released')),
  actor text not null,
  detail jsonb not null
);
