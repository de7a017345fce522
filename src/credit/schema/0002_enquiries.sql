-- Every scoring request that was answered, found nobody, or may have reached an upstream bureau.
-- Append-only and chained per vendor: hash = SHA-256 over the previous hash and this row's line.
-- Only the sealed payload may be erased (retention); its hash stays in the chain.

create table enquiry_chains (
  bucket integer not null,
  vendor_id integer not null,
  sequence bigint not null,
  hash bytea not null,
  primary key (bucket, vendor_id)
);

create table enquiries (
  bucket integer not null,
  vendor_id integer not null,
  sequence bigint not null,
  enquiry_id uuid not null,
  enquired_at timestamptz not null,
  operation text not null check (operation in ('id-decision', 'generic-score', 'mobile-loan-score')),
  request_reference text not null,
  report_reason integer not null check (report_reason between 1 and 12),
  report_sector integer check (report_sector between 1 and 2),
  consent_reference text,
  consent_date text,
  -- Identifies the vendor's key that signed the request; `person …` if a person asked in the console.
  key_id text not null,
  -- Blind indexes of the documents in the request: hexadecimal, comma-separated.
  documents text not null,
  outcome text not null check (outcome in
    ('answered', 'not_found', 'mismatch', 'conflict', 'unknown')),
  crn text,
  match_rule text,
  match_score text,
  scorecard text,
  score text,
  grade text,
  probability text,
  source text not null,
  upstream_id text,
  -- The day that the file was read for: with crn and time it reproduces the data.
  data_as_of text,
  duration_ms integer not null,
  -- A random salt, the request as given, the answer as sent.
  sealed_payload bytea,
  payload_hash bytea not null,
  hash bytea not null,
  primary key (bucket, vendor_id, sequence)
);
-- A vendor's reference identifies an enquiry of an operation. One with an unknown outcome may be
-- repeated.
create unique index enquiries_once on enquiries (bucket, vendor_id, request_reference, operation)
  where outcome <> 'unknown';
create index enquiries_by_reference on enquiries (bucket, vendor_id, request_reference, operation);
-- Enquiries that found nobody, which are limited per vendor.
create index enquiries_missed on enquiries (bucket, vendor_id, enquired_at)
  where outcome in ('not_found', 'mismatch', 'conflict');
-- Pages of enquiries, newest first.
create index enquiries_by_time on enquiries (bucket, vendor_id, enquired_at, sequence);
-- For retention: finds the payloads that are still to be erased, without reading the others.
create index enquiries_to_erase on enquiries (bucket, vendor_id, enquired_at)
  where sealed_payload is not null;

-- The enquiries about each subject and their reasons: for scores and for the subject's report.
create table subject_enquiries (
  crn bigint not null,
  enquired_at timestamptz not null,
  enquiry_id uuid not null,
  -- 0: made before this registry began.
  vendor_id integer not null,
  asked_by text not null,
  sector text not null,
  operation text not null,
  report_reason integer not null,
  -- The card that answered and its score; the challenger and its score, which no answer contains.
  -- Null: no such score.
  scorecard text,
  score integer,
  challenger text,
  challenger_score integer,
  primary key (crn, enquired_at, enquiry_id)
);
-- For the figures of a month.
create index subject_enquiries_by_time on subject_enquiries using brin (enquired_at);

-- Calls to an upstream bureau, recorded before they are made, because it may have billed a call
-- whose answer never came. A repeat of the enquiry only asks for the parts that were not answered.
create table upstream_calls (
  bucket integer not null,
  vendor_id integer not null,
  request_reference text not null,
  operation text not null,
  call_id uuid not null,
  bureau text not null,
  part text not null,
  -- The input: the blind index of the document and the relevant parameters.
  asked text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text check (outcome in ('answered', 'not_sent', 'unknown')),
  sealed_answer bytea,
  primary key (bucket, vendor_id, request_reference, call_id)
);
-- Only one process at a time asks an upstream for a part of an enquiry: two calls would be billed twice.
create unique index upstream_calls_in_flight
  on upstream_calls (bucket, vendor_id, request_reference, operation, bureau, part) where outcome is null;
create index upstream_calls_to_erase on upstream_calls (bucket, vendor_id, started_at)
  where sealed_answer is not null;

-- The minimum retention of enquiries, set by the owner; null: forever. `migrate` and the service
-- write CREDIT_ENQUIRY_RETENTION_DAYS here when they run as the owner.
create table enquiry_retention (
  one_row boolean primary key default true check (one_row),
  least_days integer check (least_days > 0)
);
insert into enquiry_retention (least_days) values (1826);
