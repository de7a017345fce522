-- Times that lists show, which have to be dates: a row of one that is none would fail the list of all people,
-- or of all passkeys of a person. From the year 2000 to 9999, in seconds: a time as text would be shown in the
-- session's time zone, and so seem to be another one when the schema is checked. Without `between`, which is
-- shown in another way after a table was copied, as by pg_dump or to a cluster.
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
