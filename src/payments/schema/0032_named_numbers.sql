-- Numbers of other receipts that a bank's text may name, as `plainReference` makes them: its money may be theirs.
alter table receipts add column named text[];
create index receipts_by_named on receipts using gin (named) where named is not null;
