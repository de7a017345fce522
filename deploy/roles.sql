-- The two roles of an external database. One owns the schema. The service works as the other, which
-- cannot change or delete rows of append-only tables. Run this file in the service's database, as a role
-- that may create roles and owns the database. It may be run again, and sets the passwords that are given:
--
--     psql "$ADMIN_URL" -v ON_ERROR_STOP=1 \
--       -c "set malipo.owner_password = '...'" -c "set malipo.runtime_password = '...'" \
--       -f deploy/roles.sql
--
-- Then DATABASE_OWNER_URL=postgres://malipo_owner:...@host/malipo npm run -s malipo -- migrate, with
-- DATABASE_URL=postgres://malipo_runtime:...@host/malipo, creates the tables and grants the runtime
-- role what it needs on each. The role names can be set in the same way: `malipo.owner`, `malipo.runtime`.
-- To keep the role of an existing installation as the owner, give its name.

do $roles$
declare
  v_owner text := coalesce(nullif(current_setting('malipo.owner', true), ''), 'malipo_owner');
  v_runtime text := coalesce(nullif(current_setting('malipo.runtime', true), ''), 'malipo_runtime');
  v_name text;
  v_password text;
begin
  if v_owner = v_runtime then
    raise exception 'the two roles must not be the same';
  end if;
  foreach v_name in array array[v_owner, v_runtime] loop
    if not exists (select from pg_roles where rolname = v_name) then
      execute format('create role %I login nosuperuser nocreatedb nocreaterole', v_name);
    end if;
    v_password := nullif(current_setting(
      case v_name when v_owner then 'malipo.owner_password' else 'malipo.runtime_password' end, true), '');
    if v_password is not null then
      execute format('alter role %I password %L', v_name, v_password);
    end if;
    execute format('grant connect on database %I to %I', current_database(), v_name);
  end loop;
  -- Before PostgreSQL 15, and in databases that were upgraded from there, anybody could create tables.
  revoke create on schema public from public;
  execute format('revoke create on schema public from %I', v_runtime);
  execute format('grant usage, create on schema public to %I', v_owner);
  execute format('grant usage on schema public to %I', v_runtime);
end
$roles$;
