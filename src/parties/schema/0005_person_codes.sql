-- HMAC-SHA-256 under the ledger's key, so that a row alone lets nobody in: of a person's login, vendor, role,
-- status, password and confirmation, of a link's token, person, maker and end, and of a passkey's credential,
-- person and public key.
alter table people add column mac bytea;
alter table person_links add column mac bytea;
alter table passkeys add column mac bytea;

-- Without a code they cannot be used any more. Nobody needs them to sign in.
delete from passkeys;

-- When the first start of a release with codes gave the people of earlier releases theirs.
create table first_people_codes (
  made_at timestamptz not null,
  one_row boolean primary key default true check (one_row)
);
