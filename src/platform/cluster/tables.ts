import { PlainError } from '../base/plain-error.ts';
import type { TableClass, TableClasses } from '../db/distribution.ts';
import type { Queryable } from '../db/pool.ts';

/** The current state of one of our tables. */
export interface PlacedTable {
  readonly name: string;
  /** Undefined: the schema declares no class for the table. */
  readonly wanted: TableClass | undefined;
  /** Undefined: Citus does not know the table. */
  readonly is: TableClass | undefined;
  readonly shards: number;
}

/** The Citus version of the database; undefined: none. */
export async function findCitus(db: Queryable): Promise<string | undefined> {
  const read = await db.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'citus'`,
  );
  return read.rows[0]?.version;
}

/**
 * Every table of our schema, parents before their children, with its declared and its current
 * class. Needs Citus. A local table counts as placed once Citus knows it: only then is a commit
 * that changes it and rows on a worker a two-phase commit.
 */
export async function readTables(db: Queryable, classes: TableClasses): Promise<PlacedTable[]> {
  const read = await db.query<{ name: string; is: TableClass | null; shards: number }>(
    `with recursive ours as (
       select c.oid, c.relname::text as name from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
         and not exists (select from pg_depend d
           where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
         and not exists (select from pg_dist_shard s
           join pg_class l on l.oid = s.logicalrelid and l.relnamespace = c.relnamespace
           where c.relname = l.relname || '_' || s.shardid)
     ), depths as (
       select oid, 0 as depth from ours
       union
       select k.conrelid, d.depth + 1 from depths d
         join pg_constraint k on k.contype = 'f' and k.confrelid = d.oid and k.conrelid <> d.oid
     )
     select o.name,
       case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference'
         when p.repmodel = 's' then 'local' end as is,
       (select count(*)::integer from pg_dist_shard s where s.logicalrelid = o.oid) as shards
     from ours o left join pg_dist_partition p on p.logicalrelid = o.oid
     order by (select max(depth) from depths d where d.oid = o.oid), o.name`,
  );
  return read.rows.map(({ name, is, shards }) => ({
    name,
    wanted: classes[name],
    is: is ?? undefined,
    shards,
  }));
}

/** Deviations from the declared classes, one line each. */
export function misplaced(tables: readonly PlacedTable[]): string[] {
  return tables
    .filter(({ wanted, is }) => wanted !== is)
    .map(({ name, wanted, is }) =>
      wanted === undefined
        ? `${name} has no class`
        : `${name} is ${is ?? 'not placed'} and should be ${wanted}`,
    );
}

/**
 * Throws: `PlainError` if only part of the database was moved to the nodes of a cluster, because a
 * command was killed or a newer version added a table. Without Citus, or before anything was moved,
 * there is nothing to check.
 */
export async function refuseHalfDistributed(db: Queryable, classes: TableClasses): Promise<void> {
  if ((await findCitus(db)) === undefined) return;
  const tables = await readTables(db, classes);
  // Tables of a newer release are placed by its processes.
  const wrong = misplaced(tables.filter(({ wanted }) => wanted !== undefined));
  if (wrong.length === 0 || tables.every(({ is }) => is === undefined)) return;
  throw new PlainError(
    `The database is only partly distributed over the cluster: ${wrong.slice(0, 5).join('; ')}. Run \`npm run -s malipo -- cluster distribute\` again, or \`cluster undistribute\` to go back.`,
  );
}
