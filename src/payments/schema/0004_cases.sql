-- Contradictions that people resolve, and their decisions. Vendor 0 is the company that runs this service:
-- its accounts hold what concerns no vendor, such as what an operator owes us.

-- A case is about a payment, or evidence that no payment explains, or both. There is at most one open
-- case of a kind about the same subject. A case never changes the ledger by itself.
create table cases (
  opened_at timestamptz not null,
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
  -- One person proposed the resolution, another one approved it (see `src/proposals`).
  proposed_by text,
  resolution text,
  resolved_by text,
  primary key (bucket, vendor_id, case_id),
  constraint cases_kind check (kind in ('contradiction', 'amount_difference', 'ours_only',
    'theirs_only', 'duplicate', 'statement_change', 'float_difference', 'unmatched_callback',
    'no_answer', 'details_conflict', 'exposure', 'receipt_conflict', 'receipt_reversed')),
  constraint cases_resolution check (num_nulls(resolution, resolved_by, resolved_at) in (0, 3)),
  constraint cases_two_people check (num_nulls(proposed_by, resolved_by) = 2
    or num_nulls(proposed_by, resolved_by) = 0 and lower(resolved_by) <> lower(proposed_by))
);
create unique index cases_open_once on cases (bucket, vendor_id, kind, payment_id, evidence_id)
  nulls not distinct where resolved_at is null;
create index cases_by_payment on cases (bucket, vendor_id, payment_id);
-- What people quote of a payment that only an operator reports: our reference, the account, the operator's reference.
-- Upper case, because people type it. There are few cases, so the index is made quickly.
create index cases_by_name on cases using gin ((array[upper(facts ->> 'reference'), upper(facts ->> 'account'),
  upper(facts ->> 'operator_reference'), upper(facts #>> '{report,operatorReference}')]))
  where kind in ('theirs_only', 'unmatched_callback');

-- The history of a case. Append-only.
create table case_events (
  at timestamptz not null,
  case_id uuid not null,
  event_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  action text not null check (action in
    ('opened', 'proposed', 'rejected', 'approved', 'withdrawn', 'expired')),
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

-- After a restore the ledger lacks what operators executed after the backup. Until their statements are
-- reconciled, nothing is sent: while a quarantine is open, no dispatcher claims a payment to send, and
-- every biller is OFFLINE.

create table quarantines (
  entered_at timestamptz not null,
  -- What happened between these times may be missing from the ledger.
  lost_from timestamptz not null,
  lost_until timestamptz not null check (lost_until >= lost_from),
  released_at timestamptz,
  quarantine_id uuid primary key,
  reason text not null,
  released_by text,
  -- By all that is known, nothing is missing, as after the promotion of a synchronous standby.
  seems_complete boolean not null default false,
  -- HMAC-SHA-256 of the release under the ledger's key; null while it is open.
  release_mac bytea,
  -- Released without the statements, which two people decide.
  forced boolean not null default false,
  check ((released_at is null) = (released_by is null))
);
create unique index quarantines_one_open on quarantines ((true)) where released_at is null;
create index quarantines_by_end on quarantines (lost_until);

-- The history of a quarantine. Append-only. The event id makes an entry idempotent, so that an interrupted
-- start enters the quarantine of a restore once.
create table quarantine_events (
  at timestamptz not null,
  event_id uuid primary key,
  quarantine_id uuid not null references quarantines,
  action text not null check (action in ('entered', 'extended', 'released', 'reopened')),
  actor text not null,
  detail jsonb not null
);
