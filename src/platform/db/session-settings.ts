import type { ClientBase } from 'pg';
import type { Queryable } from './pool.ts';

/**
 * What the service needs of every connection, whatever the server, the database or the role has as
 * its default. Set by a statement after connecting: some proxies refuse startup parameters.
 */
const NEEDED: Readonly<Record<string, string>> = {
  // Without the planner's usual plans costs exceed the limit of the JIT compiler, which then takes a
  // second for what runs in a millisecond.
  jit: 'off',
  // What was answered is on disk. remote_apply, which is stronger, stays.
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Names are found in our schema only; what is temporary hides nothing.
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
  // An idle connection is a lane between two batches, and a long transaction a report.
  idle_session_timeout: '0',
  transaction_timeout: '0',
  enable_indexscan: 'on',
  enable_nestloop: 'on',
};

/** Plans by index only: see `PoolOptions.byIndexOnly`. */
const BY_INDEX_ONLY: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
};

export interface SessionLimits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInPaymentMs: number;
  readonly byIndexOnly: boolean;
}

const SET_TIMEOUT_MS = 5_000;

/** `transaction_timeout` came with PostgreSQL 17: what the server does not know is left out. */
const SET = `select pg_catalog.set_config(s.name,
    case when s.name = 'synchronous_commit' and pg_catalog.current_setting(s.name) = 'remote_apply'
      then 'remote_apply' else s.value end, false)
  from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) as s (name, value)
  where pg_catalog.current_setting(s.name, true) is not null`;

/** @param url may ask for other timeouts by its parameters, such as `lock_timeout=300`. */
export async function applySessionSettings(
  client: ClientBase,
  url: string,
  limits: SessionLimits,
): Promise<void> {
  const asked = URL.parse(url)?.searchParams;
  const settings = {
    ...NEEDED,
    statement_timeout: String(limits.statementTimeoutMs),
    lock_timeout: asked?.get('lock_timeout') ?? String(limits.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(limits.idleInPaymentMs),
    ...(limits.byIndexOnly ? BY_INDEX_ONLY : {}),
  };
  // A server that takes connections and says nothing must not hold up who waits for one.
  const statement = { text: SET, query_timeout: SET_TIMEOUT_MS };
  await client.query({ ...statement, values: [Object.keys(settings), Object.values(settings)] });
}

/** Settings of this session that are not as the service needs them, one line each. */
export async function findWrongSettings(db: Queryable): Promise<string[]> {
  const read = await db.query<{ name: string; value: string; needed: string }>(
    `select s.name, current_setting(s.name) as value, s.needed
     from unnest($1::text[], $2::text[]) as s (name, needed)
     where lower(current_setting(s.name, true)) <> lower(s.needed)
       and not (s.name = 'synchronous_commit' and current_setting(s.name) = 'remote_apply')`,
    [Object.keys(NEEDED), Object.values(NEEDED)],
  );
  return read.rows.map(({ name, value, needed }) => `setting ${name} is ${value}, not ${needed}`);
}
