-- HMAC-SHA-256 of a payout's proposal under the ledger's key: what goes where, and who proposed it when. Null:
-- made by a release that had no codes; it has to be proposed again. `mac` covers the approval as well.
alter table vendor_payouts add column proposal_mac bytea;
