-- HMAC-SHA-256 of a link's token, subject and end under the ledger's key, so that a row alone gives no report.
-- Null: made by a release that had no codes; it has to be made again.
alter table access_links add column mac bytea;
