-- HMAC-SHA-256 of a proposed entry or journal under the ledger's key: what is to be booked, and who proposed it
-- when. Null: made by a release that had no codes; it has to be proposed again. Its transfers have codes of
-- their own.
alter table house_entries add column proposal_mac bytea;
alter table house_journals add column proposal_mac bytea;
