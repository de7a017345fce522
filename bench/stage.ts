import { fork } from 'node:child_process';
import type { ChildProcess, ForkOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { NODE_OPTIONS } from '../scripts/node-options.ts';
import { startEmbedded } from '../src/platform/embedded/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import type { MasterKeys } from '../src/platform/base/sealing.ts';
import { SCHEMA } from '../src/schema.ts';
import { createPool, databaseTransaction } from '../src/platform/db/pool.ts';
import { addKey } from '../src/parties/keys.ts';
import { pin } from './load/one-core.ts';
import { cpuSeconds, familyCpuSeconds, familyOf } from './machine.ts';
import { prepareSandbox } from '../sandbox/data.ts';
import { fillFloats, insertVendors, listVids, quickenOperators } from './store.ts';

export interface BenchVendor {
  readonly vendorId: number;
  readonly vid: string;
  readonly key: string;
}

/** The environment of every suite: a durable embedded PostgreSQL as with `npm start`, and vendors with money. */
export interface Stage {
  /** A folder for temporary files. */
  readonly folder: string;
  /** Keys of the service's processes. */
  readonly masterKeys: MasterKeys;
  /** The one vendor that all requests concern at once. */
  readonly hot: readonly BenchVendor[];
  /** A thousand other vendors. */
  readonly many: readonly BenchVendor[];
  /** Creates a separate database with only vendors and floats. Returns its URL. */
  database(name: string): Promise<string>;
  /** Creates a copy of another database, to which nobody is connected. Returns its URL. */
  copy(name: string, of: string): Promise<string>;
  /** Drops a database to which nobody is connected. */
  drop(name: string): Promise<void>;
  /** Creates a database without tables. Returns its URL. */
  emptyDatabase(name: string): Promise<string>;
  /**
   * As `database`, on a PostgreSQL with default settings: that of DEFAULT_POSTGRES_URL, which must allow
   * creating databases, or the embedded one started with default settings.
   */
  databaseByDefault(name: string): Promise<string>;
  /** Starts a program of `children/` and waits for its first message. */
  start<First>(
    program: string,
    environment: Readonly<Record<string, string>>,
    how?: ChildOptions,
  ): Promise<Child<First>>;
  /** Measures the CPU time of work: of the given child, and of PostgreSQL. */
  measured<Result>(child: Child<unknown>, work: () => Promise<Result>): Promise<Measured<Result>>;
  /**
   * Moves every process of PostgreSQL, and those that it starts later, to these cores (taskset(1)), such as
   * `1` or `0,1`.
   */
  pinPostgres(cores: string): Promise<void>;
  /** Writes all dirty pages, so that a run does not include the cost of the previous one. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

interface ChildOptions {
  /**
   * It and its children get the cores only while nothing else wants them: in reality they have a computer of
   * their own.
   */
  readonly takesWhatIsLeft?: boolean;
}

export interface Measured<Result> {
  readonly result: Result;
  readonly nodeCpuSeconds: number;
  readonly postgresCpuSeconds: number;
}

export interface Child<First> {
  readonly pid: number;
  /** Its first message. */
  readonly first: First;
  /** Asks one question and returns the answer. Throws the child's error. */
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/** 10,000,000,000.00 each, so that no float is used up. */
const FLOAT_CENTS = 1_000_000_000_000n;
const MANY = 1000;
const VENDOR_KEY = 'bench-security-key';
const TEMPLATE = 'bench_template';
const STOP_GRACE_MS = 10_000;

export async function openStage(log: (line: string) => void): Promise<Stage> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-bench-'));
  const discard = async (): Promise<void> => await rm(folder, { recursive: true, force: true });
  const postgres = await startEmbedded({ folder: path.join(folder, 'postgres'), log }).catch(
    async (error: unknown) => {
      await discard();
      throw error;
    },
  );
  const masterKey = randomBytes(32);
  const masterKeys = { current: masterKey, previous: undefined };
  const children = new Set<Child<unknown>>();
  const ends: (() => Promise<void>)[] = [];
  const urlOf = (name: string, server = postgres.url): string => {
    const url = new URL(server);
    url.pathname = `/${name}`;
    return url.href;
  };
  const asAdmin = async (statement: string, server = postgres.url): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const close = async (): Promise<void> => {
    await Promise.all([...children].map((child) => child.stop()));
    for (const end of ends.toReversed()) await end();
    await postgres.stop();
    await discard();
  };
  try {
    await asAdmin(`create database ${TEMPLATE}`);
    const vendors = await fillDatabase(urlOf(TEMPLATE), masterKey);
    return {
      folder,
      masterKeys,
      hot: vendors.slice(0, 1),
      many: vendors.slice(1),
      database: async (name) => {
        await asAdmin(`create database ${name} template ${TEMPLATE}`);
        return urlOf(name);
      },
      copy: async (name, of) => {
        await asAdmin(`create database ${name} template ${of} strategy file_copy`);
        return urlOf(name);
      },
      drop: async (name) => await asAdmin(`drop database ${name}`),
      emptyDatabase: async (name) => {
        await asAdmin(`create database ${name}`);
        return urlOf(name);
      },
      databaseByDefault: async (name) => {
        const server = await openDefaultServer(folder, log);
        ends.push(server.stop);
        await asAdmin(`create database ${name}`, server.url);
        ends.push(() => asAdmin(`drop database if exists ${name} with (force)`, server.url));
        await fillDatabase(urlOf(name, server.url), masterKey);
        return urlOf(name, server.url);
      },
      start: async (program, environment, how) => {
        const key = { MASTER_KEY: masterKey.toString('base64') };
        const child = await startChild<never>(program, { ...key, ...environment }, how);
        children.add(child);
        return { ...child, stop: () => child.stop().finally(() => children.delete(child)) };
      },
      measured: async (child, work) => {
        const node = cpuSeconds(child.pid);
        const database = familyCpuSeconds(postgres.pid);
        const result = await work();
        return {
          result,
          nodeCpuSeconds: cpuSeconds(child.pid) - node,
          postgresCpuSeconds: familyCpuSeconds(postgres.pid) - database,
        };
      },
      pinPostgres: async (cores) => {
        await pin(postgres.pid, cores);
        // A child that has ended meanwhile cannot be moved.
        for (const pid of familyOf(postgres.pid)) await pin(pid, cores).catch(() => undefined);
      },
      checkpoint: () => asAdmin('checkpoint'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** PostgreSQL's default values of settings that the embedded server changes. */
const DEFAULT_SETTINGS = {
  jit: 'on',
  shared_buffers: '128MB',
  effective_cache_size: '4GB',
  random_page_cost: '4',
  checkpoint_timeout: '5min',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  max_connections: '100',
};

async function openDefaultServer(
  folder: string,
  log: (line: string) => void,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const url = process.env['DEFAULT_POSTGRES_URL'];
  if (url !== undefined) return { url, stop: async () => undefined };
  const server = await startEmbedded({
    folder: path.join(folder, 'postgres-by-default'),
    log,
    settings: DEFAULT_SETTINGS,
  });
  return { url: server.url, stop: () => server.stop() };
}

/** Migrations, billers, and vendors with money. The hot vendor comes first. */
async function fillDatabase(url: string, masterKey: Buffer): Promise<BenchVendor[]> {
  const pool = createPool({ url, max: 2, name: 'bench', statementTimeoutMs: 0 });
  try {
    await migrate(pool, SCHEMA);
    const masterKeys = { current: masterKey, previous: undefined };
    // The suite that starts the operators sets their address.
    await prepareSandbox(pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
    await quickenOperators(pool);
    await insertVendors(pool, MANY + 1);
    const vendors = await listVids(pool, 'bench-%');
    await databaseTransaction(pool, async (client) => {
      for (const { vid } of vendors) {
        const holder = { holderKind: 'vendor', holder: vid } as const;
        await addKey(client, holder, { secret: VENDOR_KEY, overlapSeconds: 0, masterKeys });
      }
    });
    await fillFloats(pool, FLOAT_CENTS);
    return vendors.map(({ vendor_id, vid }) => ({ vendorId: vendor_id, vid, key: VENDOR_KEY }));
  } finally {
    await pool.end();
  }
}

async function startChild<First>(
  program: string,
  environment: Readonly<Record<string, string>>,
  { takesWhatIsLeft = false }: ChildOptions = {},
): Promise<Child<First>> {
  // The service is measured with the settings that it runs with, and so are its contestants.
  const execArgv = [...process.execArgv, ...NODE_OPTIONS];
  const process_ = fork(path.join(import.meta.dirname, 'children', program), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    execArgv,
    serialization: 'advanced',
    ...(takesWhatIsLeft ? behindOthers(execArgv) : {}),
  });
  if (takesWhatIsLeft) putBehind(process_.pid ?? 0);
  const gone = new Promise<never>((_resolve, reject) => {
    process_.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  // Its end is reported to the callers of its operations.
  gone.catch(() => undefined);
  const first = (await Promise.race([nextMessage(process_), gone])) as First;
  return {
    pid: process_.pid ?? 0,
    first,
    ask: async <Answer>(question: unknown) => {
      const answer = nextMessage(process_);
      process_.send(question as object);
      const message = (await Promise.race([answer, gone])) as { failed?: string };
      if (message.failed !== undefined) throw new Error(`${program}: ${message.failed}`);
      return message as Answer;
    },
    stop: async () => {
      if (process_.exitCode !== null || process_.signalCode !== null) return;
      const exited = new Promise((resolve) => process_.once('exit', resolve));
      // It stops when its channel is closed.
      process_.disconnect();
      const kill = setTimeout(() => process_.kill('SIGKILL'), STOP_GRACE_MS);
      await exited;
      clearTimeout(kill);
    },
  };
}

/** More than the lowest priority, for a bench that has itself a higher one than usual. */
const LOWEST = '39';

/** All threads of a program, and what it starts, have the lowest priority (nice(1)). */
function behindOthers(execArgv: readonly string[]): ForkOptions {
  return {
    execPath: 'nice',
    execArgv: ['-n', LOWEST, process.execPath, ...execArgv],
    detached: true,
  };
}

/** Where the kernel shares the cores between sessions first (sched(7)), its session comes last as well. */
function putBehind(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '19');
  } catch {
    // It does not.
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve));
}
