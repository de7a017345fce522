-- HMAC-SHA-256 of the proposal for a receipt under the ledger's key: what is proposed, by whom and when. Null:
-- made by a release that had no codes; it has to be proposed again. `mac` covers what was decided.
alter table receipts add column proposal_mac bytea;
