-- oldest release: 8
-- What people propose for a receipt is a proposal (see `src/proposals`). The row keeps who decided it. What waited has
-- to be proposed again.
drop index receipts_proposed;
alter table receipts drop constraint receipts_proposal;
alter table receipts drop constraint receipts_two_people;
update receipts set proposed_by = null where decided_by is null and proposed_by is not null;
alter table receipts drop column proposal;
alter table receipts drop column proposed_at;
alter table receipts drop column proposal_mac;
alter table receipts add constraint receipts_two_people check (num_nulls(proposed_by, decided_by) = 2
  or num_nulls(proposed_by, decided_by) = 0 and lower(decided_by) <> lower(proposed_by));
