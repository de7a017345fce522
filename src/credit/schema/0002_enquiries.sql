-- Every scoring request that was answered, found nobody, or may have reached an upstream bureau.
-- Append-only and chained per vendor: hash = SHA-256 over the hash before it and this row's line.
-- Only the sealed payload may be erased (retention); its hash stays in the chain.

create table enquiry_chains (
  vendor_id integer primary key,
  sequence bigint not null,
  hash bytea not null
);

create table enquiries (
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
  -- Names the vendor's key that signed the request.
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
  -- The day the file was looked at: with crn and time it reproduces the data.
  data_as_of text,
  duration_ms integer not null,
  -- A random salt, the request as given, the answer as sent.
  sealed_payload bytea,
  payload_hash bytea not null,
  hash bytea not null,
  primary key (vendor_id, sequence)
);
-- The reference makes an enquiry of an operation once; one whose outcome is not known may be asked
-- again.
create unique index enquiries_once on enquiries (vendor_id, request_reference, operation)
  where outcome <> 'unknown';
create index enquiries_by_reference on enquiries (vendor_id, request_reference, operation);
-- What found nobody, which is limited per vendor.
create index enquiries_missed on enquiries (vendor_id, enquired_at)
  where outcome in ('not_found', 'mismatch', 'conflict');
-- Pages of enquiries, the newest first.
create index enquiries_by_time on enquiries (vendor_id, enquired_at, sequence);
-- Retention finds what it has still to erase without reading what is kept or erased already.
create index enquiries_to_erase on enquiries (vendor_id, enquired_at)
  where sealed_payload is not null;

-- Who asked about a subject and why, beside the subject: for scores and for the subject's report.
create table subject_enquiries (
  crn bigint not null,
  enquired_at timestamptz not null,
  enquiry_id uuid not null,
  -- 0: asked before this registry began.
  vendor_id integer not null,
  asked_by text not null,
  sector text not null,
  operation text not null,
  report_reason integer not null,
  primary key (crn, enquired_at, enquiry_id)
);

-- Calls to an upstream bureau, written before they are made: it may have billed a call whose answer
-- never came. A repeat of the enquiry asks again only for what was not answered.
create table upstream_calls (
  vendor_id integer not null,
  request_reference text not null,
  operation text not null,
  call_id uuid not null,
  bureau text not null,
  part text not null,
  -- What was asked: the blind index of the document and the parameters that matter.
  asked text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text check (outcome in ('answered', 'not_sent', 'unknown')),
  sealed_answer bytea,
  primary key (vendor_id, request_reference, call_id)
);
-- A part of an enquiry is asked of an upstream bureau by one process at a time: two would be billed.
create unique index upstream_calls_in_flight
  on upstream_calls (vendor_id, request_reference, operation, bureau, part) where outcome is null;
create index upstream_calls_to_erase on upstream_calls (vendor_id, started_at)
  where sealed_answer is not null;

-- How long enquiries are kept at least, as the owner has set it; null: for ever. `migrate` and the
-- start write CREDIT_ENQUIRY_RETENTION_DAYS here, where they are the owner.
create table enquiry_retention (
  one_row boolean primary key default true check (one_row),
  least_days integer check (least_days > 0)
);
insert into enquiry_retention (least_days) values (1826);
