-- Lists of proposals and `ledger check` can read every row: its times can be written as dates, and its lines are
-- complete. The limits, the years 1 and 9999, are in seconds and without `between`, for the reasons in
-- src/parties/schema/0006_times_of_people.sql.
alter table house_entries
  add constraint house_entries_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799)
    and proposed_at >= to_timestamp(-62135596800) and proposed_at <= to_timestamp(253402300799));
alter table house_journals
  add constraint house_journals_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799)
    and proposed_at >= to_timestamp(-62135596800) and proposed_at <= to_timestamp(253402300799)),
  add constraint house_journals_lines check (jsonb_array_length(lines)
    = jsonb_array_length(jsonb_path_query_array(lines, 'strict $[*] ? (@.account.type() == "string"
      && (@.side == "debit" || @.side == "credit") && @.cents like_regex "^[0-9]{1,19}$")')));
