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
  backup_id uuid primary key,
  folder text not null
);
