-- Collected income as collectors report it. Owned by the collector, whose reference makes it once.
create table collections (
  collector text not null,
  reference text not null,
  vendor_id integer not null,
  collection_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  created_at timestamptz not null,
  -- HMAC-SHA-256 of the row under the ledger's key: no one who has only the database can add income.
  mac bytea,
  primary key (collector, reference)
);
-- In the order of time, as the hash chain reads them.
create index collections_by_time on collections using brin (created_at);

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
create index fund_movements_by_time on fund_movements using brin (created_at);
