import type { Queryable } from '../db/pool.ts';
import { findCitus } from './tables.ts';

/** The database transactions that run on one node. */
export interface NodeActivity {
  /** Its clock, and the start of its oldest other database transaction: text with microseconds. */
  readonly now: string;
  readonly at: string;
  /** A database transaction is running whose start this role may not see. */
  readonly hidden: boolean;
  /** The processes of the others. */
  readonly pids: readonly number[];
  /** Prepared database transactions, and when they were prepared. */
  readonly prepared: readonly { readonly gid: string; readonly at: string }[];
}

// Every role can see that a database transaction is running, by the lock on its number. Only its own
// role and superusers can see its start; to others the query is '<insufficient privilege>'. A process
// that is starting has no state yet, which hides nothing. Processes without a user are autovacuum's.
const ACTIVITY = `select clock_timestamp()::text as now, least(now(), min(a.xact_start))::text as at,
    coalesce(bool_or((a.state = 'disabled' or a.query = '<insufficient privilege>') and l.pid is not null), false) as hidden,
    coalesce(json_agg(a.pid) filter (where a.xact_start is not null), '[]') as pids,
    (select coalesce(json_agg(json_build_object('gid', p.gid, 'at', p.prepared::text)), '[]')
      from pg_prepared_xacts p where p.database = current_database()) as prepared
  from pg_stat_activity a left join pg_locks l
    on l.pid = a.pid and l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted
  where a.datname = current_database() and a.usesysid is not null and a.pid <> pg_backend_pid()`;

/**
 * The start of the oldest other database transaction in this database, as text with microseconds:
 * rows added from now on are not older. Undefined while that is not known: while a
 * database transaction is running whose start this role may not see, such as a `pg_dump` by another
 * role, or, on a cluster, while a worker is away or does not know yet how a prepared one ends.
 */
export async function readHorizon(db: Queryable): Promise<string | undefined> {
  const read = await db.query<NodeActivity>(ACTIVITY);
  const [here] = read.rows;
  if (here === undefined || here.hidden) return undefined;
  if ((await findCitus(db)) === undefined) return here.at;
  // The coordinator was asked first: what has left it by now has ended, or is in doubt on a worker.
  const workers = await readWorkers(db);
  return workers === undefined ? undefined : await horizonOf(db, here, workers);
}

/** Undefined while a worker does not answer, or shows less than this has to know. */
async function readWorkers(db: Queryable): Promise<NodeActivity[] | undefined> {
  const read = await db.query<{ success: boolean; result: string }>(
    'select success, result from run_command_on_workers($1)',
    [`select row_to_json(a) from (${ACTIVITY}) a`],
  );
  if (read.rows.some(({ success }) => !success)) return undefined;
  const nodes = read.rows.map(({ result }) => JSON.parse(result) as NodeActivity);
  return nodes.some(({ hidden }) => hidden) ? undefined : nodes;
}

/**
 * Rows have the time of the node that adds them, so the horizon is that of the slowest clock.
 * Undefined while a database transaction is in doubt: it was prepared before the coordinator was asked, by a
 * process that no longer ran there. Citus ends it within a minute.
 */
export async function horizonOf(
  db: Queryable,
  coordinator: NodeActivity,
  workers: readonly NodeActivity[],
): Promise<string | undefined> {
  const prepared = workers
    .flatMap((node) => node.prepared)
    .filter(({ gid }) => !coordinator.pids.includes(preparedBy(gid)));
  const read = await db.query<{ at: string; inDoubt: boolean }>(
    // A worker answered between the two times of the coordinator: only what is outside is a difference.
    `select (min(w.at) - s.skew)::text as at,
       coalesce((select min(p) from unnest($4::timestamptz[]) p) <= $1::timestamptz + s.skew, false) as "inDoubt"
     from (select max(greatest(n - clock_timestamp(), $1::timestamptz - n, '0')) as skew
       from unnest($2::timestamptz[]) n) s, unnest($3::timestamptz[]) as w (at) group by s.skew`,
    [
      coordinator.now,
      workers.map(({ now }) => now),
      [coordinator, ...workers].map(({ at }) => at),
      prepared.map(({ at }) => at),
    ],
  );
  const [horizon] = read.rows;
  return horizon === undefined || horizon.inDoubt ? undefined : horizon.at;
}

/** The coordinator's process that prepared a database transaction, by its name; 0: unknown. */
function preparedBy(gid: string): number {
  return Number(/^citus_0_(\d+)_/.exec(gid)?.[1] ?? 0);
}
