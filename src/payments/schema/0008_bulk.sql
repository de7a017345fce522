-- Files of many payments. A batch is stored when it arrives, and then processed in chunks. A chunk and the
-- payments that it creates are one commit, so a killed process loses nothing and repeats nothing.

create table bulk_batches (
  bucket integer not null,
  vendor_id integer not null,
  -- The vendor's reference, which makes the upload idempotent.
  batch_reference text not null,
  -- Ends in 0000. With the row number in place of these digits it is the payment_id of the row.
  batch_id uuid not null,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  row_count integer not null check (row_count > 0),
  -- The rows before this one are processed. Rows count from 1.
  next_row integer not null default 1 check (next_row between 1 and row_count + 1),
  accepted_count integer not null default 0,
  refused_count integer not null default 0,
  -- Until then no other process works on it. next_row is what prevents a row from being processed twice.
  leased_until timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- The parsed rows, JSON.
  content text not null,
  primary key (bucket, vendor_id, batch_reference),
  check (accepted_count + refused_count = next_row - 1),
  check ((ended_at is null) = (next_row <= row_count))
) with (fillfactor = 70);
create index bulk_batches_open on bulk_batches (bucket, vendor_id, created_at) where ended_at is null;

-- One row for each processed chunk. Rows of the file without an exception were accepted under their own
-- payment id.
create table bulk_chunks (
  bucket integer not null,
  vendor_id integer not null,
  batch_id uuid not null,
  first_row integer not null,
  row_count integer not null check (row_count > 0),
  -- created_at of the accepted payments.
  posted_at timestamptz not null,
  -- Refused: {row, code, text, field?}; accepted earlier as another payment: {row, payment_id, posted_at}.
  exceptions jsonb not null,
  primary key (bucket, vendor_id, batch_id, first_row)
);
