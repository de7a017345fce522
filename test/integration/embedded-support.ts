import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase, EmbeddedOptions } from '../../src/platform/embedded/embedded.ts';
import { identifyProcess } from '../../src/platform/embedded/process.ts';
import type { ProcessIdentity } from '../../src/platform/embedded/process.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

export const run = promisify(execFile);
export const isRoot = process.getuid?.() === 0;

/** Everything that a test file creates; `cleanUp` in `afterEach` ends and removes it. */
export class EmbeddedFixture {
  readonly log: string[] = [];
  #databases: EmbeddedDatabase[] = [];
  #processes: ProcessIdentity[] = [];
  #folders: string[] = [];
  #original: Promise<string> | undefined;

  /** An empty folder that everybody may pass through. */
  async folder(): Promise<string> {
    const folder = await makeTemporaryFolder();
    this.#folders.push(folder);
    return folder;
  }

  removeLater(folder: string): void {
    this.#folders.push(folder);
  }

  async start(folder: string, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> {
    const log = (line: string): void => void this.log.push(line);
    const database = await startEmbedded({ folder, log, ...more });
    this.#databases.push(database);
    return database;
  }

  /** A data folder that was used before; copied, because creating one takes a second. */
  async usedFolder(): Promise<string> {
    this.#original ??= this.#makeOriginal();
    const folder = path.join(await this.folder(), 'postgres');
    await run('cp', ['-a', await this.#original, folder]);
    return folder;
  }

  async #makeOriginal(): Promise<string> {
    const folder = path.join(await makeTemporaryFolder(), 'postgres');
    const database = await startEmbedded({ folder, log: () => undefined });
    await database.stop();
    return folder;
  }

  /** Starts the embedded database in another process, in a process group of its own. */
  spawnStarter(folder: string): ChildProcess {
    const script = path.join(import.meta.dirname, 'embedded-starter.ts');
    return spawn(process.execPath, [script, folder], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Ends this process after the test, if it still runs. */
  async endLater(pid: number | undefined): Promise<ProcessIdentity> {
    const identity = await identifyProcess(pid ?? 0);
    if (identity === undefined) throw new Error(`There is no process ${pid}`);
    this.#processes.push(identity);
    return identity;
  }

  async startElsewhere(
    folder: string,
  ): Promise<{ starter: ChildProcess; url: string; pid: number }> {
    const starter = this.spawnStarter(folder);
    await this.endLater(starter.pid);
    const { url, pid } = await readAnswer(starter);
    await this.endLater(pid);
    return { starter, url: url ?? '', pid: pid ?? 0 };
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#databases.splice(0).map(async (database) => await database.stop()));
  }

  async cleanUp(): Promise<void> {
    await this.stopAll();
    for (const identity of this.#processes.splice(0)) {
      const now = await identifyProcess(identity.pid);
      if (now?.startedAt === identity.startedAt) process.kill(identity.pid, 'SIGKILL');
      await until(
        async () => (await identifyProcess(identity.pid))?.startedAt !== identity.startedAt,
      );
    }
    await Promise.all(this.#folders.splice(0).map(async (folder) => await removeFolder(folder)));
    this.log.length = 0;
  }

  async cleanUpAll(): Promise<void> {
    await this.cleanUp();
    if (this.#original !== undefined) await removeFolder(path.dirname(await this.#original));
  }
}

export interface StarterAnswer {
  readonly url?: string;
  readonly pid?: number;
  readonly error?: string;
}

export async function readAnswer(starter: ChildProcess): Promise<StarterAnswer> {
  if (starter.stdout === null) throw new Error('The starter has no output');
  const lines = createInterface({ input: starter.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as StarterAnswer;
}

/** Waits for a condition, at most 60 s. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not come true');
    await delay(10);
  }
}

export async function isGone(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) === undefined;
}

/** Makes a running server report that it is `starting` or `stopping`. */
export async function setStatus(folder: string, status: string): Promise<void> {
  const file = path.join(folder, 'data', 'postmaster.pid');
  await writeFile(file, (await readFile(file, 'utf8')).replace('ready', status));
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function setting(url: string, name: string): Promise<unknown> {
  const rows = await query(url, `select current_setting('${name}') as value`);
  return rows[0]?.['value'];
}
