-- What one person proposes and another one decides, of every kind. Rows are only inserted, so the role that the
-- service runs as cannot put a decided proposal back: `is_open` is for lists alone.
create table proposals (
  proposed_at timestamptz(3) not null,
  -- Null: it waits until somebody decides.
  expires_at timestamptz(3),
  proposal_id uuid primary key,
  kind text not null,
  -- The kind, and what it is about, such as a receipt. Of each, one proposal waits at a time.
  about text not null,
  -- References and amounts, never personal data. It never changes.
  content jsonb not null,
  -- What an approval would have done when it was proposed, for lists.
  shown jsonb not null,
  note text not null,
  proposed_by text not null,
  -- Null: a name on the command line, which counts only until staff sign in with one-time codes.
  proposer_id uuid,
  -- Null: it concerns no vendor. For lists, and for the vendor's own people.
  vendor_id integer,
  -- Whether it is decided follows from the other table.
  is_open boolean not null default true,
  -- HMAC-SHA-256 under the ledger's key of everything above but is_open.
  mac bytea not null
);
create unique index proposals_open on proposals (about) where is_open;
create index proposals_by_time on proposals (proposed_at, proposal_id);
-- The proposals about one case, whatever else they contain (`having` of listProposals).
create index proposals_by_content on proposals using gin (content jsonb_path_ops);

-- The primary key makes a decision final: of two at the same time, the second waits and is refused.
create table proposal_decisions (
  decided_at timestamptz(3) not null,
  proposal_id uuid primary key references proposals,
  decision text not null check (decision in ('approved', 'rejected', 'withdrawn', 'expired')),
  decided_by text not null,
  -- Null: a name on the command line, or the service.
  decider_id uuid,
  note text not null,
  -- True: it took effect when it was proposed, because there was no second person.
  is_alone boolean not null,
  -- What was carried out; null unless it was approved.
  carried_out jsonb,
  -- HMAC-SHA-256 of the decision and of the code of its proposal.
  mac bytea not null,
  check ((carried_out is not null) = (decision = 'approved')),
  check (decision = 'approved' or not is_alone)
);
