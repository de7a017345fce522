-- Which program made the database: the sandbox, whose keys are public, or the service of `serve`. No row: nobody
-- has started on it yet. Nothing changes it afterwards, and a backup or a copy of the database has it too.
create table database_purpose (
  marked_at timestamptz not null,
  -- When the demo data of a sandbox was ended that an earlier version had mixed into production.
  demo_ended_at timestamptz,
  purpose text primary key check (purpose in ('sandbox', 'production'))
);
create unique index database_purpose_one on database_purpose ((true));
