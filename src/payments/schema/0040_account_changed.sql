-- An event that tells a vendor what staff changed of its account. Events are deleted after 30 days, so the check
-- reads few rows.
alter table events drop constraint events_type_check;
alter table events add constraint events_type_check check (type in
  ('transaction.succeeded', 'transaction.failed', 'transaction.corrected',
   'credit.default', 'credit.enquiry', 'credit.score_drop',
   'float.low', 'float.recovered',
   -- The columns of a payment are empty; the facts are in details.
   'account.changed'));
