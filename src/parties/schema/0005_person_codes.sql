-- HMAC-SHA-256 under the ledger's key, so that a row alone lets nobody in: of a link's token, person, maker and
-- end, and of a passkey's credential, person and public key.
alter table person_links add column mac bytea;
alter table passkeys add column mac bytea;

-- Without a code they cannot be used any more. Nobody needs them to sign in.
delete from passkeys;
