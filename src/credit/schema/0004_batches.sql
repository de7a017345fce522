-- Batches of enquiries: a signed file in, an answer for each row out. Every row becomes an enquiry of
-- its own in `enquiries`; these tables keep the progress of the batch.

create table score_batches (
  bucket integer not null,
  vendor_id integer not null,
  batch_reference text not null,
  batch_id uuid not null,
  operation text not null check (operation in ('generic-score', 'mobile-loan-score')),
  file_sha256 bytea not null,
  -- Names the vendor's key that signed the file.
  key_id text not null,
  row_count integer not null check (row_count > 0),
  -- From 1; one past the end when every row is decided.
  next_row integer not null default 1,
  answered_count integer not null default 0,
  refused_count integer not null default 0,
  -- The rows, with names and documents; erased with the last row.
  sealed_content bytea,
  created_at timestamptz not null,
  -- Until then only one process works on it.
  leased_until timestamptz not null,
  ended_at timestamptz,
  primary key (bucket, vendor_id, batch_reference),
  check ((ended_at is null) = (sealed_content is not null))
);
create index score_batches_open on score_batches (bucket, vendor_id, created_at)
  where ended_at is null;

-- The results of a few rows, written in the commit of their enquiries.
create table score_batch_chunks (
  bucket integer not null,
  vendor_id integer not null,
  batch_id uuid not null,
  first_row integer not null,
  -- The reference of each row; null where it cannot be read.
  request_references text[] not null,
  -- {row, code, field} of the rows that were refused.
  refusals jsonb not null,
  primary key (bucket, vendor_id, batch_id, first_row)
);
