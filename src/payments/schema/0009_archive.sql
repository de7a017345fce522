-- Old payments are archived: their details move to files outside the database, and what a status answer
-- needs moves to `archived_payments`. The ledger (transfers, movements, chains) stays.

create table archive_files (
  archive_id uuid primary key,
  -- In the archive's folder. Begins with the vendor's id and ends with archive_id.
  file_name text not null unique,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  byte_count bigint not null check (byte_count > 0),
  payment_count integer not null check (payment_count > 0),
  archived_at timestamptz not null
);

-- Phone, message and details are in the file only.
create table archived_payments (
  payment_id uuid not null,
  archive_id uuid not null,
  created_at timestamptz not null,
  settled_at timestamptz not null,
  biller_response_time timestamptz,
  amount_cents bigint not null,
  fee_cents bigint not null,
  vat_cents bigint not null default 0,
  bucket integer not null,
  vendor_id integer not null,
  fee_price integer,
  operator_price integer,
  outcome text not null,
  failure_code text,
  biller_code text not null,
  account text not null,
  merchant_reference text,
  biller_reference text,
  operator_code text,
  -- SHA-256 of the fields that are in the file only, as the hash chain covers them.
  accepted_rest bytea,
  settled_rest bytea,
  primary key (bucket, vendor_id, payment_id)
);
-- For status queries, and for creates: a reference never creates a second payment, archived or not.
create index archived_payments_by_reference on archived_payments
  (bucket, vendor_id, merchant_reference) where merchant_reference is not null;
create index archived_payments_by_account on archived_payments (account);
