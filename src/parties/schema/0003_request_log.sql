-- Vendors' requests of the last days: time, route, result and duration, without parameters and bodies.
-- Written in batches outside the request, so the last second may be missing after a crash. For a vendor
-- with very many requests it is a sample.
create table request_log (
  at timestamptz not null,
  duration_us integer not null,
  request_id uuid not null,
  -- The key that signed. Null: nothing was signed, or the signature was invalid; then the vendor is only
  -- the one that the request claimed.
  key_id uuid,
  bucket integer not null,
  vendor_id integer not null,
  status smallint not null,
  method text not null,
  -- The path of the operation, as it is in the contract.
  route text not null,
  -- The code of the refusal; null: the request was not refused.
  code text,
  primary key (bucket, vendor_id, at, request_id)
-- By default, the statistics of a small table are renewed for every tenth row: under load every few seconds.
) with (autovacuum_analyze_threshold = 50000);
-- For the list of refused requests, which are few.
create index request_log_refused on request_log (bucket, vendor_id, at, request_id)
  where code is not null;
