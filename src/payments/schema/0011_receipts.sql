-- Money in from providers and banks. A receipt is one payment of a customer to one of our accounts at
-- a provider. It may be reported several times and by several sources, and is credited once.

-- Where receipts are reported: a short code at Safaricom, a bank account.
create table receipt_sources (
  source_code text primary key check (source_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  -- The protocol: daraja or statement.
  kind text not null check (kind in ('daraja', 'statement')),
  -- In whose name its receipts are collected.
  collector text not null,
  settings jsonb not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- What has been pulled, and when the next pull is due.
  pulled_until timestamptz,
  pull_due_at timestamptz not null default '-infinity'
);

-- Account numbers that customers pay to, and their vendors. A row is ended, never changed.
create table receipt_accounts (
  added_at timestamptz not null,
  ended_at timestamptz,
  account_id uuid primary key,
  vendor_id integer not null,
  source_code text not null references receipt_sources,
  account text not null check (account ~ '^[A-Z0-9]{1,20}$'),
  added_by text not null,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
create unique index receipt_accounts_once on receipt_accounts (source_code, account)
  where ended_at is null;

-- One row for each receipt, whichever sources reported it. Its key crosses vendors: one receipt
-- credits one vendor.
create table receipts (
  paid_at timestamptz not null,
  received_at timestamptz not null,
  proposed_at timestamptz,
  decided_at timestamptz,
  reversed_at timestamptz,
  amount_cents bigint not null check (amount_cents > 0),
  receipt_id uuid not null unique,
  -- Null: not assigned to a vendor.
  vendor_id integer,
  -- Who numbers the receipts: mpesa, or a source whose numbers are its own.
  issuer text not null,
  receipt text not null,
  source_code text not null,
  collector text not null,
  -- As the customer gave it; null: the source has none.
  account text,
  -- Name and masked number, for the people who assign it.
  payer text,
  -- The number of the bank’s entry that the receipt is a part of.
  batch text,
  -- claimed: for its vendor, not credited yet. unconfirmed: to be confirmed by another source.
  -- misdated: reported with a time in the future.
  -- disputed: could not be credited. closed: people decided that it belongs to no vendor.
  state text not null check (state in
    ('unmatched', 'unconfirmed', 'misdated', 'claimed', 'credited', 'disputed', 'closed')),
  -- One person proposes a decision; another one approves it.
  proposal jsonb,
  proposed_by text,
  decided_by text,
  -- HMAC-SHA-256 of the row under the ledger's key: database access alone is not enough to claim one.
  mac bytea not null,
  primary key (issuer, receipt),
  constraint receipts_assigned check ((vendor_id is not null) = (state in ('claimed', 'credited', 'disputed'))),
  constraint receipts_proposal check (num_nulls(proposal, proposed_by, proposed_at) in (0, 3)),
  constraint receipts_decision check (num_nulls(decided_by, decided_at) in (0, 2)),
  constraint receipts_two_people check (decided_by is null
    or (proposed_by is not null and lower(decided_by) <> lower(proposed_by)))
);
create index receipts_by_account on receipts (source_code, account, paid_at);
create index receipts_by_batch on receipts (issuer, batch) where batch is not null;
create index receipts_proposed on receipts (proposed_at, receipt_id)
  where proposal is not null and state in ('unmatched', 'unconfirmed', 'misdated');
create index receipts_open on receipts (state, received_at) where state not in ('credited', 'closed');

-- Each different report of a receipt. Append-only.
create table receipt_reports (
  reported_at timestamptz not null,
  paid_at timestamptz not null,
  amount_cents bigint not null,
  receipt_id uuid not null,
  source_code text not null,
  channel text not null check (channel in ('confirmation', 'pull', 'stk', 'statement')),
  account text not null,
  primary key (receipt_id, source_code, channel, amount_cents, account, paid_at)
);

-- Debits of bank statements that were no return of a receipt known then. A credit of this number and
-- amount that is reported later is not credited: the bank may have listed its return first.
-- Append-only.
create table receipt_debits (
  booked_at timestamptz not null,
  reported_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  issuer text not null,
  receipt text not null,
  source_code text not null,
  primary key (issuer, receipt, amount_cents)
);

-- What happened to a receipt, and who decided it. Append-only.
create table receipt_events (
  at timestamptz not null,
  receipt_id uuid not null,
  event_id uuid not null,
  action text not null check (action in
    ('claimed', 'credited', 'disputed', 'conflict', 'reversed', 'proposed', 'rejected', 'approved')),
  actor text not null,
  detail jsonb not null,
  primary key (receipt_id, event_id)
);

-- Payment prompts sent to phones, with which vendors top up their floats. Recorded before they are sent,
-- and never sent twice. They credit nothing: the payment is reported as a receipt.
create table receipt_pushes (
  created_at timestamptz not null,
  -- When the provider was last asked for the result.
  asked_at timestamptz,
  amount_cents bigint not null check (amount_cents > 0),
  push_id uuid primary key,
  vendor_id integer not null,
  source_code text not null references receipt_sources,
  account text not null,
  phone text not null,
  -- The provider's own id.
  checkout_id text,
  state text not null check (state in
    ('recorded', 'sent', 'refused', 'unknown', 'paid', 'failed')),
  reason text
);
create unique index receipt_pushes_open on receipt_pushes (vendor_id)
  where state in ('recorded', 'sent');
create unique index receipt_pushes_telephone on receipt_pushes (phone)
  where state in ('recorded', 'sent');
