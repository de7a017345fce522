-- People who sign in to the console, and what they did there.

create table people (
  created_at timestamptz not null,
  -- The time step of the last accepted one-time code, so that it counts once (RFC 6238 §5.2).
  code_step bigint,
  -- The vendor that the person works for; null: the company that runs this service.
  vendor_id integer,
  person_id uuid primary key,
  -- An e-mail address or a short name, in lower case.
  login text not null unique check (login ~ '^[a-z0-9][a-z0-9._%+@-]{1,126}$'),
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
  -- Staff only: who made that link, until another administrator has confirmed that the person used it.
  -- Null: confirmed, or the link was made on the command line.
  link_by uuid references people,
  check ((vendor_id is not null) = (role like 'vendor\_%')),
  check (link_by is null or vendor_id is null),
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

-- One-time links with which a person chooses a password: an invitation, or the recovery of an account.
create table person_links (
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  person_id uuid not null references people,
  -- Who made it; null: the command line.
  made_by uuid references people,
  -- SHA-256 of the token in the link.
  token_hash bytea primary key check (octet_length(token_hash) = 32)
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
  name text not null
);
create index passkeys_of_person on passkeys (person_id);

-- Challenges for devices to sign. Each can be used once, within a few minutes.
create table passkey_challenges (
  expires_at timestamptz not null,
  -- The person who adds a passkey; null: the challenge is for a sign-in.
  person_id uuid references people,
  challenge text primary key
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
  browser text not null
);
create index sessions_of_person on sessions (person_id);

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
