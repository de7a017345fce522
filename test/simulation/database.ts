import { Client } from 'pg';
import type { QueryResult } from 'pg';
import { createPool } from '../../src/platform/db/pool.ts';

/** A production function with planted bugs (see mutants.ts): each text found once and replaced. */
export interface FunctionBug {
  /** Name of the function in the schema `public`. */
  readonly name: string;
  readonly changes: readonly { readonly find: string; readonly replace: string }[];
}

export interface Bugs {
  readonly functions?: readonly FunctionBug[];
}

/** The code that a bug was made for has changed: adapt the bug, otherwise nothing is tested. */
export class BugNotPlantedError extends Error {}

/** The real PostgreSQL under a simulation: one connection, one statement at a time, simulated time. */
export interface SimulatedDatabase {
  /** Runs a statement as production wrote it, at the given simulated time. */
  execute(
    nowMs: number,
    statement: {
      readonly name?: string;
      readonly text: string;
      readonly values: readonly unknown[];
    },
  ): Promise<QueryResult>;
  /** Empties the tables and installs these bugs. */
  reset(bugs: Bugs): Promise<void>;
  /** A connection without simulated time, for `judge`. */
  readonly client: Client;
  close(): Promise<void>;
}

/** Simulated time 0. */
export const EPOCH_MS = Date.UTC(2030, 0, 1);

// The schema comes before pg_catalog, so production's SQL calls our now().
const SHADOWS = `
  drop schema if exists simulated cascade;
  create schema simulated;
  create function simulated.now() returns timestamptz stable language sql
    as $$ select current_setting('simulated.now')::timestamptz $$;
  create function simulated.clock_timestamp() returns timestamptz stable language sql
    as $$ select current_setting('simulated.now')::timestamptz $$;
  alter function public.create_payments reset all;
  alter function public.settle_payments reset all;
  set search_path = simulated, pg_catalog, public;
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_mergejoin = off;
  set enable_hashjoin = off; set enable_material = off;
  set lock_timeout = '2s';
  set simulated.now = '2030-01-01';`;

const BOOKS = ['vendors', 'operators', 'billers', 'accounts', 'transfers', 'collections']
  .concat(['fund_movements', 'payments', 'dispatch_queue', 'unexecuted_attempts', 'cases'])
  .concat([
    'unmatched_callbacks',
    'operator_handles',
    'late_details',
    'routes',
    'route_breakers',
    'fee_prices',
    'operator_prices',
    'operator_floats',
    'operator_float_hours',
  ]);
// Ten times as fast as TRUNCATE.
const EMPTY = BOOKS.toReversed()
  .map((table) => `delete from ${table}`)
  .join(';');
/** Deleted rows are vacuumed after this many runs. */
const RUNS_BETWEEN_VACUUMS = 20;

/** @param url of a migrated database that nobody else uses. */
export async function openSimulatedDatabase(url: string): Promise<SimulatedDatabase> {
  // Setting the time and the statement after it share a round trip.
  const { types } = createPool({ url, max: 1, name: 'simulation' }).options;
  const client = new Client({ connectionString: url, pipeline: true, ...(types && { types }) });
  await client.connect();
  await client.query(SHADOWS);
  const written = await client.query<{ tables: string }>(
    `select string_agg(oid::regclass::text, ', ') as tables from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  for (const table of (written.rows[0]?.tables ?? '').split(', ')) {
    // Statistics must not depend on when autovacuum runs.
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  let setMs = -1;
  let bugs: Bugs = {};
  let generation = 0;
  let runs = 0;
  let shadowed: string[] = [];
  return {
    client,
    close: () => client.end(),
    execute: async (nowMs, statement) => {
      if (nowMs !== setMs) {
        void client.query({
          name: 'set_simulated_now',
          text: `select set_config('simulated.now', $1, false)`,
          values: [new Date(EPOCH_MS + nowMs).toISOString()],
        });
        setMs = nowMs;
      }
      const { text } = statement;
      const values = [...statement.values];
      return await client.query(
        statement.name === undefined
          ? { text, values }
          : { name: `${statement.name} ${generation}`, text, values },
      );
    },
    reset: async (wanted) => {
      await client.query('rollback');
      await client.query(EMPTY);
      runs += 1;
      if (runs % RUNS_BETWEEN_VACUUMS === 0) await client.query(`vacuum ${BOOKS.join(', ')}`);
      if (wanted === bugs) return;
      // Until all bugs are installed: a bug without a matching text must not count as installed for the
      // next run.
      bugs = {};
      // Prepared statements keep the functions that they were planned with.
      generation += 1;
      await client.query('discard plans');
      for (const name of shadowed) await client.query(`drop function simulated.${name}`);
      shadowed = [];
      for (const changed of wanted.functions ?? []) {
        await shadow(client, changed);
        shadowed.push(changed.name);
      }
      bugs = wanted;
    },
  };
}

async function shadow(client: Client, bug: FunctionBug): Promise<void> {
  const read = await client.query<{ definition: string }>(
    'select pg_get_functiondef($1::regproc) as definition',
    [`public.${bug.name}`],
  );
  let definition = read.rows[0]?.definition ?? '';
  for (const change of bug.changes) definition = replaceOnce(definition, change);
  await client.query(
    replaceOnce(definition, {
      find: `FUNCTION public.${bug.name}(`,
      replace: `FUNCTION simulated.${bug.name}(`,
    }),
  );
}

function replaceOnce(
  text: string,
  change: { readonly find: string; readonly replace: string },
): string {
  const parts = text.split(change.find);
  if (parts.length !== 2) {
    throw new BugNotPlantedError(`“${change.find}” occurs ${parts.length - 1} times`);
  }
  return parts.join(change.replace);
}
