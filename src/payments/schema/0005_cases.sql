-- Contradictions that people resolve, and their decisions. Vendor 0 is the company that runs this service:
-- its accounts hold what concerns no vendor, such as what an operator owes us.

-- A case is about a payment, or evidence that no payment explains, or both. There is at most one open
-- case of a kind about the same subject. A case never changes the ledger by itself.
create table cases (
  opened_at timestamptz not null,
  proposed_at timestamptz,
  resolved_at timestamptz,
  case_id uuid not null,
  payment_id uuid,
  -- A statement row, a callback, a correction.
  evidence_id uuid,
  bucket integer not null,
  vendor_id integer not null,
  kind text not null,
  operator_code text,
  facts jsonb not null,
  -- One person proposes a resolution; another one approves it.
  proposal jsonb,
  -- Changes with every proposal, so that an approval names the proposal that the approver saw.
  proposal_id uuid,
  proposed_by text,
  resolution text,
  resolved_by text,
  primary key (bucket, vendor_id, case_id),
  constraint cases_kind check (kind in ('contradiction', 'amount_difference', 'ours_only',
    'theirs_only', 'duplicate', 'statement_change', 'float_difference', 'unmatched_callback',
    'no_answer', 'exposure', 'receipt_conflict', 'receipt_reversed')),
  constraint cases_proposal check
    (num_nulls(proposal, proposal_id, proposed_by, proposed_at) in (0, 4)),
  constraint cases_resolution check (num_nulls(resolution, resolved_by, resolved_at) in (0, 3)),
  constraint cases_two_people check (resolved_at is null
    or (proposed_by is not null and lower(resolved_by) <> lower(proposed_by)))
);
create unique index cases_open_once on cases (bucket, vendor_id, kind, payment_id, evidence_id)
  nulls not distinct where resolved_at is null;
create index cases_by_payment on cases (bucket, vendor_id, payment_id);

-- The history of a case. Append-only.
create table case_events (
  at timestamptz not null,
  case_id uuid not null,
  event_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  action text not null check (action in ('opened', 'proposed', 'rejected', 'approved')),
  actor text not null,
  detail jsonb not null,
  primary key (bucket, vendor_id, case_id, event_id)
);

-- The transfers of an approved resolution have its correction_id as their source.
create table corrections (
  posted_at timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 0),
  correction_id uuid not null,
  case_id uuid not null,
  -- The payment it concerns, also when the transfers are between accounts of vendor 0.
  payment_id uuid,
  bucket integer not null,
  vendor_id integer not null,
  resolution text not null,
  -- Set when it changes the outcome that the vendor sees.
  outcome_before text check (outcome_before in ('success', 'failed')),
  outcome_after text check (outcome_after in ('success', 'failed')),
  -- SHA-256 of the outcome and details that it replaced.
  settled_before bytea,
  -- HMAC-SHA-256 under the ledger's key, of the row and of the people who decided.
  mac bytea,
  primary key (bucket, vendor_id, correction_id),
  check ((outcome_before is null) = (outcome_after is null)),
  check ((outcome_before is null) = (settled_before is null))
);
create index corrections_by_time on corrections using brin (posted_at);
create index corrections_by_payment on corrections (payment_id)
  where payment_id is not null;
