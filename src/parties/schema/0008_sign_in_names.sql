-- A vendor's own people, too, wait for a confirmation if staff made their link or changed their role.
alter table people drop constraint people_check1;

-- Logins that a vendor's administrator chooses begin with the vendor's id, so they never meet those of staff or of
-- another vendor, and nobody learns from a refusal that such a login exists.
alter table people drop constraint people_login_check;
alter table people
  add constraint people_login check (login ~ '^([a-z0-9._-]{1,64}:)?[a-z0-9][a-z0-9._%+@-]{1,126}$');

-- Failed sign-ins by login and where they came from: a network, or a device that has signed in before.
-- Removed by a success from there, and a day after the last failure.
create table sign_in_sources (
  failed_at timestamptz not null,
  failed_count integer not null check (failed_count >= 0),
  login text not null,
  source text not null,
  primary key (login, source)
);
