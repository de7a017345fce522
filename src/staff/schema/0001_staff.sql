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
  primary key (caller, key)
);
create index action_answers_by_time on action_answers (at);
