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
  attempts integer not null default 0 check (attempts >= 0)
);
