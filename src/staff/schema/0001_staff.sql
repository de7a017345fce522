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
