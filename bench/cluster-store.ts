import type { Pool } from '../src/platform/db/pool.ts';

/** The work of one node since its statistics were reset. */
export interface NodeWork {
  readonly address: string;
  /** Database transactions; each call of a function on a bucket is one. */
  readonly commits: number;
  /** Rows of vendors inserted, updated or deleted. */
  readonly rows: number;
}

// Only current shards: a shard that was moved away still exists for a while.
const READ_WORK = `select json_build_object('commits', d.xact_commit, 'rows', (
      select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)
      from pg_stat_user_tables t
        join pg_dist_shard s on t.relname = s.logicalrelid::text || '_' || s.shardid
        join pg_dist_placement p on p.shardid = s.shardid
        join pg_dist_local_group l on l.groupid = p.groupid
        join pg_dist_partition h on h.logicalrelid = s.logicalrelid and h.partmethod = 'h'
    ))::text as result
  from pg_stat_database d where d.datname = current_database()`;

/** The work of every node, the coordinator first. */
async function readTotals(pool: Pool): Promise<NodeWork[]> {
  const read = await pool.query<{ address: string; result: string }>(
    `select * from (
       select n.nodename || ':' || n.nodeport as address, s.result
       from pg_dist_node n cross join (${READ_WORK}) s where n.groupid = 0
     ) coordinator
     union all (
       select nodename || ':' || nodeport, result from run_command_on_workers($1) order by 1)`,
    [READ_WORK],
  );
  return read.rows.map(({ address, result }) => ({
    address,
    ...(JSON.parse(result) as Omit<NodeWork, 'address'>),
  }));
}

/**
 * Waits until the statistics of the nodes stop changing, because a process reports its statistics when
 * it ends.
 */
async function readSettledTotals(pool: Pool): Promise<NodeWork[]> {
  for (let before = ''; ;) {
    const totals = await readTotals(pool);
    const now = String(totals.map(({ rows }) => rows));
    if (now === before) return totals;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

/** Measures the work of each node while `work` runs, which must close its connections at the end. */
export async function measureWork(pool: Pool, work: () => Promise<void>): Promise<NodeWork[]> {
  const before = await readSettledTotals(pool);
  await work();
  const after = await readSettledTotals(pool);
  return after.map(({ address, commits, rows }, index) => ({
    address,
    commits: commits - (before[index]?.commits ?? 0),
    rows: rows - (before[index]?.rows ?? 0),
  }));
}

/** Moves this many shards, each with its colocated shards, from one worker to another. */
export async function moveShards(
  pool: Pool,
  from: string,
  to: string,
  count: number,
): Promise<void> {
  const found = await pool.query<{ shardId: bigint }>(
    `select shardid as "shardId" from pg_dist_shard join pg_dist_placement using (shardid)
       join pg_dist_node using (groupid)
     where logicalrelid = 'buckets'::regclass and nodename || ':' || nodeport = $1
     order by 1 limit $2`,
    [from, count],
  );
  for (const { shardId } of found.rows) {
    await pool.query(
      `select citus_move_shard_placement($1, split_part($2, ':', 1), split_part($2, ':', 2)::integer,
         split_part($3, ':', 1), split_part($3, ':', 2)::integer, 'block_writes')`,
      [shardId, from, to],
    );
  }
}
