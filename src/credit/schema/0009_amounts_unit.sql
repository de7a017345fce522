-- The unit of a lender's amounts, and of the amounts of a file. A file without a single decimal point says
-- nothing about its unit, and taking cents for shillings makes every amount a hundred times too large.
alter table lenders add column amounts text check (amounts in ('shillings', 'cents'));
alter table credit_imports add column amounts text not null default 'shillings'
  check (amounts in ('shillings', 'cents'));
