-- The stronger signature: over method, path, body, time and a nonce, in a header. Either the hash of
-- the parameters is enough (v1), or every request must carry the header (v2).

alter table vendors add column signature text not null default 'v1'
  check (signature in ('v1', 'v2'));
alter table collectors add column signature text not null default 'v1'
  check (signature in ('v1', 'v2'));

-- Nonces of requests that were taken, until their time alone would refuse a repeat.
create table request_nonces (
  holder_kind text not null check (holder_kind in ('vendor', 'collector')),
  holder text not null,
  nonce text not null,
  -- The request that used it, so that a commit whose answer was lost can be run again.
  use_id uuid not null,
  expires_at timestamptz not null,
  primary key (holder_kind, holder, nonce)
);
create index request_nonces_expiry on request_nonces (expires_at);
