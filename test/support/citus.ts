import { setBuckets } from '../../src/parties/buckets-store.ts';
import { distribute } from '../../src/platform/cluster/distribute.ts';
import { rebucket } from '../../src/platform/cluster/rebucket.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { findSchemaDifferences } from '../../src/platform/db/schema-check.ts';
import { SCHEMA, TABLE_CLASSES } from '../../src/schema.ts';
import { CITUS_URLS } from '../citus-exceptions.ts';

// A cluster for tests. Its role owns the databases but may create neither databases nor roles. So test
// files use the same databases one after another, and the owner is also the runtime role.

/** The number of this test worker, from 1; 1 outside of the test runner. */
const PLACE = Number(process.env['VITEST_POOL_ID'] ?? 1);

/** The database of this test file; undefined: the tests run on one PostgreSQL. */
export const CITUS_URL = CITUS_URLS[(PLACE - 1) % CITUS_URLS.length];

/** Fewer than in a real installation, so that test files start faster. */
const BUCKETS = 8;
const SHARDS = 4;

/** The contents of a new installation, the same for every test. */
export interface Seed {
  /** Where each table is. */
  readonly places: string;
  /** Rows that the schema files insert: JSON by table. */
  readonly rows: Readonly<Record<string, string>>;
}

/**
 * Resets the database to the state of a new installation on the cluster, and disconnects all clients.
 * @param seed the result of an earlier call, if any. Then the tables are only emptied, unless their
 *   definitions or the places of their rows were changed.
 */
export async function resetCitus(url: string, seed?: Seed): Promise<Seed> {
  const pool = createPool({ url, max: 2, name: 'test set-up', statementTimeoutMs: 120_000 });
  try {
    await disconnectOthers(pool);
    if (seed !== undefined && (await isAsMade(pool, seed))) {
      await empty(pool, seed.rows);
      return seed;
    }
    await clear(pool);
    await migrate(pool, SCHEMA);
    await distribute(pool, {
      classes: TABLE_CLASSES,
      others: [pool],
      shards: SHARDS,
      prepare: async (db, tables) => {
        await setBuckets(db, BUCKETS);
        await rebucket(db, tables);
      },
    });
    return { places: await readPlaces(pool), rows: await readSeed(pool) };
  } finally {
    await pool.end();
  }
}

async function isAsMade(pool: Pool, seed: Seed): Promise<boolean> {
  if ((await readPlaces(pool)) !== seed.places) return false;
  return (await findSchemaDifferences(pool, { additions: 'all' })).length === 0;
}

async function readPlaces(pool: Pool): Promise<string> {
  const read = await pool.query<{ places: string }>(
    `select coalesce(json_agg(p order by p.name), '[]')::text as places
     from (select logicalrelid::text as name, partmethod, repmodel, colocationid,
         (select count(*) from pg_dist_shard s where s.logicalrelid = d.logicalrelid) as shards
       from pg_dist_partition d) p`,
  );
  return read.rows[0]?.places ?? '';
}

async function readSeed(pool: Pool): Promise<Seed['rows']> {
  const seed: Record<string, string> = {};
  for (const name of Object.keys(TABLE_CLASSES)) {
    const rows = await readRows(pool, name);
    if (rows !== null) seed[name] = rows;
  }
  return seed;
}

async function readRows(db: Queryable, name: string): Promise<string | null> {
  const read = await db.query<{ rows: string | null }>(
    `select jsonb_agg(to_jsonb(t) order by t::text)::text as rows from ${name} t`,
  );
  return read.rows[0]?.rows ?? null;
}

async function empty(pool: Pool, seed: Seed['rows']): Promise<void> {
  const changed: string[] = [];
  for (const name of Object.keys(TABLE_CLASSES)) {
    const isChanged =
      seed[name] === undefined
        ? (await pool.query(`select from ${name} limit 1`)).rowCount === 1
        : (await readRows(pool, name)) !== seed[name];
    if (isChanged) changed.push(name);
  }
  await databaseTransaction(pool, async (db) => {
    // Foreign keys to reference tables.
    await db.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    if (changed.length > 0) await db.query(`truncate ${changed.join(', ')} cascade`);
    for (const name of changed) {
      if (seed[name] === undefined) continue;
      await db.query(
        `insert into ${name} select * from jsonb_populate_recordset(null::${name}, $1)`,
        [seed[name]],
      );
    }
  });
}

/** Removes everything that the schema files create. */
async function clear(pool: Pool): Promise<void> {
  const made = await pool.query<{ statement: string }>(
    `with ours as (
       select 'pg_class'::regclass::oid as classid, oid,
         case relkind when 'v' then 'view' else 'table' end as kind, oid::regclass::text as name
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
       union all
       select 'pg_proc'::regclass, oid, 'function', oid::regprocedure::text
       from pg_proc where pronamespace = 'public'::regnamespace
       union all
       select 'pg_type'::regclass, oid, 'type', oid::regtype::text
       from pg_type where typnamespace = 'public'::regnamespace and (typtype = 'e'
         or exists (select from pg_class c where c.oid = typrelid and c.relkind = 'c'))
     )
     select format('drop %s if exists %s cascade', kind, string_agg(name, ', ')) as statement
     from ours o where not exists (select from pg_depend d
       where d.classid = o.classid and d.objid = o.oid and d.deptype = 'e')
     group by kind order by kind = 'type', kind`,
  );
  for (const { statement } of made.rows) await pool.query(statement);
}

async function disconnectOthers(pool: Pool): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and usename = current_user
       and application_name not like 'citus%'`,
  );
}
