-- Losses that we bear (`losses:<code>`) and debts that we write off (`written_off`) are expenses with accounts of
-- their own. Before, both were posted from `external`, the money from outside.
alter table accounts drop constraint accounts_never_negative;
alter table accounts add constraint accounts_never_negative
  check (balance_cents >= 0 or account in ('external', 'exposure', 'written_off')
    or account like 'cost:%' or account like 'commission_due:%' or account like 'losses:%');
