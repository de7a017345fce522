-- Collected income as collectors report it. The collector's reference makes a report idempotent.
create table collections (
  collector text not null,
  reference text not null,
  vendor_id integer not null,
  collection_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  created_at timestamptz not null,
  -- HMAC-SHA-256 of the row under the ledger's key: database access alone is not enough to add income.
  mac bytea,
  primary key (collector, reference)
);
-- The hash chain reads them in time order.
create index collections_by_time on collections using brin (created_at);

-- Collected income moved to the float. Several movements may have the same request time. It
-- is used only to answer a repeated request when no income is left to move.
create table fund_movements (
  bucket integer not null,
  vendor_id integer not null,
  requested_at timestamptz not null,
  movement_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null,
  primary key (bucket, vendor_id, requested_at, movement_id)
);
create index fund_movements_by_time on fund_movements using brin (created_at);
