import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { embeddedRuntimeUrl, startEmbedded } from '../src/platform/embedded/embedded.ts';
import { createPool } from '../src/platform/db/pool.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import { prepareDatabase } from '../src/platform/db/prepare.ts';
import { SCHEMA } from '../src/schema.ts';
import { ensureRole } from '../src/platform/db/runtime-role.ts';
import { CITUS_URLS } from './citus-exceptions.ts';
import { CITUS_URL, resetCitus } from './support/citus.ts';
import type { Seed } from './support/citus.ts';
import { makeTemporaryFolder, removeAbandonedFolders, removeFolder } from './support/temporary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of this run, its superuser, the database `malipo`. */
    clusterUrl: string;
    /** Removed at the end of this run. */
    runFolder: string;
    /** The migrated database that test databases are cloned from. */
    templateDatabase: string;
    /** By database of a Citus cluster: the rows of a new installation. */
    citusSeeds: Readonly<Record<string, Seed>>;
  }
}

/**
 * Default values of an external server, for settings that the embedded server changes: nothing may depend
 * on the changed values.
 */
const STOCK = {
  jit: 'on',
  random_page_cost: '4',
  effective_cache_size: '4GB',
  checkpoint_timeout: '5min',
  timezone: 'America/St_Johns',
};

/**
 * Defaults of the service's role that would weaken a session, slow it down, or make it read and write
 * values in another form. What the service sets for each connection has to win.
 */
const HOSTILE = [
  `jit = on`,
  `jit_above_cost = 0`,
  `synchronous_commit = off`,
  `default_transaction_isolation = 'serializable'`,
  `default_transaction_deferrable = on`,
  `search_path = pg_catalog`,
  `timezone = 'Asia/Kathmandu'`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `bytea_output = 'escape'`,
  `extra_float_digits = -15`,
  `standard_conforming_strings = off`,
  `array_nulls = off`,
  `transform_null_equals = on`,
  `client_encoding = 'LATIN1'`,
  // As long as a connection may take: on a busy machine its first statement can come after a second.
  `idle_session_timeout = '30s'`,
  `transaction_timeout = '3s'`,
  `statement_timeout = '1s'`,
  `lock_timeout = '1s'`,
  `idle_in_transaction_session_timeout = '1s'`,
  `enable_indexscan = off`,
  `enable_nestloop = off`,
  `plan_cache_mode = force_custom_plan`,
];

const TEMPLATE = 'malipo_template';

let stopCluster = async (): Promise<void> => {};

/** One PostgreSQL for the whole run, with a migrated database to clone. */
export async function setup(project: TestProject): Promise<void> {
  await removeAbandonedFolders();
  const folder = await makeTemporaryFolder();
  stopCluster = async () => await removeFolder(folder);
  project.provide('runFolder', folder);
  if (CITUS_URL !== undefined) {
    project.provide('clusterUrl', CITUS_URL);
    project.provide('templateDatabase', '');
    // One after the other: migrations change rows of the catalog that all databases share.
    const seeds: Record<string, Seed> = {};
    for (const url of CITUS_URLS) seeds[url] = await resetCitus(url);
    project.provide('citusSeeds', seeds);
    return;
  }
  const log: string[] = [];
  try {
    // Another server to test on, such as an older PostgreSQL: its superuser, and a database to connect to.
    const clusterUrl =
      process.env['TEST_CLUSTER_URL'] ?? (await start(path.join(folder, 'postgres'), log));
    await makeTemplate(clusterUrl);
    project.provide('clusterUrl', clusterUrl);
    project.provide('templateDatabase', TEMPLATE);
  } catch (error) {
    await stopCluster();
    throw new Error(`The test cluster did not start. Its log:\n${log.slice(-20).join('\n')}`, {
      cause: error,
    });
  }
}

/** Called at the end of the run, whether or not tests failed. */
export async function teardown(): Promise<void> {
  await stopCluster();
}

async function start(folder: string, log: string[]): Promise<string> {
  const database = await startEmbedded({
    folder,
    log: (line) => log.push(line),
    durable: false,
    settings: {
      ...STOCK,
      // Of three workers, each with up to two processes of the service.
      max_connections: '300',
      shared_buffers: '128MB',
      max_wal_size: '512MB',
      wal_level: 'minimal',
      max_wal_senders: '0',
    },
  });
  const removeItsFolder = stopCluster;
  stopCluster = async () => {
    await database.stop();
    await removeItsFolder();
  };
  return database.url;
}

async function makeTemplate(clusterUrl: string): Promise<void> {
  const cluster = createPool({ url: clusterUrl, max: 1, name: 'global setup' });
  try {
    await cluster.query(
      `update pg_database set datistemplate = false where datname = '${TEMPLATE}'`,
    );
    await cluster.query(`drop database if exists ${TEMPLATE}`);
    await cluster.query(`create database ${TEMPLATE} template template0 encoding 'UTF8'`);
    const url = new URL(clusterUrl);
    url.pathname = `/${TEMPLATE}`;
    const runtimeUrl = embeddedRuntimeUrl(url.href);
    await ensureRole(cluster, runtimeUrl);
    const role = new URL(runtimeUrl).username;
    for (const setting of HOSTILE) {
      // PostgreSQL 15 does not have all of them.
      const known = await cluster.query('select current_setting($1, true) as value', [
        setting.split(' ')[0],
      ]);
      if ((known.rows[0] as { value: string | null }).value === null) continue;
      await cluster.query(`alter role ${role} set ${setting}`);
    }
    const template = createPool({ url: url.href, max: 1, name: 'global setup' });
    const runtime = createPool({ url: runtimeUrl, max: 1, name: 'global setup' });
    try {
      const { roleProblems } = await prepareDatabase(template, runtime, SCHEMA);
      if (roleProblems.length > 0) throw new Error(`The runtime role: ${roleProblems.join('; ')}`);
      await vacuumCatalog(template);
    } finally {
      await runtime.end();
      await template.end();
    }
    await cluster.query(`alter database ${TEMPLATE} is_template true allow_connections false`);
  } finally {
    await cluster.end();
  }
}

/**
 * Migrations leave many dead rows in the catalog and in our record of the schema. Every clone would have
 * them, and read them. Our other tables stay as they are in a new installation, without statistics.
 */
async function vacuumCatalog(template: Pool): Promise<void> {
  const listed = await template.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and not relisshared
       and (relnamespace = 'pg_catalog'::regnamespace or oid = 'public.schema_objects'::regclass)`,
  );
  await template.query(`vacuum ${listed.rows.map(({ name }) => name).join(', ')}`);
}
