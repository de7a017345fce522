-- What one person proposes about people on file, lenders' files, suppression rules and scorecards, and
-- another one decides. The content never changes: who approves it approves what was shown. Append-only
-- except for the decision.
create table credit_proposals (
  proposal_id uuid primary key,
  -- Of what one proposal at a time waits for a decision, such as a subject or a rule.
  about text not null,
  -- {"kind", …}: references, never names or documents of people (content.ts).
  content jsonb not null check (content ->> 'kind' in
    ('merge', 'unmerge', 'dispute', 'case', 'import', 'suppression', 'suppression_end', 'scorecard')),
  -- The case that led to it; an approval closes it.
  case_id uuid,
  reason text not null,
  -- Where it can be looked up.
  evidence text not null,
  proposed_by text not null,
  -- No finer than what the authentication code covers.
  proposed_at timestamptz(3) not null,
  decision text check (decision in ('approved', 'rejected')),
  decided_by text,
  decided_at timestamptz(3),
  -- Authentication code of the proposal with its decision, which only the service can create.
  mac bytea not null,
  constraint credit_proposals_decision check (num_nulls(decision, decided_by, decided_at) in (0, 3)),
  constraint credit_proposals_two_people check (decision is distinct from 'approved'
    or lower(decided_by) <> lower(proposed_by))
);
create unique index credit_proposals_open on credit_proposals (about) where decision is null;
create index credit_proposals_by_time on credit_proposals (proposed_at, proposal_id);
create index credit_proposals_by_case on credit_proposals (case_id) where case_id is not null;
