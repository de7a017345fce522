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

-- What programs asked for with an Idempotency-Key, and the answers, for a day. A row without an answer: the action is
-- under way, or how it ended is not known.
create table action_answers (
  at timestamptz not null,
  -- A person's id, or a token's.
  caller uuid not null,
  key text not null,
  action text not null,
  -- SHA-256 of the input.
  input_hash bytea not null,
  -- Null also if the answer had a secret, which is shown once.
  answer jsonb,
  -- {code, text, field} of an action that was carried out and ended in this refusal.
  refusal jsonb,
  check (answer is null or refusal is null),
  primary key (caller, key)
);
create index action_answers_by_time on action_answers (at);

-- Long work that somebody began, which goes on after the answer.
create table jobs (
  job_id uuid primary key,
  -- Of the action that began it.
  name text not null,
  -- Only people with this permission see the job.
  permission text not null,
  started_at timestamptz not null,
  started_by text not null,
  -- {done, of, what}
  progress jsonb,
  -- The process that works on it renews this. If it is over before the job ended, that process is gone.
  leased_until timestamptz not null,
  ended_at timestamptz,
  -- Null while it is under way, or after its process was killed. Failed: the work did, or a check found something.
  outcome text check (outcome in ('done', 'failed', 'interrupted')),
  -- Its names in the order in which people see them.
  result json,
  error text,
  check ((ended_at is null) = (outcome is null)),
  check (outcome is not null or (result is null and error is null))
);
-- Never twice at once.
create unique index jobs_under_way on jobs (name) where ended_at is null;
create index jobs_by_time on jobs (started_at, job_id);
