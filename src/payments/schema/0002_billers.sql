-- What can be paid, and through which operator. Small reference data, held in memory like vendors.

create table operators (
  operator_code text primary key check (operator_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  -- The protocol: a name in src/payments/connectors/registry.ts.
  connector text not null,
  base_url text not null,
  -- Protocol settings that are not secret, such as time-outs.
  settings jsonb not null default '{}',
  max_concurrency integer not null default 32 check (max_concurrency > 0),
  -- Instructions per second; null: no limit.
  max_per_second integer check (max_per_second > 0)
);

create table billers (
  biller_code text primary key check (biller_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  category text not null,
  operator_code text not null references operators,
  minimum_cents bigint not null check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents >= minimum_cents),
  -- True when the operator needs a phone number in addition to the account.
  secondary_account boolean not null default false,
  validates_accounts boolean not null default false,
  -- The format of its accounts (`msisdn` or an anchored pattern), and what people call them.
  account_format text not null,
  account_label text not null,
  -- products: only amounts for which one of its operators sells something.
  amounts text not null default 'any' check (amounts in ('any', 'products')),
  -- Set by people. An open circuit breaker makes an ONLINE biller OFFLINE, never the reverse.
  status text not null default 'ONLINE' check (status in ('ONLINE', 'OFFLINE')),
  -- Why people set it OFFLINE, and when it is ONLINE again by itself; null: not given.
  offline_reason text check (offline_reason <> ''),
  offline_until timestamptz,
  list_position integer not null default 0,
  check (status = 'OFFLINE' or num_nonnulls(offline_reason, offline_until) = 0)
);

-- The operators that may execute a biller's payments. The biller's own operator (billers.operator_code) is
-- always one of them; a row here may change its terms.
create table routes (
  biller_code text not null references billers,
  operator_code text not null references operators,
  -- Lower positions are tried first. Routes of the same position share the payments by weight.
  position integer not null default 0 check (position between 0 and 1000),
  weight integer not null default 1 check (weight between 1 and 1000),
  -- The amounts that it takes; null: no limit.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents > 0),
  -- How much may be sent through it in a day; null: no limit.
  daily_limit_cents bigint check (daily_limit_cents > 0),
  -- Set by people.
  status text not null default 'ONLINE' check (status in ('ONLINE', 'OFFLINE')),
  primary key (biller_code, operator_code),
  check (maximum_cents >= minimum_cents)
);

-- What vendors pay for a biller's payments. Append-only: the price in force is the one with the latest
-- `valid_from` that has begun; if there are several, the one with the highest version. A payment keeps its version.
create table fee_prices (
  version integer primary key check (version > 0),
  biller_code text not null references billers,
  -- Null: every vendor without a price of its own.
  vendor_id integer check (vendor_id > 0),
  valid_from timestamptz not null,
  set_at timestamptz not null,
  set_by text not null,
  -- The tier with the highest `from_cents` up to the amount counts: [{"from_cents", "flat_cents", "bps"}].
  -- Empty: from then on there is no such price.
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array'),
  -- Of the fee before VAT is added; null: none.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents > 0),
  vat_bps integer not null check (vat_bps between 0 and 10000),
  -- True: the fee includes its VAT. False: the VAT is added to it.
  vat_included boolean not null,
  check (maximum_cents >= minimum_cents),
  check (valid_from >= set_at)
);
create index fee_prices_by_biller on fee_prices (biller_code, vendor_id, valid_from);

-- What an operator charges us for a biller's payments, and its commission for us. Append-only, like fee_prices.
-- The price in force when an attempt was claimed counts for it.
create table operator_prices (
  version integer primary key check (version > 0),
  biller_code text not null references billers,
  operator_code text not null references operators,
  valid_from timestamptz not null,
  set_at timestamptz not null,
  set_by text not null,
  -- Flat, and in basis points of the amount.
  cost_cents bigint not null check (cost_cents >= 0),
  cost_bps integer not null check (cost_bps between 0 and 10000),
  commission_cents bigint not null check (commission_cents >= 0),
  commission_bps integer not null check (commission_bps between 0 and 10000),
  -- True: the operator deducts the commission from what it takes from our float. False: it pays it later.
  commission_netted boolean not null,
  check (valid_from >= set_at)
);
create index operator_prices_by_route on operator_prices (biller_code, operator_code, valid_from);

-- A row is a circuit breaker that is open or on trial: too many consecutive calls to the operator about the
-- biller failed, and it has not answered an instruction well since.
create table route_breakers (
  biller_code text not null references billers,
  operator_code text not null references operators,
  opened_at timestamptz not null,
  -- From then on a process may probe. The one that does sets the next time.
  probe_at timestamptz not null,
  -- How long it stays open before the first probe.
  cooldown_ms integer not null check (cooldown_ms >= 0),
  -- Since when a few instructions at a time are let through; null: it is open, and nothing is sent.
  trial_since timestamptz,
  reason text not null,
  primary key (biller_code, operator_code)
);

-- Our float with an operator, as the operator reports it, and when to stop sending. One row per operator
-- that was asked, or that has limits.
create table operator_floats (
  operator_code text primary key references operators,
  -- Null until the operator has answered.
  balance_cents bigint,
  polled_at timestamptz,
  -- When a process last asked. Processes ask at intervals.
  asked_at timestamptz,
  -- Set by people; null: no limit. Below `low` people are alerted. At `stop` or below nothing more is sent,
  -- until the balance has risen to `resume`.
  low_cents bigint check (low_cents > 0),
  stop_cents bigint check (stop_cents > 0),
  resume_cents bigint,
  state text not null default 'enough' check (state in ('enough', 'low', 'stopped')),
  check (resume_cents > stop_cents),
  check ((resume_cents is null) = (stop_cents is null)),
  check (low_cents >= stop_cents)
);

-- How our float with an operator changed in an hour, from one balance to the next. Old hours are deleted.
create table operator_float_hours (
  operator_code text not null references operators,
  hour timestamptz not null,
  spent_cents bigint not null default 0,
  added_cents bigint not null default 0,
  primary key (operator_code, hour)
);

create table phone_prefixes (
  prefix text primary key check (prefix ~ '^\d{3}$'),
  biller_code text not null references billers
);

insert into settings_versions (topic, version) values ('billers', 1);

-- When an operator listed what it sells. One row per operator that was asked.
create table operator_listings (
  operator_code text primary key references operators,
  -- When a process last asked. Processes ask at intervals.
  asked_at timestamptz,
  -- The last complete list, and why the last attempt failed.
  refreshed_at timestamptz,
  error text
);

-- What operators sell, according to their last list.
create table operator_products (
  operator_code text not null references operators,
  -- The operator's own code.
  product_code text not null,
  name text not null,
  service text not null,
  provider text not null,
  value text not null,
  -- What may be paid for it, and what the operator charges us; equal for a fixed price; null: not known.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents >= minimum_cents),
  currency text,
  price_minimum_cents bigint check (price_minimum_cents >= 0),
  price_maximum_cents bigint check (price_maximum_cents >= price_minimum_cents),
  price_currency text,
  validity text,
  requires text not null,
  -- Our billers whose payments buy it, by the operator's settings.
  biller_codes text[] not null,
  primary key (operator_code, product_code),
  check (num_nulls(minimum_cents, maximum_cents, currency) in (0, 3)),
  check (num_nulls(price_minimum_cents, price_maximum_cents, price_currency) in (0, 3))
);
