-- Collected income as collectors report it. Owned by the collector, whose reference makes it once.
create table collections (
  collector text not null,
  reference text not null,
  vendor_id integer not null,
  collection_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  created_at timestamptz not null,
  primary key (collector, reference)
);

-- Collected income moved into the float. Several movements may carry one request time: the time only
-- finds the answer to a repeated request when there is nothing to move.
create table fund_movements (
  vendor_id integer not null,
  requested_at timestamptz not null,
  movement_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null,
  primary key (vendor_id, requested_at, movement_id)
);
