-- HMAC-SHA-256 of a proposal under the ledger's key: what is proposed, by whom, for what and when. Null: made
-- by a release that had no codes; it has to be proposed again.
alter table cases add column proposal_mac bytea;
