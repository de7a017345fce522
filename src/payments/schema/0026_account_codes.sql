-- HMAC-SHA-256 of an account number under the ledger's key: database access alone is not enough to add one that
-- `ledger check` accepts.
alter table receipt_accounts add column mac bytea;

-- Account numbers that were added before there were codes.
create table receipt_accounts_uncoded (
  account_id uuid primary key
);
insert into receipt_accounts_uncoded select account_id from receipt_accounts;

-- Append-only: without it, somebody could give an account number back to a former vendor by clearing the end.
create table receipt_account_ends (
  ended_at timestamptz not null,
  account_id uuid primary key,
  ended_by text not null,
  -- HMAC-SHA-256 of the row.
  mac bytea not null
);
insert into receipt_account_ends (ended_at, account_id, ended_by, mac)
  select ended_at, account_id, ended_by, '' from receipt_accounts where ended_at is not null;
