-- A loan that the person guarantees and another person owes. It is on file with the person, and no default of
-- it counts against them.
alter table credit_accounts add column is_guarantee boolean not null default false;
