import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { findRunningEmbedded } from '../../src/platform/embedded/embedded.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { readMasterKeyFile } from '../../src/parties/master-key-file.ts';
import { CITUS_URL, resetCitus } from './citus.ts';
import { findFreePort, processesOf, startService, untilNothingRuns } from './service-process.ts';
import type { Ending, ServiceProcess } from './service-process.ts';
import { makeTemporaryFolder, removeFolder } from './temporary.ts';
import { until } from './until.ts';

const START_MS = 240_000;

/** A payment that an operator really executed. */
export interface TruthEntry {
  readonly reference: string;
  readonly biller: string;
  readonly account: string;
  readonly amount: string;
  readonly paid_at: string;
}

/** A running `npm start`: the service, its database and the simulated operators. */
export interface Sandbox {
  readonly process: ServiceProcess;
  readonly dataDir: string;
  /** The environment with which a command finds its database. */
  readonly environment: Readonly<Record<string, string>>;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly operatorOrigin: string;
  /** What the operators really paid. */
  truth(): Promise<TruthEntry[]>;
  /** A pool on the sandbox's database, as a command opens it. Every call returns the same pool. */
  pool(): Promise<Pool>;
  masterKeys(): Promise<MasterKeys>;
  /**
   * Ctrl-C: SIGINT to the whole process group. Returns how the service ended, once all its processes
   * are gone.
   */
  interrupt(): Promise<Ending>;
  /**
   * SIGKILL to the whole group: the service and the operators; the database server notices and stops.
   * Optionally to the server as well, as when the machine loses power, except that written data stays.
   * Returns once all processes are gone.
   */
  kill(whom?: 'group' | 'everything'): Promise<void>;
}

/** Starts and ends the processes of a test file; `cleanUp` in `afterAll`. */
export class SandboxFixture {
  readonly #sandboxes: Sandbox[] = [];
  readonly #launched: ServiceProcess[] = [];
  readonly #folders: string[] = [];

  async folder(): Promise<string> {
    const folder = await makeTemporaryFolder();
    this.#folders.push(folder);
    return folder;
  }

  /** Starts the program without waiting until it is ready. */
  launch(
    mode: string,
    env: Readonly<Record<string, string>>,
    options: readonly string[] = [],
    root?: string,
  ): ServiceProcess {
    const launched = startService(mode, env, options, root);
    this.#launched.push(launched);
    return launched;
  }

  /**
   * Starts on free ports unless `env` names them, and waits until it is ready. Unless a data folder is
   * given, this is the second start of a sandbox that was not used, which takes seconds less than the first.
   */
  async start(
    options: {
      readonly dataDir?: string;
      readonly env?: Readonly<Record<string, string>>;
      /** Options of `npm start`. */
      readonly options?: readonly string[];
    } = {},
  ): Promise<Sandbox> {
    const { env: given = {} } = options;
    const dataDir = options.dataDir ?? (await this.folder());
    if (options.dataDir === undefined) {
      if (CITUS_URL !== undefined) await resetCitus(CITUS_URL, inject('citusSeeds')[CITUS_URL]);
      else if (given['DATABASE_URL'] === undefined) await copyStartedOnce(dataDir);
    }
    const port = Number(given['PORT'] ?? (await findFreePort()));
    const operatorPort = Number(given['OPERATOR_PORT'] ?? (await findFreePort()));
    const environment = environmentOf(dataDir);
    const env = {
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      ...environment,
      ...given,
    };
    const running = this.launch('sandbox', env, options.options);
    const sandbox = describe(running, { dataDir, environment, port, operatorPort });
    this.#sandboxes.push(sandbox);
    await until(
      'the sandbox starts',
      () => {
        if (running.stdout.includes('Ctrl-C stops everything')) return 'started';
        return running.ending === undefined ? undefined : 'ended';
      },
      START_MS,
    );
    if (running.ending !== undefined) {
      throw new Error(`The sandbox did not start:\n${running.stderr}`);
    }
    return sandbox;
  }

  /** Ends all processes. */
  async endAll(): Promise<void> {
    await Promise.all(this.#sandboxes.splice(0).map(async (sandbox) => await sandbox.kill()));
    for (const launched of this.#launched.splice(0)) {
      launched.signal('SIGKILL', 'group');
      await launched.ended();
    }
  }

  async cleanUp(): Promise<void> {
    await this.endAll();
    for (const folder of this.#folders) await untilNothingRuns(folder);
    await Promise.all(this.#folders.splice(0).map(async (folder) => await removeFolder(folder)));
  }
}

let startedOnce: Promise<string> | undefined;

/** Copies the data folder of a sandbox that was started and stopped. Each worker makes one. */
async function copyStartedOnce(folder: string): Promise<void> {
  startedOnce ??= makeStartedOnce().catch((error: unknown) => {
    startedOnce = undefined;
    throw error;
  });
  await promisify(execFile)('cp', ['-a', `${await startedOnce}/.`, folder]);
}

async function makeStartedOnce(): Promise<string> {
  const dataDir = path.join(inject('runFolder'), `sandbox-${process.pid}`);
  const fixture = new SandboxFixture();
  try {
    const sandbox = await fixture.start({ dataDir });
    const { code } = await sandbox.interrupt();
    if (code !== 0) throw new Error(`The sandbox to copy ended with ${code}`);
  } finally {
    await fixture.cleanUp();
  }
  return dataDir;
}

function environmentOf(dataDir: string): Sandbox['environment'] {
  return { DATA_DIR: dataDir, ...(CITUS_URL === undefined ? {} : { DATABASE_URL: CITUS_URL }) };
}

function describe(
  running: ServiceProcess,
  location: Pick<Sandbox, 'dataDir' | 'environment'> & {
    readonly port: number;
    readonly operatorPort: number;
  },
): Sandbox {
  const { dataDir, environment } = location;
  const operatorOrigin = `http://127.0.0.1:${location.operatorPort}`;
  let pool: Promise<Pool> | undefined;
  const openPool = async (): Promise<Pool> => {
    const url = CITUS_URL ?? (await findRunningEmbedded(path.join(dataDir, 'postgres')));
    if (url === undefined) throw new Error('The sandbox has no running database');
    return createPool({ url, max: 4, name: 'test' });
  };
  const closePool = async (): Promise<void> => {
    const opened = await pool?.catch(() => undefined);
    pool = undefined;
    await opened?.end();
  };
  return {
    process: running,
    dataDir,
    environment,
    origin: `http://127.0.0.1:${location.port}`,
    operatorOrigin,
    truth: async () => {
      const answer = await fetch(`${operatorOrigin}/truth`);
      return (await answer.json()) as TruthEntry[];
    },
    pool: async () => await (pool ??= openPool()),
    masterKeys: async () => {
      const current = await readMasterKeyFile(dataDir);
      if (current === undefined) throw new Error('The sandbox has no master key yet');
      return { current, previous: undefined };
    },
    interrupt: async () => {
      await closePool();
      running.signal('SIGINT', 'group');
      const ending = await running.ended();
      await untilNothingRuns(dataDir, running.pid);
      return ending;
    },
    kill: async (whom = 'group') => {
      const pids = whom === 'everything' ? processesOf(dataDir, running.pid) : [];
      running.signal('SIGKILL', 'group');
      for (const pid of pids) killIfThere(pid);
      await closePool();
      await running.ended();
      await untilNothingRuns(dataDir, running.pid);
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
