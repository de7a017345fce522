import type { Queryable } from '../db/pool.ts';

/** The first argument of a function that works on one bucket. */
const ROUTED_BY = 'p_bucket';

/** One of our functions, and whether its calls run on the node of their bucket. */
export interface PlacedFunction {
  readonly name: string;
  /** Its first argument is a bucket. */
  readonly routed: boolean;
  /**
   * It exists on every node, and if it is routed, calls go to the node of their bucket. Citus forgets where
   * when the tables are brought back, also when they are distributed again: then the coordinator plans each
   * statement of a call and sends it.
   */
  readonly placed: boolean;
}

/** Needs Citus. */
export async function readFunctions(db: Queryable): Promise<PlacedFunction[]> {
  const read = await db.query<PlacedFunction>(
    `select p.oid::regprocedure::text as name, r.routed,
       o.objid is not null and case when r.routed then exists (
           select from pg_catalog.pg_dist_partition t
           where t.partmethod = 'h' and t.colocationid = o.colocationid)
         else o.distribution_argument_index is null end as placed
     from pg_proc p
       cross join lateral (select coalesce(p.proargnames[1] = $1, false) as routed) r
       left join pg_catalog.pg_dist_object o
         on o.classid = 'pg_proc'::regclass and o.objid = p.oid
     where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
       and not exists (select from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by 1`,
    [ROUTED_BY],
  );
  return read.rows;
}

/**
 * Creates every function on every node. A call of a routed function runs on the node of its bucket.
 * @param table one of the distributed tables.
 */
export async function distributeFunctions(db: Queryable, table: string): Promise<void> {
  for (const { name, routed, placed } of await readFunctions(db)) {
    if (placed) continue;
    await (routed
      ? db.query(
          'select create_distributed_function($1::text::regprocedure, $2, colocate_with => $3)',
          [name, ROUTED_BY, table],
        )
      : db.query('select create_distributed_function($1::text::regprocedure)', [name]));
  }
}
