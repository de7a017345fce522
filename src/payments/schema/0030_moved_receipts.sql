-- oldest release: 8
-- How often two people have moved a credited receipt to another vendor, and what was still credited then: the amount
-- with which it is credited to the next one. Each time it is another collection.
alter table receipts
  add column moves integer not null default 0 check (moves >= 0),
  add column moved_cents bigint,
  add constraint receipts_moved check ((moves = 0) = (moved_cents is null)
    and (moved_cents is null or moved_cents between 1 and amount_cents));
