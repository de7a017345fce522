-- A customer may have paid too much: the balance is then below 0.
alter table account_states drop constraint account_states_balance_cents_check;
-- A finding about a line that was imported all the same.
alter table credit_import_findings add column imported boolean not null default false;
