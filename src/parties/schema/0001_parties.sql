-- Who may call: vendors, collectors and the keys they sign with. Small and rarely written. Every process
-- holds them in memory and reloads them when the version of the topic `vendors` changes.

-- Every vendor belongs to a bucket (`bucket_of`). The rows of a bucket are together on one
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
  -- For which payments an equal one within the last `duplicate_window_seconds` makes a new one a likely duplicate.
  duplicate_check text not null default 'without_reference'
    check (duplicate_check in ('off', 'without_reference', 'always')),
  -- Longer than the usual 30 s for vendors whose references are optional: clients repeat a create for up to a
  -- minute.
  duplicate_window_seconds integer not null default 30 check (duplicate_window_seconds in (30, 120)),
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

-- People who sign in to the console, and what they did there.

create table people (
  created_at timestamptz not null,
  -- The time step of the last accepted one-time code, so that it counts once (RFC 6238 §5.2).
  code_step bigint,
  -- The vendor that the person works for; null: the company that runs this service.
  vendor_id integer,
  person_id uuid primary key,
  -- An e-mail address or a short name, in lower case.
  -- Those that a vendor's administrator chooses begin with the vendor's id, so they never meet those of staff or of
  -- another vendor, and nobody learns from a refusal that such a login exists.
  login text not null unique,
  name text not null check (name <> ''),
  role text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- Argon2id; null until the person has chosen one.
  password_hash text,
  -- The secret of one-time codes, encrypted with the master key master_key_id; null: not set up.
  master_key_id text,
  code_secret bytea,
  -- When the person last chose a password, with a one-time link; null: not yet.
  credentials_at timestamptz,
  -- The proposal by which another person confirms this one (see `src/proposals/parties`). Null: confirmed, or nobody has
  -- to.
  waits_for uuid,
  -- Whether the person has ever been confirmed. Somebody whom one administrator invited, and nobody could confirm, is not
  -- the second person without whom nothing is decided.
  was_confirmed boolean not null default false,
  check ((vendor_id is not null) = (role like 'vendor\_%')),
  -- Grows with each change of the person, so that no two rows of a person have the same authentication code.
  version integer not null default 0,
  -- HMAC-SHA-256 under the ledger's key of login, name, vendor, role, status, password and confirmation, so that a row
  -- alone lets nobody in. Likewise for links, passkeys, challenges and sessions below.
  mac bytea,
  constraint people_login check (login ~ '^([a-z0-9._-]{1,64}:)?[a-z0-9][a-z0-9._%+@-]{1,126}$'),
  -- The console shows these times as dates. One row with a time that cannot be written as a date, such as
  -- `infinity`, would make the list of all people fail, or that of all passkeys of a person.
  -- The limits, the years 2000 and 9999, are in seconds: PostgreSQL prints a time in the session's time zone, and
  -- the check of the schema would take it for a change. For the same reason there is no `between`, which
  -- PostgreSQL prints in another way once a table has been copied, by pg_dump or to a cluster.
  constraint people_dates check (
    created_at >= to_timestamp(946684800) and created_at <= to_timestamp(253402300799)
    and (credentials_at is null
      or credentials_at >= to_timestamp(946684800) and credentials_at <= to_timestamp(253402300799))),
  check ((master_key_id is null) = (code_secret is null))
);
create index people_of_vendor on people (vendor_id) where vendor_id is not null;

-- Consecutive failed sign-ins by sign-in name, whether or not a person has it, so that the delay they cause
-- does not reveal it. Removed by a success, and a day after the last failure.
create table sign_in_failures (
  failed_at timestamptz not null,
  failed_count integer not null check (failed_count >= 0),
  login text primary key
);

-- Failed sign-ins by login and where they came from: a network, or a device that has signed in before.
-- Removed by a success from there, and a day after the last failure.
create table sign_in_sources (
  failed_at timestamptz not null,
  failed_count integer not null check (failed_count >= 0),
  login text not null,
  source text not null,
  primary key (login, source)
);

-- One-time links with which a person chooses a password: an invitation, or the recovery of an account.
create table person_links (
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  person_id uuid not null references people,
  -- Who made it; null: the command line.
  made_by uuid references people,
  -- SHA-256 of the token in the link.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  -- As of people, from the use of the link on.
  waits_for uuid,
  -- Of its token, person, maker, end and confirmation.
  mac bytea not null
);
create index person_links_of_person on person_links (person_id);

