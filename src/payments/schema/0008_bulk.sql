-- Files of many payments. A batch is stored whole when it arrives, then decided chunk by chunk; each
-- chunk is one commit with the payments it creates, so that a killed process loses nothing and
-- repeats nothing.

create table bulk_batches (
  vendor_id integer not null,
  -- The vendor's own; makes the batch once.
  batch_reference text not null,
  -- Ends in 0000: with the row's number in that place it is the row's payment_id.
  batch_id uuid not null,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  row_count integer not null check (row_count > 0),
  -- Rows before this one are decided; rows count from 1.
  next_row integer not null default 1 check (next_row between 1 and row_count + 1),
  accepted_count integer not null default 0,
  refused_count integer not null default 0,
  -- Which process works on it; spares double work, while next_row is what makes each row once.
  leased_until timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- The rows as they were read, JSON.
  content text not null,
  primary key (vendor_id, batch_reference),
  check (accepted_count + refused_count = next_row - 1),
  check ((ended_at is null) = (next_row <= row_count))
) with (fillfactor = 70);
create index bulk_batches_open on bulk_batches (vendor_id, created_at) where ended_at is null;

-- One row for each decided chunk. A row of the file that no exception names was accepted as the
-- payment of its own id.
create table bulk_chunks (
  vendor_id integer not null,
  batch_id uuid not null,
  first_row integer not null,
  row_count integer not null check (row_count > 0),
  -- created_at of what was accepted.
  posted_at timestamptz not null,
  -- Refused: {row, code, text, field?}; accepted earlier as another payment: {row, payment_id, posted_at}.
  exceptions jsonb not null,
  primary key (vendor_id, batch_id, first_row)
);
