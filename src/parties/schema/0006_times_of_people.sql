-- Times that lists show, which have to be dates: a row of one that is none would fail the list of all people,
-- or of all passkeys of a person.
alter table people
  add constraint people_dates check (created_at between '2000-01-01Z' and '9999-12-31Z'
    and (credentials_at is null or credentials_at between '2000-01-01Z' and '9999-12-31Z'));
alter table passkeys
  add constraint passkeys_dates check (created_at between '2000-01-01Z' and '9999-12-31Z'
    and (used_at is null or used_at between '2000-01-01Z' and '9999-12-31Z'));
