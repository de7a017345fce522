-- The credit registry. Rows belong to a subject, whose reference (crn) is the first column of every
-- key, or are found by a blind index. Data that identifies a person is sealed (AES-256-GCM; key id,
-- nonce, tag, text). Data that must be found has a blind index: four bytes identifying the index
-- key, then 16 bytes of an HMAC-SHA-256.

-- One row. Writers of the registry lock it, so that two imports never create one person twice. It
-- holds the next references and account ids.
create table credit_registry (
  only_row boolean primary key default true check (only_row),
  next_crn bigint not null,
  next_account_id bigint not null
);
insert into credit_registry (next_crn, next_account_id) values (1000001, 1);

create table lenders (
  lender text primary key check (lender ~ '^[A-Za-z0-9_.-]{1,32}$'),
  sector text not null check (sector in
    ('bank', 'microfinance', 'sacco', 'mobile_lender', 'insurance', 'retail', 'utility', 'other')),
  created_at timestamptz not null,
  -- The unit of its amounts. A file without a single decimal point says nothing about it, and cents taken for
  -- shillings make every amount a hundred times too large. Null: not known.
  amounts text check (amounts in ('shillings', 'cents'))
);

create table subjects (
  crn bigint primary key,
  -- Names, documents, phones and addresses with their dates.
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table subject_documents (
  document_index bytea not null,
  crn bigint not null,
  primary key (document_index, crn)
);

-- Terms of an account; monthly changes are in account_states.
create table credit_accounts (
  crn bigint not null,
  account_id bigint not null,
  account_index bytea not null,
  lender text not null,
  -- Account and client number.
  sealed bytea not null,
  -- A hash of the identity that the lender submitted last: if it is equal, the subject need not be
  -- read.
  identity_hash bytea not null,
  product text not null check (product in ('A','B','C','D','E','F','G','H','I','J','K','L')),
  opened_on date not null,
  original_cents bigint not null check (original_cents >= 0),
  instalment_cents bigint check (instalment_cents >= 0),
  repayment_months integer check (repayment_months >= 0),
  -- Number of other holders of the account; null: not submitted.
  joint_holders integer check (joint_holders >= 0),
  -- As-of date of the submission that the terms come from.
  terms_as_of date not null,
  -- A loan that the person guarantees and another person owes. It is on file with the person, and no default of
  -- it counts against them.
  is_guarantee boolean not null default false,
  primary key (crn, account_id)
);
create index credit_accounts_by_number on credit_accounts (account_index);

create table account_states (
  crn bigint not null,
  account_id bigint not null,
  as_of date not null,
  -- Below 0 if the customer has paid too much.
  balance_cents bigint not null,
  overdue_cents bigint not null check (overdue_cents >= 0),
  days_in_arrears integer not null check (days_in_arrears >= 0),
  instalments_in_arrears integer not null check (instalments_in_arrears >= 0),
  risk_class text not null check (risk_class in ('A','B','C','D','E')),
  status text not null check (status in
    ('A','B','C','D','E','F','G','H','J','K','L','M','N','P')),
  status_on date not null,
  last_payment_on date,
  last_payment_cents bigint check (last_payment_cents >= 0),
  -- The import that it comes from.
  import_id uuid not null,
  primary key (crn, account_id, as_of)
);

-- Values replaced by a correction. Append-only.
create table account_corrections (
  crn bigint not null,
  account_id bigint not null,
  correction_id uuid not null,
  import_id uuid not null,
  corrected_at timestamptz not null,
  -- The former values of account_states or credit_accounts, amounts in cents.
  former jsonb not null,
  primary key (crn, account_id, correction_id)
);

create table account_disputes (
  crn bigint not null,
  account_id bigint not null,
  dispute_id uuid not null,
  opened_at timestamptz not null,
  -- The subject's own words.
  sealed_statement bytea not null,
  closed_at timestamptz,
  outcome text check (outcome in ('upheld', 'rejected', 'withdrawn')),
  primary key (crn, account_id, dispute_id),
  check ((closed_at is null) = (outcome is null))
);
-- One about an account at a time. By person, so that reading a file does not read those of everybody.
create unique index account_disputes_open on account_disputes (crn, account_id) where closed_at is null;

-- Whether a subject is dead, recorded by a person with evidence; the newest record of a subject
-- counts. Append-only. Lenders report deaths too, as account status L: 'living' refutes those.
create table subject_life_records (
  crn bigint not null,
  record_id uuid not null,
  recorded_at timestamptz not null,
  status text not null check (status in ('deceased', 'living')),
  died_on date,
  -- The document that was seen, such as the number of a death certificate.
  evidence text not null,
  primary key (crn, record_id),
  check (died_on is null or status = 'deceased')
);

-- Negative information that must not be shown or scored.
create table suppression_rules (
  rule text primary key check (rule ~ '^[a-z0-9_]{1,60}$'),
  reason text not null,
  -- States with a balance up to this amount; null: any.
  balance_up_to_cents bigint,
  original_up_to_cents bigint,
  products text[],
  sectors text[],
  risk_classes text[],
  -- Of the state's as-of date, both ends included; null: open.
  states_from date,
  states_until date
);
insert into suppression_rules (rule, reason, balance_up_to_cents) values
  ('small_amount', 'Negative information is kept only where more than KES 1,000 is outstanding.', 100000);

-- Every change of a suppression rule, so that past answers can be explained. Append-only.
create table suppression_changes (
  change_id uuid primary key,
  rule text not null,
  changed_at timestamptz not null,
  reason text not null,
  -- The row of suppression_rules from then on; null: the rule was removed.
  became jsonb
);

-- Two subjects that a person found to be the same: data on file about the first is answered under
-- the second. Rows of the first stay in place, so that a merge can be undone. A subject that others
-- are merged into cannot itself be merged. Append-only except for the end of a merge.
create table subject_merges (
  merge_id uuid primary key,
  from_crn bigint not null,
  into_crn bigint not null,
  merged_at timestamptz not null,
  reason text not null,
  undone_at timestamptz,
  undone_reason text,
  check (from_crn <> into_crn),
  check ((undone_at is null) = (undone_reason is null))
);
create unique index subject_merges_in_force on subject_merges (from_crn) where undone_at is null;
create index subject_merges_by_survivor on subject_merges (into_crn) where undone_at is null;

-- Cases that people decide: a document that two subjects share, a request whose documents disagree, a
-- line that gives a subject's account to somebody else.
create table credit_cases (
  case_id uuid primary key,
  kind text not null check (kind in ('document_shared', 'documents_conflict', 'account_holder')),
  crns bigint[] not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  resolution text
);
create index credit_cases_open on credit_cases (crns) where closed_at is null;
create index credit_cases_by_time on credit_cases (opened_at, case_id);

create table credit_imports (
  import_id uuid primary key,
  lender text not null,
  template text not null check (template in ('mobile', 'individual', 'consumer')),
  as_of date not null,
  -- SHA-256 of the file: an import of the same file for the same date continues where it stopped.
  file_hash bytea not null,
  -- As it was called, and who imported it, last.
  file_name text not null,
  imported_by text not null,
  corrects boolean not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- Records of the file that have been processed, including invalid ones.
  records_done bigint not null default 0,
  accounts_added bigint not null default 0,
  states_added bigint not null default 0,
  corrected bigint not null default 0,
  unchanged bigint not null default 0,
  -- Records with a finding; nothing of them was imported.
  rejected bigint not null default 0,
  -- The unit of the amounts in the file.
  amounts text not null default 'shillings' check (amounts in ('shillings', 'cents')),
  unique (lender, as_of, file_hash, corrects)
);
create index credit_imports_by_time on credit_imports (started_at, import_id);

-- What is wrong with lines of a file. A finding never repeats what the line says.
create table credit_import_findings (
  import_id uuid not null,
  line bigint not null,
  -- The column at fault, or empty if it is the whole line.
  field text not null,
  rule text not null,
  -- What is expected, for people.
  text text not null,
  -- The line was imported all the same.
  imported boolean not null default false,
  primary key (import_id, line, field, rule)
);

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
  -- The vendor found the person under another name than the one on file, as after a marriage: the person's own
  -- report says so.
  name_differs boolean not null default false,
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

-- The scorecards in use, and how well they perform.

insert into settings_versions (topic, version) values ('scorecards', 1);

-- Cards that every process can read, in addition to those of the folder scorecards. Never changed: an
-- enquiry names its card as id@version. Append-only.
create table scorecards (
  card text primary key check (card ~ '^[a-z][a-z0-9-]{0,40}@[0-9]{1,9}$'),
  kind text not null check (kind in ('generic', 'mobile')),
  body jsonb not null,
  added_at timestamptz not null
);

-- Which card answers (champion) and which is scored alongside without being answered (challenger).
-- The newest row of a kind counts. Append-only.
create table scorecard_changes (
  change_id uuid primary key,
  changed_at timestamptz not null,
  kind text not null check (kind in ('generic', 'mobile')),
  -- Null: the highest version of the folder scorecards.
  champion text,
  challenger text,
  reason text not null
);
create index scorecard_changes_by_kind on scorecard_changes (kind, changed_at, change_id);

-- How well the scores of a month performed, as last measured.
create table scorecard_months (
  month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  kind text not null,
  card text not null,
  role text not null check (role in ('champion', 'challenger')),
  measured_at timestamptz not null,
  people integer not null,
  -- Null: not known.
  stability_index double precision,
  -- For people whose period of observation has ended: mean probability, and share that defaulted.
  predicted double precision,
  observed double precision,
  primary key (month, kind, card, role)
);

-- Decisions of lenders against the score. Append-only.
create table score_overrides (
  bucket integer not null,
  vendor_id integer not null,
  -- The enquiry in its vendor's chain.
  sequence bigint not null,
  override_id uuid not null,
  recorded_at timestamptz not null,
  -- What the lender decided against the score.
  decision text not null check (decision in ('approved', 'declined')),
  reason text not null,
  decided_by text not null,
  -- Of the enquiry, for counting.
  enquired_at timestamptz not null,
  card text not null,
  score text not null,
  primary key (bucket, vendor_id, sequence, override_id)
);

-- Customers that a vendor watches. The vendor is notified of a default, of an enquiry by another lender,
-- and of a falling score. A watch is based on an answered enquiry of the vendor.
create table credit_watches (
  bucket integer not null,
  vendor_id integer not null,
  -- Of the answered enquiry.
  request_reference text not null,
  crn bigint not null,
  -- The vendor is notified when the generic score has fallen by this many points.
  score_drop integer not null check (score_drop between 1 and 999),
  started_at timestamptz not null,
  ended_at timestamptz,
  -- When it is checked next.
  due_at timestamptz not null,
  -- What the vendor knows: score, accounts in default, time of the newest enquiry elsewhere; null before
  -- the first check.
  known jsonb,
  primary key (bucket, vendor_id, request_reference)
);
create index credit_watches_due on credit_watches (bucket, vendor_id, due_at) where ended_at is null;
create index credit_watches_by_subject on credit_watches (crn) where ended_at is null;

-- Links with which a person downloads their own report once. The token and the birth date on file are
-- enough to get it, so only the SHA-256 of the token is stored.
create table access_links (
  token_hash bytea primary key,
  crn bigint not null,
  -- How the person's identity was checked before the link was handed over.
  evidence text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  attempts integer not null default 0 check (attempts >= 0),
  -- HMAC-SHA-256 of a link's token, subject and end under the ledger's key, so that a row alone gives no report.
  mac bytea not null
);

-- Accounts that two people found to be listed wrongly: they leave every answer and score, also when the
-- lender submits them again. The rows of the account stay as they are. Append-only.
create table account_withdrawals (
  crn bigint not null,
  account_id bigint not null,
  withdrawn_at timestamptz not null,
  reason text not null,
  primary key (crn, account_id)
);

-- Debts that two people found to be sold: two lenders submit the same debt, and from the sale on it counts
-- once, under the buyer's account. The rows of both accounts stay as they are. Append-only except for the end of a
-- sale that was recorded wrongly.
create table account_sales (
  sale_id uuid primary key,
  crn bigint not null,
  account_id bigint not null,
  -- The buyer's account, of the same person. It is bought once.
  into_account_id bigint not null,
  sold_on date not null,
  recorded_at timestamptz not null,
  reason text not null,
  -- When two people found that there was no such sale.
  undone_at timestamptz,
  undone_reason text,
  check ((undone_at is null) = (undone_reason is null)),
  -- Not partial indexes: with few rows, those would be read as a whole, by plans that connections keep.
  unique nulls not distinct (crn, account_id, undone_at),
  unique nulls not distinct (into_account_id, undone_at)
);