-- Devices that a person signs in with (WebAuthn). Removed when the person uses a new link.
create table passkeys (
  created_at timestamptz not null,
  used_at timestamptz,
  -- The number of signatures that the device reports; 0: the device does not count them.
  sign_count bigint not null check (sign_count >= 0),
  person_id uuid not null references people,
  -- As browsers name it: base64url.
  credential_id text primary key,
  -- COSE.
  public_key bytea not null,
  transports text[] not null,
  -- What the person calls it.
  name text not null,
  -- Of its credential, person and public key.
  mac bytea not null,
  constraint passkeys_dates check (
    created_at >= to_timestamp(946684800) and created_at <= to_timestamp(253402300799)
    and (used_at is null
      or used_at >= to_timestamp(946684800) and used_at <= to_timestamp(253402300799)))
);
create index passkeys_of_person on passkeys (person_id);

-- Challenges for devices to sign. Each can be used once, within a few minutes.
create table passkey_challenges (
  expires_at timestamptz not null,
  -- The person who adds a passkey; null: the challenge is for a sign-in.
  person_id uuid references people,
  challenge text primary key,
  -- Of its person and end: nobody who writes to the database chooses what a device signs, or adds a passkey without
  -- the password.
  mac bytea not null
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

create table sessions (
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  person_id uuid not null references people,
  -- SHA-256 of the cookie's token.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  address text not null,
  browser text not null,
  -- Of its token, person and end.
  mac bytea not null
);
create index sessions_of_person on sessions (person_id);

-- Tokens of programs that use the staff API. Each acts for the administrator who made it, with at most that person's
-- rights at the time of the request. One that was revoked is in ended_credentials.
create table program_tokens (
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The last use, within a minute.
  used_at timestamptz,
  token_id uuid primary key,
  -- The owner.
  person_id uuid not null references people,
  name text not null unique,
  role text not null,
  -- Permissions; null: all that the role has.
  scopes text[],
  -- From which addresses it may be used, in CIDR notation; null: from any.
  addresses text[],
  -- SHA-256.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- Of its hash and everything above but the use.
  mac bytea not null
);
create index program_tokens_of_person on program_tokens (person_id);

-- What no longer counts for signing in, for good: sessions that were ended, passkeys that were removed, one-time codes
-- and challenges that were used, and former rows of people, by their authentication codes. The runtime role only adds
-- rows, so whoever puts an old row back into another table gains nothing.
create table ended_credentials (
  ended_at timestamptz not null,
  kind text not null check (kind in ('session', 'token', 'passkey', 'code', 'challenge', 'person')),
  -- Hash of a session's token, id of a program's token, id of a passkey, text of a challenge; person and authentication code of a row; or
  -- person, time of the credentials and step of a one-time code.
  id text not null,
  primary key (kind, id)
);

-- Every action in the console and every sign-in, inserted before it is carried out. Append-only.
create table audit_log (
  at timestamptz not null,
  audit_id uuid primary key,
  -- Null: nobody was signed in, such as at a failed sign-in.
  person_id uuid,
  -- The vendor that the person belongs to, or null.
  vendor_id integer,
  login text not null,
  role text,
  -- On a page, with a token, by a command, or a vendor's program with its key.
  channel text not null check (channel in ('console', 'api', 'command', 'vendor')),
  -- The name of the token of a program; null: a person acted.
  token text,
  -- Such as `biller.offline`.
  action text not null,
  -- What it was applied to, such as a biller's code.
  target text,
  reason text,
  address text not null,
  request_id text not null,
  -- What an export was asked for.
  filter jsonb
);
create index audit_log_by_time on audit_log (at);
-- For the page that shows the log: what is rare must be found without reading all of it.
create index audit_log_by_action on audit_log (action, at);
create index audit_log_by_login on audit_log (login, at);
create index audit_log_by_target on audit_log (target, at) where target is not null;
create index audit_log_by_person on audit_log (person_id, at) where person_id is not null;

-- How each action ended. An action without a row was interrupted: what it changed is in the other tables.
-- Append-only.
create table audit_results (
  ended_at timestamptz not null,
  audit_id uuid primary key references audit_log,
  result text not null check (result in ('done', 'refused', 'failed')),
  -- What was created, where the request could not name it.
  target text,
  before jsonb,
  after jsonb
);
create index audit_results_by_target on audit_results (target) where target is not null;

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
