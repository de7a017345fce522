-- Files of many rows, each of which becomes a payment or an enquiry of its own. A batch is stored when it
-- arrives, and then decided in chunks. A chunk and what its rows create are one commit, so a killed process
-- loses nothing and repeats nothing.

create table batches (
  bucket integer not null,
  vendor_id integer not null,
  kind text not null check (kind in ('payments', 'enquiries')),
  -- The vendor's reference, which makes the upload idempotent.
  batch_reference text not null,
  -- Of payments: ends in 0000. With the row number in place of these digits it is the payment_id of the row.
  batch_id uuid not null,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  -- Of enquiries: the operation, and the vendor's key that signed the file.
  product text,
  key_id text,
  row_count integer not null check (row_count > 0),
  -- The rows before this one are decided. Rows count from 1.
  next_row integer not null default 1 check (next_row between 1 and row_count + 1),
  accepted_count integer not null default 0,
  refused_count integer not null default 0,
  -- Until then no other process works on it. next_row is what prevents a row from being decided twice.
  leased_until timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- The rows as they were read; either these bytes, which never change,
  content bytea,
  -- or these, which are encrypted (names, documents) and erased with the last row.
  sealed_content bytea,
  primary key (bucket, vendor_id, kind, batch_reference),
  check (accepted_count + refused_count = next_row - 1),
  check ((ended_at is null) = (next_row <= row_count)),
  check (
    case when kind = 'payments' then content is not null and sealed_content is null
    else content is null and (ended_at is null) = (sealed_content is not null) end
  )
) with (fillfactor = 70);
create index batches_open on batches (bucket, vendor_id, kind, created_at) where ended_at is null;

-- One row for each decided chunk. Rows of the file without an exception were accepted.
create table batch_chunks (
  bucket integer not null,
  vendor_id integer not null,
  batch_id uuid not null,
  first_row integer not null,
  row_count integer not null check (row_count > 0),
  -- Of payments: created_at of the accepted ones.
  decided_at timestamptz not null,
  -- The reference of each row if the rows are erased; null where it cannot be read.
  row_references text[],
  -- Refused: {row, code, text, field?}; accepted earlier as another payment: {row, payment_id, posted_at}.
  exceptions jsonb not null,
  primary key (bucket, vendor_id, batch_id, first_row)
);
