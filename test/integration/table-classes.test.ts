import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { TableClass } from '../../src/platform/db/distribution.ts';
import { TABLE_CLASSES } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

// The requirements of Citus, as queries over the catalog of the real schema and the class of each table.

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Rows of one text column. */
async function list(sql: string, values: readonly unknown[] = []): Promise<string[]> {
  const read = await pool.query<{ found: string }>(sql, [...values]);
  return read.rows.map((row) => row.found);
}

function tablesOf(wanted: TableClass): string[] {
  return Object.keys(TABLE_CLASSES)
    .filter((table) => TABLE_CLASSES[table] === wanted)
    .toSorted();
}

test('every table has one class', async () => {
  const tables = await list(
    `select relname as found from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  expect(Object.keys(TABLE_CLASSES).toSorted()).toEqual(tables);
});

test('the tables with a bucket are those that are distributed', async () => {
  const bucketed = await list(
    `select c.relname as found from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and a.attname = 'bucket' and a.attnotnull and a.atttypid = 'integer'::regtype order by 1`,
  );
  expect(tablesOf('distributed')).toEqual(bucketed);
});

test('no bucket has a default: a row without its bucket is an error', async () => {
  const defaults = await list(
    `select d.adrelid::regclass::text as found from pg_attrdef d
       join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
     where a.attname = 'bucket'`,
  );
  expect(defaults).toEqual([]);
});

test('unique keys of distributed tables begin with the bucket', async () => {
  const others = await list(
    `select i.indexrelid::regclass::text as found
     from pg_index i left join pg_attribute a
       on a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname = 'bucket'
     where i.indrelid = any ($1::text[]::regclass[]) and (i.indisunique or i.indisexclusion)
       and a.attname is null`,
    [tablesOf('distributed')],
  );
  expect(others).toEqual([]);
});

test('indexes that lead by vendor begin with the bucket', async () => {
  const others = await list(
    `select i.indexrelid::regclass::text as found from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = any ($1::text[]::regclass[]) and a.attname = 'vendor_id'`,
    [tablesOf('distributed')],
  );
  expect(others).toEqual([]);
});

test('foreign keys lead where Citus allows them', async () => {
  const keys = await pool.query<{ child: string; parent: string; bucketed: boolean }>(
    `select k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
       exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attname = 'bucket'
         and a.attnum = any (k.conkey)) as bucketed
     from pg_constraint k where k.contype = 'f' and k.conrelid = any ($1::text[]::regclass[])`,
    // Their shards have different names.
    [Object.keys(TABLE_CLASSES)],
  );
  const allowed = new Set([
    'local local',
    'local reference',
    'reference reference',
    'distributed reference',
  ]);
  const wrong = keys.rows.filter(({ child, parent, bucketed }) => {
    const [from, to] = [TABLE_CLASSES[child], TABLE_CLASSES[parent]];
    return !(allowed.has(`${from} ${to}`) || (from === to && from === 'distributed' && bucketed));
  });
  expect(wrong).toEqual([]);
});

test('a function of one bucket takes it as its first argument, and none is in language SQL', async () => {
  const functions = await pool.query<{ name: string; language: string; first: string | null }>(
    `select p.proname::text as name, l.lanname::text as language, p.proargnames[1] as first
     from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and p.prosrc like '%p\\_bucket%'`,
  );
  expect(functions.rows.map(({ name }) => name)).toContain('create_payments');
  expect(
    functions.rows.filter(({ language, first }) => language !== 'plpgsql' || first !== 'p_bucket'),
  ).toEqual([]);
});

test('nothing is in the schema that Citus cannot distribute', async () => {
  const found = await list(
    `select 'trigger ' || tgname as found from pg_trigger t
       join pg_class c on c.oid = t.tgrelid and c.relnamespace = 'public'::regnamespace
     where not tgisinternal
     union all
     select 'rule ' || rulename from pg_rules where schemaname = 'public'
     union all
     select 'exclusion ' || conname from pg_constraint
     where contype = 'x' and connamespace = 'public'::regnamespace
     union all
     select 'sequence ' || relname from pg_class
     where relkind = 'S' and relnamespace = 'public'::regnamespace
     union all
     select 'inheritance ' || inhrelid::regclass::text from pg_inherits i
       join pg_class c on c.oid = i.inhrelid and c.relnamespace = 'public'::regnamespace
     union all
     select 'function ' || proname from pg_proc
     where pronamespace = 'public'::regnamespace
       and prosrc ~* 'pg_advisory|nextval|pg_notify|random\\(|gen_random_uuid|merge into'`,
  );
  expect(found).toEqual([]);
});

test('tables that get rows with every payment or request are not analyzed every few seconds', async () => {
  const tables = await list(
    `select relname as found from pg_class
     where relnamespace = 'public'::regnamespace and 'autovacuum_analyze_threshold=50000' = any (reloptions)
     order by 1`,
  );
  expect(tables).toEqual(['dispatch_queue', 'payments', 'request_log', 'transfers']);
});
