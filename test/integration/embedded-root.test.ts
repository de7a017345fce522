import {
  chmod,
  chown,
  mkdir,
  readFile,
  readdir,
  readlink,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPostgresPackage, findPrograms } from '../../src/platform/embedded/binaries.ts';
import { createLaunch, findServerUser } from '../../src/platform/embedded/user.ts';
import type { ServerUser } from '../../src/platform/embedded/user.ts';
import { isRoot, query, run, EmbeddedFixture } from './embedded-support.ts';

const fixture = new EmbeddedFixture();
afterEach(async () => await fixture.cleanUp());

/** All capability bits of a process, as a number. */
async function capabilities(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number.parseInt(/CapEff:\s*([0-9a-f]+)/.exec(status)?.[1] ?? '', 16);
}

describe.runIf(isRoot)('started as root', () => {
  /** A folder that only root may enter. Contains the package, like a checkout in /root. */
  let closed = '';
  let packageFolder = '';
  /** A small package for tests of copying: only the few files that the program looks for. */
  let smallPackage = '';
  let user: ServerUser = { uid: 0, gid: 0 };

  beforeAll(async () => {
    // Some temporary file systems do not run programs, so this folder is not where data is.
    closed = (
      await run('mktemp', ['-d', path.join(tmpdir(), 'malipo-closed-XXXXXX')])
    ).stdout.trim();
    await chmod(closed, 0o700);
    packageFolder = path.join(closed, 'package');
    const source = await findPostgresPackage(undefined);
    await run('cp', ['-a', source.folder, packageFolder]);
    smallPackage = path.join(closed, 'small');
    await makeSmallPackage(smallPackage);
    const found = await findServerUser(path.join(closed, 'none'));
    if (found === undefined) throw new Error('No user was found');
    user = found;
  });
  afterAll(async () => {
    await fixture.cleanUpAll();
    await run('rm', ['-rf', closed]);
  });

  async function cacheParent(name: string): Promise<string> {
    const parent = path.join(tmpdir(), `${path.basename(closed)}-${name}`);
    await mkdir(parent);
    fixture.removeLater(parent);
    return parent;
  }

  test('the server reaches data and programs that only root can read', async () => {
    const folder = path.join(closed, 'checkout/.data/postgres');
    const cache = await cacheParent('cache');
    const options = { packageFolder, cacheParents: [cache] };
    const first = await fixture.start(folder, options);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const [copy = ''] = await readdir(path.join(cache, 'malipo'));
    const made = await stat(path.join(cache, 'malipo', copy));
    const second = await fixture.start(folder, options);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    // Only dac_override or, if the system grants it, the smaller dac_read_search.
    expect([2, 4]).toContain(await capabilities(second.pid));
    expect(await readdir(path.join(cache, 'malipo'))).toEqual([copy]);
    expect((await stat(path.join(cache, 'malipo', copy))).ino).toBe(made.ino);
  });

  test('the server has no root capability that it does not need', async () => {
    const { pid } = await fixture.start(await fixture.usedFolder());
    expect(await capabilities(pid)).toBe(0);
  });

  test('data keeps its owner', async () => {
    const folder = await fixture.usedFolder();
    await run('chown', ['-R', '12345:12346', folder]);
    const { pid } = await fixture.start(folder);
    const { stdout } = await run('ps', ['-o', 'uid=,gid=', '-p', String(pid)]);
    expect(stdout.trim().split(/\s+/)).toEqual(['12345', '12346']);
  });

  test('a damaged copy of the programs is replaced, and the remains of a killed copy are removed', async () => {
    const cache = await cacheParent('damaged');
    const source = await findPostgresPackage(smallPackage);
    const copy = await findPrograms(source, user, [cache]);
    const library = path.join(copy, 'lib/postgresql/plpgsql.so');
    const { size } = await stat(library);
    await truncate(library, 10);
    await mkdir(path.join(cache, 'malipo/partial-1-1-abcd'));
    expect(await findPrograms(source, user, [cache])).toBe(copy);
    expect((await stat(library)).size).toBe(size);
    expect(await readdir(path.join(cache, 'malipo'))).toEqual([path.basename(copy)]);
  });

  test('copies made at the same time do not disturb each other', async () => {
    const cache = await cacheParent('together');
    const source = await findPostgresPackage(smallPackage);
    const copies = await Promise.all(
      [1, 2].map(async () => await findPrograms(source, user, [cache])),
    );
    expect(copies[0]).toBe(copies[1]);
    expect(await readdir(path.join(cache, 'malipo'))).toEqual([path.basename(copies[0] ?? '')]);
  });

  test('a cache that other users could have filled is not used', async () => {
    const [open, foreign, good] = [
      await cacheParent('open'),
      await cacheParent('foreign'),
      await cacheParent('good'),
    ];
    await mkdir(path.join(open, 'malipo'));
    await chmod(path.join(open, 'malipo'), 0o777);
    await mkdir(path.join(foreign, 'malipo'));
    await chown(path.join(foreign, 'malipo'), 12345, 12345);
    const source = await findPostgresPackage(smallPackage);
    expect(await findPrograms(source, user, [open, foreign, good])).toContain(good);
    await expect(findPrograms(source, user, [open, foreign])).rejects.toThrow(
      /could not be copied elsewhere \(.*only root can change.*\)[^]*Move the checkout[^]*DATABASE_URL/,
    );
  });

  test('a copy is readable by the server whatever the umask of the install was', async () => {
    const strict = path.join(closed, 'strict');
    await run('cp', ['-a', smallPackage, strict]);
    await run('chmod', ['-R', 'go=', strict]);
    const source = await findPostgresPackage(strict);
    const copy = await findPrograms(source, user, [await cacheParent('umask')]);
    expect((await stat(path.join(copy, 'share/postgresql/postgres.bki'))).mode & 0o777).toBe(0o644);
    expect((await stat(path.join(copy, 'bin/postgres'))).mode & 0o777).toBe(0o755);
  });

  test('a folder that the server cannot reach, and to which no rights can be given, is reported', async () => {
    // A file does not pass on capabilities.
    const folder = path.join(closed, 'file');
    await writeFile(folder, '');
    await expect(createLaunch(user, folder)).rejects.toThrow(
      /cannot reach[^]*Set DATA_DIR to a folder that other users can reach[^]*DATABASE_URL/,
    );
  });

  test('a user that cannot be created is reported', async () => {
    await expect(findServerUser(path.join(closed, 'none'), '-not a name-')).rejects.toThrow(
      /could not be created[^]*Create that user, or start the service as an ordinary user/,
    );
  });
});

