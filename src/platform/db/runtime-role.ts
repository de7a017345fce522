import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { readAppliedFunctions } from './functions.ts';
import { inTurns } from './migration-turns.ts';
import type { Pool, Queryable } from './pool.ts';
import type { Schema } from './schema.ts';

/** A privilege on a table, or on one of its columns if one is given. */
interface Privilege {
  readonly relation: string;
  readonly column: string | null;
  readonly privilege: string;
}

/** Two arguments of the statements below. */
function wanted({ grants, functions }: Schema): [grants: string, functions: string[]] {
  const tables = Object.entries(grants).map(([relation, table]) => ({
    relation,
    insert: table.insert === true,
    update: table.update ?? [],
    all_but: table.updateAllBut ?? null,
    delete: table.delete === true,
  }));
  return [JSON.stringify(tables), functions.map(({ name }) => path.basename(name, '.sql'))];
}

/**
 * $1: the grants as JSON, $2: our functions by name, $3: the role. Every privilege on our tables and
 * views, and on each function that runs as its owner, with whether the role has it and
 * whether it should. UPDATE is granted by column; all else by table.
 */
const COMPARED = `
  with wanted as (
    select * from jsonb_to_recordset($1::jsonb)
      as w (relation text, insert boolean, update jsonb, all_but jsonb, delete boolean)
  ), relations as (
    select c.oid, w.* from wanted w join pg_class c
      on c.relname = w.relation and c.relnamespace = current_schema()::regnamespace
  )
  select r.relation, null as column, p.privilege,
    has_table_privilege($3, r.oid, p.privilege) as has, p.should
  from relations r cross join lateral (values ('SELECT', true), ('INSERT', r.insert),
    ('DELETE', r.delete), ('TRUNCATE', false), ('REFERENCES', false), ('TRIGGER', false))
    p (privilege, should)
  union all
  select r.relation, a.attname, 'UPDATE', has_column_privilege($3, r.oid, a.attnum, 'UPDATE'),
    coalesce(not r.all_but ? a.attname::text, r.update ? a.attname::text)
  from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  union all
  select p.oid::regprocedure::text, null, 'EXECUTE', has_function_privilege($3, p.oid, 'EXECUTE'),
    p.proname = any ($2::text[])
  from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.prosecdef`;

async function compare(
  db: Queryable,
  role: string,
  schema: Schema,
): Promise<{ readonly missing: readonly Privilege[]; readonly excess: readonly Privilege[] }> {
  const read = await db.query<Privilege & { has: boolean; should: boolean }>(
    `select * from (${COMPARED}) c where has <> should`,
    [...wanted(schema), role],
  );
  return {
    missing: read.rows.filter((row) => row.should),
    excess: read.rows.filter((row) => !row.should),
  };
}

/** The role that a pool's connections use. */
export async function roleOf(db: Queryable): Promise<string> {
  const read = await db.query<{ role: string }>('select current_user::text as role');
  return read.rows[0]?.role ?? '';
}

export async function databaseOf(db: Queryable): Promise<string> {
  const read = await db.query<{ name: string }>('select current_database()::text as name');
  return read.rows[0]?.name ?? '';
}

/** True if the role may change the schema: it owns objects in it, or may create them. */
export async function mayMigrate(db: Queryable): Promise<boolean> {
  const read = await db.query<{ may: boolean | null }>(
    `select coalesce(
       (select pg_has_role(current_user, relowner, 'USAGE') from pg_class
        where relname = 'schema_migrations' and relnamespace = current_schema()::regnamespace),
       has_schema_privilege(current_schema(), 'CREATE')) as may`,
  );
  return read.rows[0]?.may === true;
}

/**
 * Grants the runtime role what it needs on every table and revokes everything else. Called by the
 * owner after migrations; changes nothing if the grants are already correct.
 */
export async function grantRuntime(owner: Pool, role: string, schema: Schema): Promise<void> {
  const { missing, excess } = await compare(owner, role, schema);
  if (missing.length === 0 && excess.length === 0) return;
  await inTurns(owner, async (client) => {
    for (const statement of await grantStatements(client, role, schema))
      await client.query(statement);
  });
}

