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

-- Sweeps of collected income into the float; the time of the request makes one once.
create table fund_movements (
  vendor_id integer not null,
  requested_at timestamptz not null,
  movement_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null,
  primary key (vendor_id, requested_at)
);
