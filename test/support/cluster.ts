import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';
import { inject } from 'vitest';
import { CITUS_URL, resetCitus } from './citus.ts';
import { embeddedRuntimeUrl } from '../../src/platform/embedded/embedded.ts';

export interface TestDatabase {
  readonly name: string;
  /**
   * `postgres://…` of a database that only this caller uses, migrated and otherwise empty, as the
   * runtime role: the service has only that role's privileges.
   */
  readonly url: string;
  /** The same database as the role that owns the schema, for tampering, archiving and schema changes. */
  readonly ownerUrl: string;
  /** Runs one statement, or several without values, as the role that owns the schema. */
  asOwner<Row extends QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  /** Removes the database, even while clients are connected. */
  drop(): Promise<void>;
}

const CLONE_TIMEOUT_MS = 120_000;
const OBJECT_IN_USE = '55006';

/**
 * A fresh database in the cluster of this run, cloned from the migrated template.
 * @param options.migrated false: without our schema, if databases can be created.
 * @param options.template another database, to which nobody is connected.
 */
export async function createTestDatabase(
  options: { readonly migrated?: boolean; readonly template?: string } = {},
): Promise<TestDatabase> {
  const { template = inject('templateDatabase') } = options;
  if (CITUS_URL !== undefined) return await useCitus(CITUS_URL);
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await inCluster(async (client) => {
    if (options.migrated === false) await client.query(`create database ${name}`);
    else await clone(client, name, template);
  });
  const url = new URL(inject('clusterUrl'));
  url.pathname = `/${name}`;
  return {
    name,
    url: embeddedRuntimeUrl(url.href),
    ownerUrl: url.href,
    asOwner: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      await connected(url.href, async (client) => await client.query<Row>(sql, [...values])),
    drop: async () =>
      await inCluster(async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** The one database of the Citus cluster, emptied. */
async function useCitus(url: string): Promise<TestDatabase> {
  await resetCitus(url, inject('citusSeeds')[url]);
  return {
    name: new URL(url).pathname.slice(1),
    url,
    ownerUrl: url,
    asOwner: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      await connected(url, async (client) => await client.query<Row>(sql, [...values])),
    drop: async () => {},
  };
}

// Cloning needs exclusive access to the template, and another worker may be cloning it.
async function clone(client: Client, name: string, template: string): Promise<void> {
  const deadline = Date.now() + CLONE_TIMEOUT_MS;
  for (;;) {
    try {
      // Without fsync, copying files is faster than writing their pages to the log.
      await client.query(`create database ${name} template ${template} strategy file_copy`);
      return;
    } catch (error) {
      const inUse = (error as { code?: unknown }).code === OBJECT_IN_USE;
      if (!inUse || Date.now() > deadline) throw error;
      await delay(20);
    }
  }
}

async function inCluster(work: (client: Client) => Promise<void>): Promise<void> {
  await connected(inject('clusterUrl'), work);
}

async function connected<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
