import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  formatIdentity,
  identifyOurselves,
  isAlive,
  parseIdentity,
} from '../../src/platform/embedded/process.ts';

const PREFIX = 'malipo-test-';
const MEMORY = '/dev/shm';
const WANTED_BYTES = 2 * 1024 ** 3;

/**
 * The folder for the data of PostgreSQL: in memory if there is enough, because some disks take a
 * millisecond for each of its thousand files; otherwise the system's temporary folder.
 */
async function findBase(): Promise<string> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= WANTED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * An empty folder for data, named after this process. Other users may enter it, because PostgreSQL runs
 * as another user when the tests run as root.
 */
export async function makeTemporaryFolder(): Promise<string> {
  const maker = formatIdentity(await identifyOurselves());
  const folder = await mkdtemp(path.join(await findBase(), `${PREFIX}${maker}-`));
  await chmod(folder, 0o711);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes the folders of runs that were killed; their servers ended with them. */
export async function removeAbandonedFolders(): Promise<void> {
  const base = await findBase();
  for (const name of await readdir(base)) {
    if (!name.startsWith(PREFIX)) continue;
    const match = /^(\d+-\d+)-\w{6}$/.exec(name.slice(PREFIX.length));
    const maker = parseIdentity(match?.[1] ?? '');
    if (maker === undefined || (await isAlive(maker))) continue;
    const folder = path.join(base, name);
    await unmountIn(folder);
    // Nothing uses it any more, so that trying again would not help.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A run that was killed left the small volumes that it had mounted. */
async function unmountIn(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  for (const line of mounts.split('\n')) {
    const [, place = ''] = line.split(' ');
    if (!place.startsWith(`${folder}/`)) continue;
    await promisify(execFile)('umount', [place]).catch(() => undefined);
  }
}
