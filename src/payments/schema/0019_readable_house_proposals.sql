-- Whatever is inserted, lists of proposals and ledger check can read it: times are dates, and lines are complete.
alter table house_entries
  add constraint house_entries_dates check (moved_at between '0001-01-01Z' and '9999-12-31Z'
    and proposed_at between '0001-01-01Z' and '9999-12-31Z');
alter table house_journals
  add constraint house_journals_dates check (moved_at between '0001-01-01Z' and '9999-12-31Z'
    and proposed_at between '0001-01-01Z' and '9999-12-31Z'),
  add constraint house_journals_lines check (jsonb_array_length(lines)
    = jsonb_array_length(jsonb_path_query_array(lines, 'strict $[*] ? (@.account.type() == "string"
      && (@.side == "debit" || @.side == "credit") && @.cents like_regex "^[0-9]{1,19}$")')));
