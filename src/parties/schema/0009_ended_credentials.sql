-- What no longer counts for signing in, for good: sessions that were ended, passkeys that were removed, one-time codes
-- and challenges that were used, and former rows of people, by their authentication codes. The runtime role only adds
-- rows, so whoever puts an old row back into another table gains nothing.
create table ended_credentials (
  ended_at timestamptz not null,
  kind text not null check (kind in ('session', 'passkey', 'code', 'challenge', 'person')),
  -- Hash of a session's token, id of a passkey, text of a challenge; person and authentication code of a row; or
  -- person, time of the credentials and step of a one-time code.
  id text not null,
  primary key (kind, id)
);

-- Grows with each change of the person, so that no two rows of a person have the same authentication code.
alter table people add column version integer not null default 0;
