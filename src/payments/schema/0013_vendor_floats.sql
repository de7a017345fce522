-- The vendors' floats that are monitored: below which limit a vendor is notified, and what it spends. The
-- float of a vendor without a row is not monitored.
create table vendor_floats (
  changed_at timestamptz not null,
  -- Below it the vendor is notified; null: never.
  low_cents bigint check (low_cents > 0),
  -- The total cost of its payments when it was last read.
  paid_out_cents bigint,
  vendor_id integer primary key,
  state text not null default 'enough' check (state in ('enough', 'low')),
  -- Who set the limit.
  set_by text not null
);

-- What the vendor's payments cost in an hour. Old hours are deleted.
create table vendor_float_hours (
  hour timestamptz not null,
  spent_cents bigint not null check (spent_cents >= 0),
  vendor_id integer not null,
  primary key (vendor_id, hour)
);

-- Rules for automatic top-ups of a vendor's float. A row is ended, never changed, so that it shows who
-- configured each top-up.
create table top_up_rules (
  set_at timestamptz not null,
  ended_at timestamptz,
  -- Below it the float is topped up.
  threshold_cents bigint not null check (threshold_cents > 0),
  -- For a push: the balance to reach, the most in one prompt, and the most in a day.
  target_cents bigint,
  maximum_cents bigint check (maximum_cents >= 100),
  daily_cents bigint,
  rule_id uuid primary key,
  vendor_id integer not null,
  pause_seconds integer not null check (pause_seconds between 10 and 2592000),
  -- fund: collected income is moved into the float. push: a prompt to pay is sent to a phone.
  kind text not null check (kind in ('fund', 'push')),
  source_code text references receipt_sources,
  phone text,
  set_by text not null,
  ended_by text,
  check ((ended_at is null) = (ended_by is null)),
  check (target_cents > threshold_cents),
  check (daily_cents >= maximum_cents),
  check (num_nulls(target_cents, maximum_cents, daily_cents, source_code, phone)
    = case kind when 'push' then 0 else 5 end)
);
create unique index top_up_rules_once on top_up_rules (vendor_id, kind) where ended_at is null;

-- Each top-up that a rule made, recorded before it is carried out.
create table top_ups (
  at timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 0),
  -- The float at that time.
  float_cents bigint not null,
  -- Also the id of the prompt.
  top_up_id uuid primary key,
  rule_id uuid not null references top_up_rules,
  vendor_id integer not null,
  -- started: nobody knows whether it was carried out.
  state text not null check (state in ('started', 'funded', 'sent', 'refused', 'unknown')),
  reason text
);
create index top_ups_of_vendor on top_ups (vendor_id, at);
-- For the newest top-ups of all vendors.
create index top_ups_by_time on top_ups (at);
