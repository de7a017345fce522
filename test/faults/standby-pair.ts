import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase } from '../../src/platform/embedded/embedded.ts';
import { locateData } from '../../src/platform/embedded/folder.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { SCHEMA } from '../../src/schema.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { killPostgres } from './kill-postgres.ts';

const run = promisify(execFile);
const RELOAD = 'select pg_reload_conf()';
const SMALL = { shared_buffers: '32MB', max_wal_size: '32MB', min_wal_size: '32MB' };

/** A migrated PostgreSQL and its synchronous standby: no commit is acknowledged that only one of them has. */
export interface StandbyPair {
  /** Names both hosts; the one that accepts writes is used. */
  readonly url: string;
  /** Of the standby alone. */
  readonly standbyUrl: string;
  /** True when the primary has ended. */
  readonly primaryEnded: boolean;
  /** Starts the primary again on its files. Throws if it does not start. */
  restartPrimary(): Promise<void>;
  /** SIGKILL. */
  killPrimary(): Promise<void>;
  /** Stops the standby, and the primary no longer waits for it. */
  leaveStandbyBehind(): Promise<void>;
  /** Makes the standby the primary, as a person would. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param folders of the two servers, each of which must be empty or missing.
 */
export async function startStandbyPair(folders: {
  readonly primary: string;
  readonly standby: string;
}): Promise<StandbyPair> {
  const [primaryPort, standbyPort] = [await findFreePort(), await findFreePort()];
  const start = async (
    folder: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ): Promise<EmbeddedDatabase> =>
    await startEmbedded({
      folder,
      log: () => undefined,
      choosePort: async () => port,
      settings: { ...SMALL, ...settings },
    });
  const first = await start(folders.primary, primaryPort, {});
  const pool = createPool({ url: first.url, max: 1, name: 'test' });
  await migrate(pool, SCHEMA);
  await pool.end();
  await first.stop();
  // Keeps the owner of the files.
  await run('cp', ['-a', folders.primary, folders.standby]);
  await writeFile(path.join((await locateData(folders.standby)) ?? '', 'standby.signal'), '');

  const { username, password, pathname } = new URL(first.url);
  let ended = false;
  const startPrimary = async (): Promise<EmbeddedDatabase> => {
    const server = await start(folders.primary, primaryPort, {});
    ended = false;
    server.onUnexpectedExit(() => {
      ended = true;
    });
    return server;
  };
  const startStandby = async (): Promise<EmbeddedDatabase> =>
    await start(folders.standby, standbyPort, {
      primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`,
    });
  let primary = await startPrimary();
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`, RELOAD);
  let standby = await startStandby();
  let isBehind = false;
  await untilSynchronous(primary.url);
  const hosts = `127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}`;
  return {
    url: `postgresql://${username}:${password}@${hosts}${pathname}`,
    standbyUrl: standby.url,
    get primaryEnded() {
      return ended;
    },
    restartPrimary: async () => {
      primary = await startPrimary();
    },
    killPrimary: async () => await killPostgres(primary),
    leaveStandbyBehind: async () => {
      await ask(primary.url, 'alter system reset synchronous_standby_names', RELOAD);
      await standby.stop();
      isBehind = true;
    },
    promote: async () => {
      if (isBehind) standby = await startStandby();
      await ask(standby.url, 'select pg_promote()');
    },
    stop: async () => {
      // The primary would wait for the standby.
      await Promise.all([standby.stop(), primary.stop()]);
    },
  };
}

async function untilSynchronous(url: string): Promise<void> {
  const pool = createPool({ url, max: 1, name: 'test' });
  try {
    await until('the standby is synchronous', async () => {
      const read = await pool.query(`select from pg_stat_replication where sync_state = 'sync'`);
      return read.rowCount === 1;
    });
  } finally {
    await pool.end();
  }
}

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
  const pool = createPool({ url, max: 1, name: 'test' });
  try {
    for (const statement of statements) await pool.query(statement);
  } finally {
    await pool.end();
  }
}
