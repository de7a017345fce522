import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase } from '../../../src/platform/embedded/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import { SCHEMA } from '../../../src/schema.ts';
import { resetCitus } from '../../support/citus.ts';
import { findFreePort } from '../../support/service-process.ts';
import { until } from '../../support/until.ts';
import { killPostgres } from '../kill-postgres.ts';

/** The database of a chaos run. It is migrated and empty at the beginning. */
export interface ChaosDatabase {
  readonly url: string;
  /** Its nodes, each of which can be killed alone; empty for a single server. */
  readonly nodes: readonly number[];
  /** Kills one node, or all of the database. */
  kill(node?: number): Promise<void>;
  /** Starts what was killed, and waits until it answers. */
  start(): Promise<void>;
  /** Ends the run. */
  end(): Promise<void>;
}

/** The embedded PostgreSQL, in a folder of its own. */
export async function embeddedDatabase(folder: string): Promise<ChaosDatabase> {
  const port = await findFreePort();
  const start = async (): Promise<EmbeddedDatabase> =>
    await startEmbedded({
      folder: path.join(folder, 'postgres'),
      log: () => undefined,
      choosePort: async () => port,
    });
  let running = await start();
  const pool = createPool({ url: running.url, max: 1, name: 'chaos' });
  await migrate(pool, SCHEMA);
  await pool.end();
  return {
    url: running.url,
    nodes: [],
    kill: async () => await killPostgres(running),
    start: async () => void (running = await start()),
    end: async () => await running.stop(),
  };
}

const run = promisify(execFile);
/** A node that was killed under load needs time to recover. */
const START_MS = 120_000;

/**
 * A coordinator and two workers.
 * @param control a command that takes `start`, and `kill-worker N`, where 0 is the coordinator.
 */
export async function citusDatabase(url: string, control: string): Promise<ChaosDatabase> {
  const order = async (words: string): Promise<void> =>
    void (await run('sh', ['-c', `${control} ${words}`], { timeout: START_MS }));
  const start = async (): Promise<void> => {
    await order('start');
    await until('every node answers', async () => await answers(url), START_MS);
  };
  const nodes = [0, 1, 2];
  await start();
  await resetCitus(url);
  return {
    url,
    nodes,
    kill: async (node) => {
      for (const each of node === undefined ? nodes : [node]) await order(`kill-worker ${each}`);
    },
    start,
    end: async () => await start(),
  };
}

async function answers(url: string): Promise<boolean> {
  const pool = createPool({ url, max: 1, name: 'chaos' });
  try {
    // This query runs on every worker.
    await pool.query('select count(*) from accounts');
    return true;
  } catch (error) {
    // A cluster without our tables answers as well.
    return (error as { code?: unknown }).code === '42P01';
  } finally {
    await pool.end();
  }
}
