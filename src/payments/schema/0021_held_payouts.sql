-- oldest release: 8
-- Payouts are proposed, decided and held as proposals (see `src/proposals`). A row here is a transfer of our bank, so
-- rows are only inserted. What waited has to be proposed again; nothing of it was held.
delete from vendor_payouts where decision is distinct from 'approved';
alter table vendor_payouts drop constraint vendor_payouts_decision;
alter table vendor_payouts drop constraint vendor_payouts_posted;
alter table vendor_payouts drop constraint vendor_payouts_two_people;
drop index vendor_payouts_once;
drop index vendor_payouts_by_time;
alter table vendor_payouts drop column decision;
alter table vendor_payouts drop column decided_at;
alter table vendor_payouts drop column proposed_at;
alter table vendor_payouts drop column proposal_mac;
alter table vendor_payouts alter column posted_at set not null;
alter table vendor_payouts alter column decided_by set not null;
alter table vendor_payouts alter column mac set not null;
-- However the reference is spelt: see `plainReference`.
create unique index vendor_payouts_once on vendor_payouts
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));
create index vendor_payouts_by_time on vendor_payouts (posted_at);
