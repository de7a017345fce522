import type { Client } from 'pg';

/**
 * For each table an insert of the rows $1 to $2, with values by the columns' types, names and checks.
 * Whatever a partial index selects is rare if the index says `is null` or `is not null` of one column.
 */
const INSERTS = `
  with checks as (
    select c.conrelid, c.conkey[1] as attnum, array(
        select m[1] from regexp_matches(pg_get_constraintdef(c.oid), '''([^'']*)''::text', 'g') m) as allowed
    from pg_constraint c
    where c.contype = 'c' and cardinality(c.conkey) = 1
      and pg_get_constraintdef(c.oid) like '%ANY (ARRAY[%'
  ), columns as (
    select t.relname, a.attname, a.attnum, a.attnotnull, a.atttypid, y.typname, y.typtype, y.typcategory,
      k.allowed, t.relname = any ('{billers,operators,lenders,receipt_sources,collectors}') as has_codes,
      (select pg_get_expr(i.indpred, i.indrelid) from pg_index i
        where i.indrelid = t.oid and not a.attnotnull and pg_get_expr(i.indpred, i.indrelid) in (
          format('(%s IS NULL)', a.attname), format('(%s IS NOT NULL)', a.attname))
        limit 1) as predicate
    from pg_class t
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      join pg_type y on y.oid = a.atttypid
      left join checks k on k.conrelid = t.oid and k.attnum = a.attnum
    where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and t.relname !~ '^schema_'
  ), filled as (
    select *, case
        when attname = 'bucket' then '0'
        when attname = 'vendor_id' and relname = any ('{accounts,webhooks,vendors,enquiry_chains}') then 'n'
        when attname = 'vendor_id' then 'case when n <= 60 then n % 2 + 1 else n % 50 + 1 end'
        when attname in ('leg', 'attempt_number') then '(n % 2 + 1)::smallint'
        when not has_codes and attname in ('biller_code', 'operator_code', 'operator', 'lender',
          'source_code', 'holder', 'collector', 'account') then '''x'' || n % 5'
        when allowed is not null and typname = 'text' then format('(%L::text[])[n %% %s + 1]', allowed, cardinality(allowed))
        when typtype = 'e' then format('(enum_range(null::%I))[n %% 2 + 1]', typname)
        when typcategory = 'N' then 'n::' || typname
        when typname = 'bool' then 'true'
        when typname = 'text' then '''t'' || n'
        when typname = 'uuid' then 'md5(n::text)::uuid'
        when typname = 'timestamptz' then 'now() - n * interval ''1 second'''
        when typname = 'pg_lsn' then '''0/0''::pg_lsn + n'
        when typname = 'date' then 'current_date - n'
        when typname in ('json', 'jsonb') then '''{}''::jsonb'
        when typname = 'bytea' then 'sha256(n::text::bytea)'
        when typcategory = 'A' then format('''{}''::%s', format_type(atttypid, null))
      end as value
    from columns
  )
  select format('insert into %I (%s) select %s from generate_series($1::integer, $2::integer) n on conflict do nothing',
      relname, string_agg(quote_ident(attname), ', ' order by attnum),
      string_agg(case
          when predicate like '%NOT NULL%' then format('case when n %% 50 = 0 then %s end', value)
          when predicate is not null then format('case when n %% 50 > 0 then %s end', value)
          when not attnotnull then format('case when n %% 4 > 0 then %s end', value)
          else value
        end, ', ' order by attnum)) as insert
  from filled group by relname order by relname`;

/** Adds rows to every table, with the checks disabled that such rows would violate. */
export interface MadeUpRows {
  add(first: number, last: number): Promise<void>;
  empty(): Promise<void>;
  /** Deletes the rows of tables that are often empty, and analyzes these, as autovacuum does in a quiet hour. */
  drain(): Promise<void>;
}

const QUEUES = [
  'dispatch_queue',
  'request_nonces',
  'unexecuted_attempts',
  'unmatched_callbacks',
  'operator_handles',
  'late_details',
];

/** @param client of a database that is used only for plans from now on. */
export async function prepareMadeUpRows(client: Client): Promise<MadeUpRows> {
  const inserts = await client.query<{ insert: string }>(INSERTS);
  const constraints = await client.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
     from pg_constraint where connamespace = 'public'::regnamespace and contype in ('c', 'f')`,
  );
  const tables = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname !~ '^schema_'`,
  );
  for (const { statement } of constraints.rows) await client.query(statement);
  const names = tables.rows.map(({ name }) => name);
  for (const name of names) {
    // Statistics must not depend on when autovacuum runs.
    await client.query(`alter table ${name} set (autovacuum_enabled = off)`);
  }
  return {
    add: async (first, last) => {
      for (const { insert } of inserts.rows) await client.query(insert, [first, last]);
    },
    drain: async () => {
      for (const name of QUEUES) {
        await client.query(`delete from ${name}`);
        await client.query(`vacuum analyze ${name}`);
      }
    },
    empty: async () => void (await client.query(`truncate ${names.join(', ')}`)),
  };
}
