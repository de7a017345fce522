-- Webhooks: for vendors that have one, an event for every settlement and every correction of a payment,
-- inserted in the same commit.

-- Rarely written: the counts change when deliveries start to fail and when they succeed again.
create table webhooks (
  changed_at timestamptz not null,
  -- The first failure since the last successful delivery.
  failing_since timestamptz,
  -- While it is disabled, its events wait.
  disabled_at timestamptz,
  bucket integer not null,
  vendor_id integer not null,
  failure_count integer not null default 0 check (failure_count >= 0),
  -- The URL may be plain http and may point to a private network.
  allows_private boolean not null,
  url text not null,
  disabled_reason text,
  -- The types of events that are not sent. New types are.
  off_types text[] not null default '{}',
  primary key (bucket, vendor_id),
  check ((failing_since is null) = (failure_count = 0)),
  check ((disabled_at is null) = (disabled_reason is null))
);

-- The details are copied, so that a later delivery has the same content as the first one.
create table events (
  occurred_at timestamptz not null,
  -- When to send it. While it is being sent: when to send it again if no result is recorded. Null: never again.
  due_at timestamptz,
  -- The first attempt; a replay starts again.
  first_attempt_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  biller_response_time timestamptz,
  amount_cents bigint not null,
  -- The payment's id for a settlement, the correction's for a correction, so that one cause is one event,
  -- even when it is recorded again after a restore.
  event_id uuid not null,
  payment_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  attempt_count integer not null default 0,
  type text not null check (type in
    ('transaction.succeeded', 'transaction.failed', 'transaction.corrected',
     -- About a customer that the vendor watches. The columns of a payment are empty; the facts are in details.
     'credit.default', 'credit.enquiry', 'credit.score_drop',
     -- About the vendor's float; columns and facts as above.
     'float.low', 'float.recovered')),
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given_up', 'off')),
  outcome text not null check (outcome in ('success', 'failed')),
  biller_code text not null,
  account text not null,
  merchant_reference text,
  biller_reference text,
  message text,
  failure_code text,
  details jsonb,
  -- The result of the last attempt.
  last_result text,
  primary key (bucket, vendor_id, event_id),
  check ((due_at is not null) = (state = 'waiting')),
  check ((ended_at is null) = (state = 'waiting'))
);
create index events_due on events (bucket, vendor_id, due_at) where due_at is not null;
-- For lists of what is rare among the events of a vendor. Neither has the common event, which succeeds
-- and is delivered, so settlements do not pay for them.
create index events_not_sent on events (bucket, vendor_id, state, event_id)
  where state in ('given_up', 'off');
create index events_of_rare_types on events (bucket, vendor_id, type, event_id)
  where type <> 'transaction.succeeded';
-- The order in which they happened, for vendors that follow their events.
create index events_by_time on events (bucket, vendor_id, occurred_at, event_id);
