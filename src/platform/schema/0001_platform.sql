-- Versions of the settings that processes hold in memory, by topic. A topic's version changes in the
-- same commit as its rows; processes compare it and reload.
create table settings_versions (
  topic text primary key,
  version bigint not null
);

-- Backups of the embedded database that were completed and verified.
create table backups (
  started_at timestamptz not null,
  ended_at timestamptz not null,
  bytes bigint not null,
  -- Where it ends in the write-ahead log: the archive continues from there.
  stop_lsn pg_lsn not null,
  timeline integer not null,
  backup_id uuid primary key,
  folder text not null
);

-- What the database remembers of its own history: one row. A restored copy remembers an earlier state, and
-- runs on another timeline, or in another cluster, or knows fewer beats than places outside the database.
create table database_history (
  seen_at timestamptz not null,
  -- Counts up every few seconds while a service uses the database.
  beats bigint not null,
  epoch_beats bigint not null,
  installation_id uuid primary key,
  -- Counts the changes that were noticed.
  epoch integer not null,
  timeline integer,
  seemed_complete boolean not null,
  synchronous boolean not null,
  system_identifier text,
  -- TIME_ZONE of the service that started last; null: none has. Commands read times as it does.
  time_zone text
);
create unique index database_history_one on database_history ((true));

-- The processes that use the database. After a promotion each of them confirms, with the new epoch, that the
-- database has everything that it acknowledged. A process that stops removes its row.
create table database_processes (
  seen_at timestamptz not null,
  process_id uuid primary key,
  -- The last epoch that it confirmed, and the one in which it started.
  epoch integer not null,
  first_epoch integer not null,
  -- For people.
  name text not null
);

-- Which program made the database: the sandbox, whose keys are public, or the service of `serve`. No row: nobody
-- has started on it yet. Nothing changes it afterwards, and a backup or a copy of the database has it too.
create table database_purpose (
  marked_at timestamptz not null,
  -- When the demo data of a sandbox was ended that an earlier version had mixed into production.
  demo_ended_at timestamptz,
  purpose text primary key check (purpose in ('sandbox', 'production'))
);
create unique index database_purpose_one on database_purpose ((true));
