import path from 'node:path';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { makeTemporaryFolder, removeAbandonedFolders, removeFolder } from '../support/temporary.ts';

export interface SimulationCluster {
  /** URLs of migrated databases that no other code uses. */
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

/**
 * A separate PostgreSQL, in memory where there is room, with this many databases for simultaneous runs.
 * Used by the commands; tests have the cluster of their test run.
 */
export async function startSimulationCluster(count: number): Promise<SimulationCluster> {
  await removeAbandonedFolders();
  const folder = await makeTemporaryFolder();
  const server = await startEmbedded({
    folder: path.join(folder, 'postgres'),
    log: () => {},
    durable: false,
    settings: { shared_buffers: '64MB', wal_level: 'minimal', max_wal_senders: '0' },
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await removeFolder(folder);
  };
  try {
    const urls: string[] = [];
    for (let index = 0; index < count; index += 1) {
      urls.push(await createMigrated(server.url, `simulation_${index}`));
    }
    return { urls, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createMigrated(clusterUrl: string, name: string): Promise<string> {
  const cluster = createPool({ url: clusterUrl, max: 1, name: 'simulation' });
  await cluster.query(`create database ${name}`);
  await cluster.end();
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.href, max: 1, name: 'simulation' });
  await migrate(pool, SCHEMA);
  await pool.end();
  return url.href;
}
