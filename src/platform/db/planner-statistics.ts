import type { Queryable } from './pool.ts';

/**
 * The planner's assumptions about columns without statistics: how many different values, or, if
 * negative, what share of the rows has a value of its own. Without them it takes each column, and the
 * bucket too, for selective, plans to read "the few rows of the bucket", and keeps that plan while the
 * table grows (decision 23). PostgreSQL replaces them when it analyzes the table.
 */
const SEED = `select count(pg_restore_attribute_stats(
      'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', a.attname::text,
      'inherited', false, 'version', current_setting('server_version_num')::integer,
      'null_frac', 0::real, 'avg_width', e.width, 'n_distinct', e.different))::integer as seeded
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (select case
        when a.attname = 'bucket' then 1::real
        when a.attname = 'vendor_id' then 10::real
        when a.atttypid = 'uuid'::regtype or a.attname like '%\\_reference' then -1::real
      end as different, case when a.attlen > 0 then a.attlen else 16 end::integer as width) e
  where n.nspname = current_schema() and c.relkind = 'r' and c.reltuples < 0
    and e.different is not null
    and not exists (
      select from pg_stats s
      where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname)`;

/**
 * Gives tables that were never analyzed the statistics that their plans depend on. The caller is the
 * owner of the schema. PostgreSQL can import statistics since version 18; before, nothing is done.
 */
export async function seedStatistics(db: Queryable): Promise<void> {
  const found = await db.query<{ known: boolean }>(
    `select to_regproc('pg_catalog.pg_restore_attribute_stats') is not null as known`,
  );
  if (found.rows[0]?.known === true) await db.query<{ seeded: number }>(SEED);
}
