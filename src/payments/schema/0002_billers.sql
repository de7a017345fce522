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
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  -- True when the operator needs a phone number in addition to the account.
  secondary_account boolean not null default false,
  validates_accounts boolean not null default false,
  -- The format of its accounts (`msisdn` or an anchored pattern), and what people call them.
  account_format text not null,
  account_label text not null,
  -- Set by people. An open circuit breaker makes an ONLINE biller OFFLINE, never the reverse.
  status text not null default 'ONLINE' check (status in ('ONLINE', 'OFFLINE')),
  list_position integer not null default 0
);

-- A row is an open circuit breaker: too many consecutive calls to the biller's operator failed.
create table biller_breakers (
  biller_code text primary key references billers,
  opened_at timestamptz not null,
  -- From then on one process may probe. It sets the next time when it does.
  probe_at timestamptz not null,
  reason text not null
);

create table phone_prefixes (
  prefix text primary key check (prefix ~ '^\d{3}$'),
  biller_code text not null references billers
);

insert into settings_versions (topic, version) values ('billers', 1);
