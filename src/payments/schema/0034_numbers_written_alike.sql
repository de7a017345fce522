-- Numbers of money that came in are compared as `plainReference` makes them, also with what collectors report
-- themselves, and with debits whose credits are not known.
create index collections_by_number on collections (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));
drop index receipt_debits_by_number;
create index receipt_debits_by_number
  on receipt_debits (lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g')), amount_cents);
