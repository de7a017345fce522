-- The console shows these times as dates. One row with a time that cannot be written as a date, such as
-- `infinity`, would make the list of all people fail, or that of all passkeys of a person.
-- The limits, the years 2000 and 9999, are in seconds: PostgreSQL prints a time in the session's time zone, and
-- the check of the schema would take it for a change. For the same reason there is no `between`, which
-- PostgreSQL prints in another way once a table has been copied, by pg_dump or to a cluster.
alter table people
  add constraint people_dates check (
    created_at >= to_timestamp(946684800) and created_at <= to_timestamp(253402300799)
    and (credentials_at is null
      or credentials_at >= to_timestamp(946684800) and credentials_at <= to_timestamp(253402300799)));
alter table passkeys
  add constraint passkeys_dates check (
    created_at >= to_timestamp(946684800) and created_at <= to_timestamp(253402300799)
    and (used_at is null
      or used_at >= to_timestamp(946684800) and used_at <= to_timestamp(253402300799)));
