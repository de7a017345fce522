-- What vendors are told unasked: an event for every end of a payment, and every correction of one,
-- written in the commit that makes it so, for vendors that have a webhook.

-- Written seldom: its counts move when it begins to fail and when it is well again.
create table webhooks (
  changed_at timestamptz not null,
  -- Of the failures since the last delivery.
  failing_since timestamptz,
  -- Its events wait.
  disabled_at timestamptz,
  vendor_id integer primary key,
  failure_count integer not null default 0 check (failure_count >= 0),
  -- It may be plain http and lead into a private network.
  allows_private boolean not null,
  url text not null,
  disabled_reason text,
  check ((failing_since is null) = (failure_count = 0)),
  check ((disabled_at is null) = (disabled_reason is null))
);

-- The particulars are those of the moment: what is sent again days later is what was sent first.
create table events (
  occurred_at timestamptz not null,
  -- When it is to be sent; while it is being sent, when that has taken too long. Null: not any more.
  due_at timestamptz,
  -- Of the attempts that count, which a replay begins anew.
  first_attempt_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  biller_response_time timestamptz,
  amount_cents bigint not null,
  -- The payment's id for its end, the correction's for a correction: what happened once is one
  -- event, however often it is written, even when it is found again after a restore.
  event_id uuid not null,
  payment_id uuid not null,
  vendor_id integer not null,
  attempt_count integer not null default 0,
  type text not null check (type in
    ('transaction.succeeded', 'transaction.failed', 'transaction.corrected')),
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given_up')),
  outcome text not null check (outcome in ('success', 'failed')),
  biller_code text not null,
  account text not null,
  merchant_reference text,
  biller_reference text,
  message text,
  failure_code text,
  details jsonb,
  -- What came of the last attempt.
  last_result text,
  primary key (vendor_id, event_id),
  check ((due_at is not null) = (state = 'waiting')),
  check ((ended_at is null) = (state = 'waiting'))
);
create index events_due on events (vendor_id, due_at) where due_at is not null;
