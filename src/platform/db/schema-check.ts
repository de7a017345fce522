import type { Queryable } from './pool.ts';

/**
 * Everything the database itself enforces or runs: constraints, indexes, functions, defaults,
 * triggers, rules, views, policies and inheritance, with their definitions. Not-null constraints
 * are left out because only newer servers list them, partitions because they come and go, and what
 * belongs to an extension because it stays behind when the database moves. Two
 * additions are harmless: an index that rejects no row, and a function that runs as its caller.
 */
const ACTUAL = `
  select 'constraint' as kind, c.conrelid::regclass::text as place, c.conname::text as name,
    md5(pg_get_constraintdef(c.oid)) as definition, c.convalidated as valid, false as harmless
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.connamespace = current_schema()::regnamespace and c.contype <> 'n' and not t.relispartition
  union all
  select 'index', i.indrelid::regclass::text, x.relname::text, md5(pg_get_indexdef(i.indexrelid)),
    i.indisvalid, i.indexprs is null and i.indpred is null and not i.indisunique
  from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where x.relnamespace = current_schema()::regnamespace and not x.relispartition and not t.relispartition
  union all
  select 'function', '', p.oid::regprocedure::text, md5(pg_get_functiondef(p.oid)), true, not p.prosecdef
  from pg_proc p
  where p.pronamespace = current_schema()::regnamespace and p.prokind <> 'a'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select o.kind, t.oid::regclass::text, o.name, md5(o.definition), true, false
  from pg_class t cross join lateral (
    select 'default' as kind, a.attname::text as name, pg_get_expr(d.adbin, d.adrelid) as definition
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = t.oid
    union all
    select 'trigger', tgname::text, pg_get_triggerdef(g.oid) || tgenabled::text
    from pg_trigger g where tgrelid = t.oid and not tgisinternal
    union all
    select case rulename when '_RETURN' then 'view' else 'rule' end, rulename::text,
      pg_get_ruledef(r.oid)
    from pg_rewrite r where ev_class = t.oid
    union all
    select 'policy', polname::text,
      concat(polcmd, polroles, pg_get_expr(polqual, t.oid), pg_get_expr(polwithcheck, t.oid))
    from pg_policy where polrelid = t.oid
    union all
    select 'row security', t.relname::text, '' where t.relrowsecurity
    union all
    select 'child table', inhrelid::regclass::text, '' from pg_inherits where inhparent = t.oid
  ) o
  where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p', 'v')
    and not t.relispartition and (o.kind <> 'child table' or t.relkind = 'r')
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = t.oid and d.deptype = 'e')`;

/** Definitions are printed by the server, and another major version may print them differently. */
const SERVER_MAJOR = `current_setting('server_version_num')::integer / 10000`;

/** The table that records the definitions made by the migrations and function files. */
export async function makeSchemaRecord(db: Queryable): Promise<void> {
  await db.query(
    `create table if not exists schema_objects (
       kind text not null, place text not null, name text not null, definition text not null,
       server_major integer not null, primary key (kind, place, name))`,
  );
}

/** Records the current definitions, in the database transaction that made them. */
export async function recordSchema(db: Queryable): Promise<void> {
  await db.query('delete from schema_objects');
  await db.query(
    `insert into schema_objects (kind, place, name, definition, server_major)
     select kind, place, name, definition, ${SERVER_MAJOR} from (${ACTUAL}) a where a.valid`,
  );
}

/** Which additions are listed. Harmful ones may run code with the owner’s privileges (see ACTUAL). */
type Additions = 'none' | 'harmful' | 'all';

/**
 * Definitions that the migrations and function files made and that the database lacks, or has in
 * another form, so that it no longer enforces them; then what somebody added to our tables, or as a
 * function. One line each. The record is that of the set applied last, so a process of an older
 * release accepts a newer one. Objects of other tables are ignored.
 */
export async function findSchemaDifferences(
  db: Queryable,
  { additions }: { readonly additions: Additions },
): Promise<string[]> {
  // In one query, because printing the definitions takes most of the time.
  const found = await db.query<Difference>(
    `select coalesce(r.kind, a.kind) as kind, coalesce(r.place, a.place) as place,
       coalesce(r.name, a.name) as name,
       case when a.name is null then 'is missing' when r.name is null then 'was added'
         when not a.valid then 'is not valid' else 'is changed' end as what
     from schema_objects r full join (${ACTUAL}) a
       on a.kind = r.kind and a.place = r.place and a.name = r.name
     where case when r.name is not null
       then a.name is null or not a.valid
         or (a.definition <> r.definition and r.server_major = ${SERVER_MAJOR})
       else ($1 = 'all' or ($1 = 'harmful' and not a.harmless))
         and (a.valid or a.kind <> 'index')
         and (a.place = '' or a.place in (select place from schema_objects))
         and exists (select from schema_objects) end
     order by r.name is null, kind, place, name`,
    [additions],
  );
  return found.rows.map((row) => `${nameOf(row)} ${row.what}`);
}

interface Difference {
  readonly kind: string;
  readonly place: string;
  readonly name: string;
  readonly what: string;
}

function nameOf(row: Difference): string {
  return `${row.kind} ${row.name}${row.place === '' ? '' : ` of ${row.place}`}`;
}
