-- HMAC-SHA-256 under the ledger's key of a challenge, its person and its end: nobody who writes to the database
-- chooses what a device signs, or adds a passkey without the password. Null: made by a release without codes.
alter table passkey_challenges add column mac bytea;
