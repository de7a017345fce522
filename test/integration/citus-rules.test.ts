import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

// What Citus asks of a schema, as queries over the catalog of the real one, and against the script
// that would distribute it. A new table belongs into deploy/citus/distribute.sql.

const SCRIPT = path.resolve(import.meta.dirname, '../../deploy/citus/distribute.sql');

interface Placement {
  readonly kind: 'reference' | 'distributed' | 'stays';
  /** The column that rows are spread by. */
  readonly column: string;
  /** Its place in the script; tables that stay have none. */
  readonly position: number;
  readonly colocatedWith: string;
}

let database: TestDatabase;
let pool: Pool;
let script: string;
const placements = new Map<string, Placement>();
const named: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  script = await readFile(SCRIPT, 'utf8');
  const calls =
    /^select create_reference_table\('(\w+)'\);$|^select create_distributed_table\('(\w+)', '(\w+)', (?:shard_count => \d+|colocate_with => '(\w+)')\);$|^-- stays: (.*)$/gm;
  for (const {
    1: reference,
    2: table,
    3: column = '',
    4: with_ = '',
    5: stay,
    index,
  } of script.matchAll(calls)) {
    const kind =
      reference === undefined ? (table === undefined ? 'stays' : 'distributed') : 'reference';
    const names = kind === 'stays' ? (stay ?? '').split(', ') : [reference ?? table ?? ''];
    for (const name of names) {
      named.push(name);
      placements.set(name, { kind, column, position: index, colocatedWith: with_ });
    }
  }
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

function tablesOf(kind: Placement['kind']): [string, Placement][] {
  return [...placements].filter(([, placement]) => placement.kind === kind);
}

test('every table is named in the script, once', async () => {
  const tables = await list(
    `select relname as found from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  expect(named.toSorted()).toEqual(tables);
});

test('every call of the script is one that this test reads', () => {
  const calls = script.split('\n').filter((line) => line.startsWith('select '));
  expect(calls).toHaveLength(tablesOf('reference').length + tablesOf('distributed').length);
});

test('what a vendor owns is spread by vendor, in one group', async () => {
  const owned = await list(
    `select c.relname as found from pg_index i
       join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where i.indisprimary and a.attname = 'vendor_id' and c.relname <> 'vendors' order by 1`,
  );
  const spread = tablesOf('distributed').filter(([, { column }]) => column === 'vendor_id');
  expect(spread.map(([name]) => name).toSorted()).toEqual(owned);
  const [first, ...others] = spread;
  expect(first?.[0]).toBe('accounts');
  expect(new Set(others.map(([, { colocatedWith }]) => colocatedWith))).toEqual(
    new Set(['accounts']),
  );
  const types = await list(
    `select distinct format_type(atttypid, atttypmod) as found from pg_attribute
     where attrelid = any($1::text[]::regclass[]) and attname = 'vendor_id' and attnotnull`,
    [owned],
  );
  expect(types).toEqual(['integer']);
});

test('no key of a spread table lacks the column it is spread by', async () => {
  for (const [table, { column }] of tablesOf('distributed')) {
    const lacking = await list(
      `select i.indexrelid::regclass::text as found from pg_index i
       where i.indrelid = $1::text::regclass and (i.indisunique or i.indisexclusion)
         and not exists (select 1 from pg_attribute a
           where a.attrelid = i.indrelid and a.attname = $2 and a.attnum = any (i.indkey))`,
      [table, column],
    );
    expect([table, ...lacking]).toEqual([table]);
  }
});

test('foreign keys lead where Citus lets them, and parents come first', async () => {
  const keys = await pool.query<{ child: string; parent: string; columns: string[] }>(
    `select k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as columns
     from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  );
  const wrong = keys.rows.filter(({ child, parent, columns }) => {
    const [from, to] = [placements.get(child), placements.get(parent)];
    if (from === undefined || to === undefined) return true;
    if (to.kind === 'reference') return from.kind === 'stays' || from.position < to.position;
    if (from.kind !== 'distributed' || to.kind !== 'distributed') return from.kind !== to.kind;
    return !columns.includes(from.column) || from.position < to.position;
  });
  expect(wrong).toEqual([]);
  const lastReference = Math.max(...tablesOf('reference').map(([, { position }]) => position));
  const firstSpread = Math.min(...tablesOf('distributed').map(([, { position }]) => position));
  expect(lastReference).toBeLessThan(firstSpread);
});

test('nothing is in the schema that Citus cannot spread', async () => {
  const found = await list(
    `select 'trigger ' || tgname as found from pg_trigger where not tgisinternal
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
