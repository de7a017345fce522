-- Who may call: vendors, collectors and the keys they sign with. Small and rarely written. Every process
-- holds them in memory and reloads them when the version of the topic `vendors` changes.

-- Every vendor belongs to a bucket (the function bucket_of). The rows of a bucket are together on one
-- machine, and a statement that names its bucket runs there. This table has one row per bucket.
-- Statements that insert rows of a bucket select from it, so that Citus knows where to run them.
create table buckets (
  bucket integer primary key check (bucket >= 0)
);
insert into buckets values (0);

create table vendors (
  vendor_id integer primary key check (vendor_id > 0),
  vid text not null unique check (vid ~ '^[A-Za-z0-9_.-]{1,64}$'),
  name text not null,
  sector text not null check (sector in
    ('bank', 'microfinance', 'sacco', 'mobile_lender', 'insurance', 'retail', 'utility', 'other')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- For which payments an equal one within the last 30 seconds makes a new one a likely duplicate.
  duplicate_check text not null default 'without_reference'
    check (duplicate_check in ('off', 'without_reference', 'always')),
  reference_required boolean not null default false,
  -- strict: enquiries require names and consent, and a mismatch gets the same answer as an unknown
  -- subject.
  enquiry_policy text not null default 'strict' check (enquiry_policy in ('strict', 'open')),
  -- The form of `msg.text` in a status answer.
  status_text text not null default 'object' check (status_text in ('object', 'sentence')),
  -- v1: the hash of the parameters is enough; v2: every request must carry the signature header.
  signature text not null default 'v1' check (signature in ('v1', 'v2')),
  created_at timestamptz not null
);

create table collectors (
  collector text primary key check (collector ~ '^[A-Za-z0-9_.-]{1,64}$'),
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- The vendors whose income it may report: all, or those listed.
  all_vendors boolean not null default false,
  vids text[] not null default '{}',
  signature text not null default 'v1' check (signature in ('v1', 'v2')),
  created_at timestamptz not null,
  check (not all_vendors or vids = '{}')
);

-- Secrets, encrypted with the master key master_key_id (AES-256-GCM; nonce, tag, ciphertext).
create table security_keys (
  holder_kind text not null check (holder_kind in
    ('vendor', 'collector', 'operator', 'webhook', 'source', 'ledger')),
  holder text not null,
  key_id uuid not null,
  master_key_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  valid_until timestamptz,
  primary key (holder_kind, holder, key_id)
);

-- Nonces of accepted requests, kept until a repeated request is refused because of its time alone.
create table request_nonces (
  holder_kind text not null check (holder_kind in ('vendor', 'collector')),
  holder text not null,
  nonce text not null,
  -- The request that used it, so that a commit whose result was lost can be repeated.
  use_id uuid not null,
  expires_at timestamptz not null,
  primary key (holder_kind, holder, nonce)
);
create index request_nonces_expiry on request_nonces (expires_at);

insert into settings_versions (topic, version) values ('vendors', 1);
