-- Why people have to decide about a receipt, although its vendor may be known: it may be the same money as
-- another receipt or collection, or its text can be read in two ways. Null: the state says it all.
alter table receipts add column doubt jsonb;
-- Receipts whose numbers differ only in how they are written, whoever issued them.
create index receipts_by_number on receipts (lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g')));
create index receipt_debits_by_number on receipt_debits (receipt, amount_cents);
