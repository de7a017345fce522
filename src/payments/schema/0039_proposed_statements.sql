-- Files that people upload and other people decide about, from the proposal on. A proposal names its file by its
-- hash. Append-only.
create table uploaded_files (
  kept_at timestamptz not null,
  sha256 bytea not null,
  part integer not null,
  content bytea not null,
  primary key (sha256, part)
);

-- Bank statements that two people have accepted. They are taken line by line, after the decision.
create table accepted_statements (
  accepted_at timestamptz not null,
  -- When all of its lines were taken.
  done_at timestamptz,
  proposal_id uuid primary key,
  source_code text not null,
  -- How many lines had each result.
  counts jsonb
);
create index accepted_statements_open on accepted_statements (accepted_at) where done_at is null;
