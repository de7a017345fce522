import { PlainError } from '../base/plain-error.ts';
import type { Queryable } from '../db/pool.ts';
import { findCitus } from './tables.ts';

export interface ClusterNode {
  /** `host:port` */
  readonly address: string;
  readonly role: 'coordinator' | 'worker';
  readonly active: boolean;
  /** False: the node may hold no rows of distributed tables. */
  readonly holdsShards: boolean;
  /** Number of shards of distributed tables. */
  readonly shards: number;
}

/** Needs Citus. */
export async function readNodes(db: Queryable): Promise<ClusterNode[]> {
  const read = await db.query<ClusterNode>(
    `select n.nodename || ':' || n.nodeport as address,
       case n.groupid when 0 then 'coordinator' else 'worker' end as role, n.isactive as active,
       n.shouldhaveshards as "holdsShards",
       (select count(*)::integer from pg_dist_placement p
          join pg_dist_shard s using (shardid)
          join pg_dist_partition t on t.logicalrelid = s.logicalrelid and t.partmethod = 'h'
        where p.groupid = n.groupid) as shards
     from pg_dist_node n where n.noderole = 'primary' order by n.groupid`,
  );
  return read.rows;
}

/** The workers of the cluster, and whether each answers now; none on one machine. */
export async function readWorkers(
  db: Queryable,
): Promise<{ readonly address: string; readonly answers: boolean }[]> {
  if ((await findCitus(db)) === undefined) return [];
  const read = await db.query<{ address: string; answers: boolean }>(
    `select nodename || ':' || nodeport as address, success as answers
     from run_command_on_workers('select 1') order by address`,
  );
  return read.rows;
}

/** Throws: `PlainError` if the nodes do not know the coordinator, or there is no worker. */
export async function requireWorkers(db: Queryable): Promise<void> {
  const nodes = await readNodes(db);
  if (nodes.every(({ role }) => role !== 'coordinator')) {
    throw new PlainError(
      'The coordinator is not one of the nodes. As its superuser: select citus_set_coordinator_host(host, port).',
    );
  }
  if (nodes.some(({ active, holdsShards }) => active && holdsShards)) return;
  throw new PlainError(
    'The cluster has no worker that may store rows. As the superuser of the coordinator: select citus_add_node(host, port).',
  );
}
