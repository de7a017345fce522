-- The scorecards in use, and how well they perform.

insert into settings_versions (topic, version) values ('scorecards', 1);

-- Cards that every process can read, in addition to those of the folder scorecards. Never changed: an
-- enquiry names its card as id@version. Append-only.
create table scorecards (
  card text primary key check (card ~ '^[a-z][a-z0-9-]{0,40}@[0-9]{1,9}$'),
  kind text not null check (kind in ('generic', 'mobile')),
  body jsonb not null,
  added_at timestamptz not null
);

-- Which card answers (champion) and which is scored alongside without being answered (challenger).
-- The newest row of a kind counts. Append-only.
create table scorecard_changes (
  change_id uuid primary key,
  changed_at timestamptz not null,
  kind text not null check (kind in ('generic', 'mobile')),
  -- Null: the highest version of the folder scorecards.
  champion text,
  challenger text,
  reason text not null
);
create index scorecard_changes_by_kind on scorecard_changes (kind, changed_at, change_id);

-- How well the scores of a month performed, as last measured.
create table scorecard_months (
  month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  kind text not null,
  card text not null,
  role text not null check (role in ('champion', 'challenger')),
  measured_at timestamptz not null,
  people integer not null,
  -- Null: not known.
  stability_index double precision,
  -- For people whose period of observation has ended: mean probability, and share that defaulted.
  predicted double precision,
  observed double precision,
  primary key (month, kind, card, role)
);

-- Decisions of lenders against the score. Append-only.
create table score_overrides (
  bucket integer not null,
  vendor_id integer not null,
  -- The enquiry in its vendor's chain.
  sequence bigint not null,
  override_id uuid not null,
  recorded_at timestamptz not null,
  -- What the lender decided against the score.
  decision text not null check (decision in ('approved', 'declined')),
  reason text not null,
  decided_by text not null,
  -- Of the enquiry, for counting.
  enquired_at timestamptz not null,
  card text not null,
  score text not null,
  primary key (bucket, vendor_id, sequence, override_id)
);