async function grantStatements(db: Queryable, role: string, schema: Schema): Promise<string[]> {
  const read = await db.query<{ statement: string }>(
    `with compared as (${COMPARED}), tables as (
       select relation, $3 as role, current_schema() as schema,
         concat_ws(', ', 'select', case when bool_or(privilege = 'INSERT' and should) then 'insert' end,
           case when bool_or(privilege = 'DELETE' and should) then 'delete' end,
           'update (' || string_agg(quote_ident("column"), ', ' order by "column")
             filter (where privilege = 'UPDATE' and should) || ')') as privileges
       from compared where privilege <> 'EXECUTE' group by relation
     )
     select format('revoke all on all tables in schema %I from %I', current_schema(), $3) as statement
     union all
     select format('grant usage on schema %I to %I', current_schema(), $3)
     union all
     select format('grant %s on %I.%I to %I', privileges, schema, relation, role) from tables
     union all
     select format('revoke all on function %s from public', relation) from compared where privilege = 'EXECUTE'
     union all
     select format('revoke all on function %s from %I', relation, $3)
     from compared where privilege = 'EXECUTE' and not should
     union all
     select format('grant execute on function %s to %I', relation, $3)
     from compared where privilege = 'EXECUTE' and should`,
    [...wanted(schema), role],
  );
  return read.rows.map((row) => row.statement);
}

/** Attributes and memberships of a role that bypass grants. */
const ABOVE_GRANTS = `
  select 'it is a superuser' as problem from pg_roles where rolname = current_user and rolsuper
  union all
  select 'it may create roles' from pg_roles where rolname = current_user and rolcreaterole and not rolsuper
  union all
  select 'it bypasses row security' from pg_roles
  where rolname = current_user and rolbypassrls and not rolsuper
  union all
  select 'it may replicate' from pg_roles where rolname = current_user and rolreplication and not rolsuper
  union all
  select 'it is a member of ' || rolname from pg_roles
  where rolname in ('pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files',
      'pg_execute_server_program', 'pg_maintain')
    and pg_has_role(current_user, oid, 'MEMBER')
    and not (select rolsuper from pg_roles where rolname = current_user)
  union all
  select 'it owns the database' from pg_database
  where datname = current_database() and pg_has_role(current_user, datdba, 'MEMBER')
  union all
  select 'it may create objects in schema ' || current_schema()
  where has_schema_privilege(current_schema(), 'CREATE')
  union all
  select 'it owns ' || count(*) || ' tables or functions' from (
    select relowner as owner from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')
    union all
    select proowner from pg_proc where pronamespace = current_schema()::regnamespace
  ) o where pg_has_role(current_user, owner, 'MEMBER') having count(*) > 0`;

/**
 * Why the role of this pool is not suitable as the runtime role, one line each; empty if it is.
 * Such a role could change append-only tables, or lacks a privilege that the service needs.
 */
export async function findRoleProblems(runtime: Queryable, schema: Schema): Promise<string[]> {
  const above = await runtime.query<{ problem: string }>(ABOVE_GRANTS);
  // A role that bypasses grants has every privilege; listing them would not help.
  if (above.rows.length > 0) return above.rows.map((row) => row.problem);
  const { missing, excess } = await compare(runtime, await roleOf(runtime), schema);
  // What a newer release has granted is not known here; its own processes compare it.
  const { release } = await readAppliedFunctions(runtime);
  return [
    ...(release > schema.release ? [] : excess).map((privilege) => `it may ${describe(privilege)}`),
    ...missing.map((privilege) => `it may not ${describe(privilege)}`),
  ];
}

function describe({ relation, column, privilege }: Privilege): string {
  return `${privilege} ${column === null ? relation : `${relation}.${column}`}`;
}

/**
 * Makes the role of a URL when it is missing, with the URL's password.
 * Throws: when the owner may not create roles.
 */
export async function ensureRole(owner: Pool, runtimeUrl: string): Promise<void> {
  const { username, password } = new URL(runtimeUrl);
  const role = decodeURIComponent(username);
  if (role === '') throw new PlainError('The URL of the runtime role has no user name.');
  const known = await owner.query('select from pg_roles where rolname = $1', [role]);
  if (known.rowCount === 1) return;
  const made = await owner.query<{ statement: string }>(
    `select format('create role %I login password %L', $1::text, $2::text) as statement`,
    [role, decodeURIComponent(password)],
  );
  await owner.query(made.rows[0]?.statement ?? '').catch((error: unknown) => {
    // 42710, 23505: another process has just made it.
    const { code } = error as { code?: string };
    if (code !== '42710' && code !== '23505') throw error;
  });
}
