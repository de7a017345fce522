import { randomUUID } from 'node:crypto';
import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A pool, or one client of it. */
interface Session {
  query<Row extends QueryResultRow>(
    statement: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
}

/**
 * The settings that every connection needs, whatever the defaults of the server, the database or
 * the role are. Set by a statement after connecting, because some proxies refuse startup
 * parameters.
 */
const NEEDED: Readonly<Record<string, string>> = {
  // With some plans disabled (see `byIndexOnly`) estimated costs exceed the threshold of the JIT
  // compiler, which then takes a second for a statement of one millisecond.
  jit: 'off',
  // An acknowledged commit is on disk. The stronger remote_apply is left as it is.
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Names are resolved in our schema only; a temporary object cannot hide one.
  search_path: 'public, pg_temp',
  // How values are read and written.
  client_encoding: 'UTF8',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // An idle connection is a lane between two batches, and a long database transaction a report.
  idle_session_timeout: '0',
  transaction_timeout: '0',
  enable_indexscan: 'on',
  enable_nestloop: 'on',
  // On a cluster: one connection to each worker, so that those of all pools can be counted, and a
  // database transaction that has read many shards may still write a table that is on every node.
  'citus.max_adaptive_executor_pool_size': '1',
  // A worker that does not even refuse a connection.
  'citus.node_connection_timeout': '3s',
};

/** See `PoolOptions.serial`. */
const SERIAL: Readonly<Record<string, string>> = { max_parallel_workers_per_gather: '0' };

/** Plans by index only: see `PoolOptions.byIndexOnly`. */
export const BY_INDEX_ONLY: Readonly<Record<string, string>> = {
  ...SERIAL,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  enable_hashjoin: 'off',
  enable_material: 'off',
};

export interface SessionLimits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionMs: number;
  readonly byIndexOnly: boolean;
  readonly serial: boolean;
}

const SET_TIMEOUT_MS = 5_000;

/**
 * A utility command has no plan that could be compiled. `SET` below has one: where
 * `jit_above_cost` is 0, each new connection would spend half a second on compiling it.
 */
const DO_NOT_COMPILE = 'set jit = off';

/**
 * `transaction_timeout` was added in PostgreSQL 17: settings that the server does not know are left
 * out.
 */
const SET = `select pg_catalog.set_config(s.name,
    case when s.name = 'synchronous_commit' and pg_catalog.current_setting(s.name) = 'remote_apply'
      then 'remote_apply'
    -- Citus routes a statement by the values of its parameters, which a generic plan does not have.
    when s.name = 'plan_cache_mode'
      and exists (select from pg_catalog.pg_extension where extname = 'citus') then 'auto'
    else s.value end, false)
  from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) as s (name, value)
  where s.name = 'malipo.session' or pg_catalog.current_setting(s.name, true) is not null`;

/** A setting of our own, by which a connection recognises its session. */
const MARK = 'malipo.session';
const marks = new WeakMap<object, string>();

/**
 * False if the client's statements run in the session of another one: a pooler gives out sessions by
 * database transaction, and settings and prepared statements are lost.
 * @param client of a pool, as `databaseTransaction` passes it.
 */
export async function hasOwnSession(client: Session): Promise<boolean> {
  const read = await client.query<{ mark: string | null }>(
    `select current_setting('${MARK}', true) as mark`,
  );
  return read.rows[0]?.mark === marks.get(client);
}

/** @param url may set other timeouts by its parameters, such as `lock_timeout=300`. */
export async function applySessionSettings(
  client: ClientBase,
  url: string,
  limits: SessionLimits,
): Promise<void> {
  const asked = URL.parse(url)?.searchParams;
  const mark = randomUUID();
  marks.set(client, mark);
  const settings = {
    ...NEEDED,
    [MARK]: mark,
    statement_timeout: String(limits.statementTimeoutMs),
    lock_timeout: asked?.get('lock_timeout') ?? String(limits.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
    ...(limits.serial ? SERIAL : {}),
    ...(limits.byIndexOnly ? BY_INDEX_ONLY : {}),
  };
  // A server that accepts connections and never answers must not keep its callers waiting.
  const run = async (text: string, values?: unknown[]): Promise<unknown> =>
    await client.query({ text, values, query_timeout: SET_TIMEOUT_MS } as QueryConfig);
  await run(DO_NOT_COMPILE);
  await run(SET, [Object.keys(settings), Object.values(settings)]);
}

/** Settings of this session that differ from what the service needs, one line each. */
export async function findWrongSettings(db: Session): Promise<string[]> {
  const read = await db.query<{ name: string; value: string; needed: string }>(
    `select s.name, current_setting(s.name) as value, s.needed
     from unnest($1::text[], $2::text[]) as s (name, needed)
     where lower(current_setting(s.name, true)) <> lower(s.needed)
       and not (s.name = 'synchronous_commit' and current_setting(s.name) = 'remote_apply')`,
    [Object.keys(NEEDED), Object.values(NEEDED)],
  );
  return read.rows.map(({ name, value, needed }) => `setting ${name} is ${value}, not ${needed}`);
}
