import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { createVault } from '../../src/credit/registry/vault.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase } from '../../src/platform/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { openHttp } from './requests.ts';
import type { Asked } from './requests.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_TRIES = 600;
const masterKey = randomBytes(32);
const indexKey = randomBytes(32);
const KEYS = {
  master: { current: masterKey, previous: undefined },
  index: { current: indexKey, previous: undefined },
};

/** A separate, durable embedded PostgreSQL, migrated. */
export interface Cluster {
  readonly url: string;
  readonly pool: Pool;
  readonly vault: Vault;
  /** CPU seconds of the server and all its processes so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export async function startCluster(folder: string): Promise<Cluster> {
  const database: EmbeddedDatabase = await startEmbedded({ folder, log: () => {} });
  const pool = createPool({ url: database.url, max: 4, name: 'bench' });
  await migrate(pool, SCHEMA);
  return {
    url: database.url,
    pool,
    vault: createVault(KEYS),
    cpuSeconds: () => familyCpuSeconds(database.pid),
    stop: async () => {
      await pool.end();
      await database.stop();
    },
  };
}

/** The real service on the cluster, with a vendor that may enquire. */
export interface RunningService extends Asked {
  /** CPU time of its process so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export async function startService(
  { url, pool }: Cluster,
  subjects: number,
  port: number,
): Promise<RunningService> {
  const vid = 'bench';
  const vendor = await addVendor(
    pool,
    { vid, name: 'Bench', sector: 'bank', enquiryPolicy: 'open' },
    { masterKeys: KEYS.master, certain: true },
  );
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...environment(url), PORT: String(port), ROLES: 'api', LOG_LEVEL: 'warn' },
  });
  const http = openHttp(`http://127.0.0.1:${port}`);
  await untilReady(child, http);
  return {
    http,
    vid,
    key: vendor.securityKey,
    subjects,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    stop: async () => {
      await http.close();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Runs `malipo …` to its end. Returns what it printed and its CPU seconds. */
export async function runCli(
  { url }: Cluster,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly seconds: number; readonly cpuSeconds: number }> {
  const [startedMs, cpuBefore] = [performance.now(), childrensCpuSeconds()];
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/malipo.ts', ...args], {
    cwd: ROOT,
    env: environment(url),
  });
  return {
    stdout,
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: childrensCpuSeconds() - cpuBefore,
  };
}

function environment(databaseUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATABASE_URL: databaseUrl,
    MASTER_KEY: masterKey.toString('base64'),
    CREDIT_INDEX_KEY: indexKey.toString('base64'),
  };
}

async function untilReady(child: ChildProcess, http: Asked['http']): Promise<void> {
  for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries += 1) {
    const answer = await http
      .request({ method: 'GET', path: '/health/ready' })
      .catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await delay(50);
  }
  throw new Error('The service did not start');
}

const TICKS_PER_SECOND = 100;

/** CPU time of a process and its present children; children that ended count with the process. */
function familyCpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const pids = children === '' ? [] : children.split(' ').map(Number);
  return [pid, ...pids].reduce((sum, one) => sum + cpuSecondsOf(one), 0);
}

/** proc(5): user and system time of a process, and of its children that have ended. */
function cpuTicks(pid: number | 'self'): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
}

function cpuSecondsOf(pid: number): number {
  return cpuTicks(pid).reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

function childrensCpuSeconds(): number {
  const [, , user = 0, system = 0] = cpuTicks('self');
  return (user + system) / TICKS_PER_SECOND;
}
