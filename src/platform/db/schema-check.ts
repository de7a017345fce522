import type { Queryable } from './pool.ts';

/**
 * What the database itself enforces: constraints, indexes and functions of our tables, as it defines
 * them. Not-null marks are left out, which only newer servers list as constraints, and so are
 * partitions, which come and go.
 */
const ACTUAL = `
  select 'constraint' as kind, c.conrelid::regclass::text as place, c.conname::text as name,
    md5(pg_get_constraintdef(c.oid)) as definition, c.convalidated as valid
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.connamespace = current_schema()::regnamespace and c.contype <> 'n' and not t.relispartition
  union all
  select 'index', i.indrelid::regclass::text, x.relname::text, md5(pg_get_indexdef(i.indexrelid)),
    i.indisvalid
  from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where x.relnamespace = current_schema()::regnamespace and not x.relispartition and not t.relispartition
  union all
  select 'function', '', p.oid::regprocedure::text, md5(pg_get_functiondef(p.oid)), true
  from pg_proc p
  where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

/** Definitions are the server's own words, which another major version may choose differently. */
const SERVER_MAJOR = `current_setting('server_version_num')::integer / 10000`;

/** Where the definitions are recorded that the migrations and function files made. */
export async function makeSchemaRecord(db: Queryable): Promise<void> {
  await db.query(
    `create table if not exists schema_objects (
       kind text not null, place text not null, name text not null, definition text not null,
       server_major integer not null, primary key (kind, place, name))`,
  );
}

/** Writes down what is there now. In the transaction of what made it so. */
export async function recordSchema(db: Queryable): Promise<void> {
  await db.query('delete from schema_objects');
  await db.query(
    `insert into schema_objects (kind, place, name, definition, server_major)
     select kind, place, name, definition, ${SERVER_MAJOR} from (${ACTUAL}) a where a.valid`,
  );
}

/**
 * What the migrations and function files made and the database no longer has, or has in another form:
 * without it the database does not enforce what it has to. One line each; empty: nothing is missing.
 * The record is of the set that was applied last, so a process of an older release accepts a newer one.
 * Additions are ignored.
 */
export async function findSchemaDamage(db: Queryable): Promise<string[]> {
  const found = await db.query<{ kind: string; place: string; name: string; what: string }>(
    `select r.kind, r.place, r.name,
       case when a.name is null then 'missing' when not a.valid then 'not valid' else 'changed' end as what
     from schema_objects r left join (${ACTUAL}) a
       on a.kind = r.kind and a.place = r.place and a.name = r.name
     where a.name is null or not a.valid
       or (a.definition <> r.definition and r.server_major = ${SERVER_MAJOR})
     order by r.kind, r.place, r.name`,
  );
  return found.rows.map(
    ({ kind, place, name, what }) =>
      `${kind} ${name}${place === '' ? '' : ` of ${place}`} is ${what}`,
  );
}
