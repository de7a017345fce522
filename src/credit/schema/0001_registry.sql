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
  created_at timestamptz not null
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
  primary key (crn, account_id)
);
create index credit_accounts_by_number on credit_accounts (account_index);

create table account_states (
  crn bigint not null,
  account_id bigint not null,
  as_of date not null,
  balance_cents bigint not null check (balance_cents >= 0),
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
-- Open disputes are few. By person, so that reading a file does not read those of everybody.
create index account_disputes_open on account_disputes (crn, account_id) where closed_at is null;

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
  template text not null check (template in ('mobile', 'individual')),
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
  primary key (import_id, line, field, rule)
);