test('an install without scripts gets its links', async () => {
  const folder = await fixture.folder();
  const source = await findPostgresPackage(undefined);
  await run('cp', ['-a', `${source.folder}/.`, folder]);
  await run('find', [path.join(folder, 'native'), '-type', 'l', '-delete']);
  await findPrograms({ ...source, folder }, undefined);
  expect(await listLinks(folder)).toEqual(await listLinks(source.folder));
});

const PROGRAMS = ['native/bin/postgres', 'native/bin/initdb'];
const FILES = ['native/share/postgresql/postgres.bki', 'native/lib/postgresql/plpgsql.so'];

async function makeSmallPackage(folder: string): Promise<void> {
  for (const file of [...PROGRAMS, ...FILES]) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), 'some file of PostgreSQL');
  }
  for (const file of PROGRAMS) await chmod(path.join(folder, file), 0o755);
  await writeFile(path.join(folder, 'package.json'), '{"version":"18.4.0"}');
}

async function listLinks(folder: string): Promise<string[]> {
  const library = path.join(folder, 'native/lib');
  const entries = await readdir(library, { withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  expect(links.length).toBeGreaterThan(10);
  return await Promise.all(
    links.toSorted().map(async (name) => `${name} ${await readlink(path.join(library, name))}`),
  );
}
