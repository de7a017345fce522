import { syncFolder } from '../sync-folder.ts';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { BEAT_DRAFT, BEAT_FILE } from './beat.ts';
import { EmbeddedDatabaseError, explainFailure, OTHER_DATABASE, systemCode } from './error.ts';
import { formatIdentity, identifyOurselves, isAlive, parseIdentity } from './process.ts';
import { renameUnlessThere } from './rename.ts';
import type { Launch, ServerUser } from './user.ts';

export const SUPERUSER = 'malipo';
const PASSWORD_FILE = 'malipo.password';
const INITDB_TIMEOUT_MS = 180_000;

/**
 * `DATA_DIR/postgres`. The data folder is inside it, so that a first start can be prepared next to
 * it.
 */
export interface ClusterFolder {
  /** Without symbolic links. */
  readonly path: string;
  /** PostgreSQL's data folder. It is created complete, by one rename. */
  readonly data: string;
  readonly initialised: boolean;
}

/** The path of the data folder, with links resolved; undefined if it does not exist yet. */
export async function locateData(folder: string): Promise<string | undefined> {
  try {
    return path.join(await realpath(folder), 'data');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw explainFailure(`Could not open ${folder}`, error);
  }
}

/**
 * Creates the folder if it is missing, removes interrupted first starts, and checks its contents.
 * Never removes anything that may hold data.
 * @param major the PostgreSQL version that will serve it.
 * Throws: `EmbeddedDatabaseError` when it contains something else or was made by another version.
 */
export async function openClusterFolder(folder: string, major: string): Promise<ClusterFolder> {
  try {
    await makeFolder(folder);
    const real = await realpath(folder);
    const data = path.join(real, 'data');
    await removeInterrupted(real);
    const initialised = await checkContents(real, major);
    return { path: real, data, initialised };
  } catch (error) {
    throw explainFailure(`Could not use ${folder} for the database`, error);
  }
}

async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const created = await mkdir(parent, { recursive: true });
  if (created !== undefined) await syncFolder(path.dirname(created));
  try {
    await mkdir(folder, { mode: 0o700 });
    await syncFolder(parent);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Removes the temporary folders of first starts whose process was killed; no server ever ran in
 * them.
 */
async function removeInterrupted(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = makerOf(name);
    if (maker === undefined || (await isAlive(maker))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

function makerOf(name: string) {
  return parseIdentity(/^new-(\d+-\d+)-[0-9a-f]{8}$/.exec(name)?.[1] ?? '');
}

async function checkContents(folder: string, major: string): Promise<boolean> {
  const names = await readdir(folder);
  const foreign = names.filter(
    (name) =>
      !['data', 'lost+found', BEAT_FILE, BEAT_DRAFT].includes(name) && makerOf(name) === undefined,
  );
  if (foreign.length > 0) {
    throw new EmbeddedDatabaseError(
      `${folder} contains files that Malipo did not create (${foreign.slice(0, 5).join(', ')}), so it was not changed.\nMove them away, or set DATA_DIR to another folder. ${OTHER_DATABASE}`,
    );
  }
  const data = path.join(folder, 'data');
  const contents = names.includes('data') ? await readdir(data) : [];
  if (contents.length === 0) return false;
  const version = contents.includes('PG_VERSION')
    ? (await readFile(path.join(data, 'PG_VERSION'), 'utf8')).trim()
    : undefined;
  if (version === undefined || !contents.includes('global')) {
    throw new EmbeddedDatabaseError(
      `${data} is not a complete PostgreSQL data folder, so it was not changed.\nRestore it from a backup, or move it away to start with an empty database. ${OTHER_DATABASE}`,
    );
  }
  if (version !== major) {
    throw new EmbeddedDatabaseError(
      `${data} was made by PostgreSQL ${version}, but this version of Malipo includes PostgreSQL ${major}.\nStart the version of Malipo that made it, or move the data over with pg_dump and pg_restore. ${OTHER_DATABASE}`,
    );
  }
  if (!contents.includes(PASSWORD_FILE)) {
    throw new EmbeddedDatabaseError(
      `${data} has no ${PASSWORD_FILE}: it was not made by Malipo, or the file was lost.\nRestore the file, or set DATA_DIR to another folder. ${OTHER_DATABASE}`,
    );
  }
  return true;
}

/** The superuser's password of this data folder. */
export async function readPassword(data: string): Promise<string> {
  try {
    return (await readFile(path.join(data, PASSWORD_FILE), 'utf8')).trim();
  } catch (error) {
    throw explainFailure('Could not read the password of the database', error);
  }
}

/** Gives the folder itself to the server's user, who creates everything below it. */
export async function handOver(folder: ClusterFolder, user: ServerUser | undefined): Promise<void> {
  if (user === undefined) return;
  try {
    await chown(folder.path, user.uid, user.gid);
  } catch (error) {
    throw explainFailure(`Could not change the owner of ${folder.path} to uid ${user.uid}`, error);
  }
}

export interface Initialisation {
  readonly folder: ClusterFolder;
  readonly launch: Launch;
  readonly user: ServerUser | undefined;
  /** The `initdb` program. */
  readonly initdb: string;
  /** False only for tests. */
  readonly durable: boolean;
}

/**
 * Creates the data folder in a temporary folder next to it, flushes it to disk and renames it into
 * place, so that a killed start leaves no incomplete data folder. If two processes do this at once,
 * the first one’s folder stays.
 * Throws: `EmbeddedDatabaseError`.
 */
export async function initialise(options: Initialisation): Promise<void> {
  const { folder, user } = options;
  const unique = `${formatIdentity(await identifyOurselves())}-${randomBytes(4).toString('hex')}`;
  const temporary = path.join(folder.path, `new-${unique}`);
  const data = path.join(temporary, 'data');
  const password = path.join(temporary, PASSWORD_FILE);
  try {
    for (const made of [temporary, data]) {
      await mkdir(made, { mode: 0o700 });
      if (user !== undefined) await chown(made, user.uid, user.gid);
    }
    await writeDurably(password, `${randomBytes(32).toString('base64url')}\n`, user);
    await runInitdb(options, data, password);
    await rename(password, path.join(data, PASSWORD_FILE));
    await syncFolder(data);
    await renameUnlessThere(data, folder.data);
    await syncFolder(folder.path);
  } catch (error) {
    throw explainFailure(`Could not create the database in ${folder.path}`, error);
  } finally {
    // The next start clears away what cannot be removed now.
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function runInitdb(options: Initialisation, data: string, password: string): Promise<void> {
  const access = ['-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${password}`];
  // The builtin provider sorts identically on every machine; the locales of the system do not.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', data, '--encoding=UTF8', ...locale, ...access, '--no-instructions'];
  if (!options.durable) args.push('--no-sync');
  const child = options.launch(options.initdb, args, { deathSignal: 'KILL' });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `ended by ${signal ?? code}`));
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), INITDB_TIMEOUT_MS);
  const failure = await ended;
  clearTimeout(timer);
  if (failure === '') return;
  throw new Error(`initdb ${failure}: ${lastLines(output.join(''))}`);
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n');
}

async function writeDurably(
  file: string,
  text: string,
  user: ServerUser | undefined,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    if (user !== undefined) await handle.chown(user.uid, user.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
