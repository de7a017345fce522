import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../../../src/platform/base/ids.ts';
import { expireBackups, listBackups } from '../../../../src/platform/backup/expire.ts';
import { writeManifest } from '../../../../src/platform/backup/manifest.ts';
import { contentOf } from '../../../../src/platform/storage/storage.ts';
import { folderStorage } from '../../../../src/platform/storage/folder.ts';

const KEY = Buffer.alloc(32, 'test key');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'malipo-expire-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A backup that ended on this day and begins with this segment of the log. */
async function addBackup(
  name: string,
  day: number,
  segment: number,
  { cluster = '7000', timeline = 1 } = {},
) {
  const backup = path.join(folder, 'base', name);
  await mkdir(path.join(backup, 'data', 'empty'), { recursive: true });
  await writeFile(path.join(backup, 'data', 'PG_VERSION'), '18');
  const at = (hour: number): string => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
  const lsn = (offset: string): string => `0/${segment.toString(16).toUpperCase()}${offset}`;
  const content = {
    ...{ format: 2 as const, backup_id: newId(), postgres: '18', system_identifier: cluster },
    ...{ timeline, started_at: at(1), ended_at: at(2) },
    ...{ start_lsn: lsn('000028'), stop_lsn: lsn('000100'), master_key_ids: [], folders: [] },
    files: [{ path: 'PG_VERSION', bytes: 2, sha256: 'a'.repeat(64) }],
  };
  await writeManifest(backup, content, KEY);
}

test('all but the newest backups are removed, with the log that only they needed', async () => {
  const base = folderStorage(path.join(folder, 'base'));
  const wal = folderStorage(path.join(folder, 'wal'));
  await addBackup('three', 3, 9);
  await addBackup('one', 1, 3);
  await addBackup('two', 2, 6);
  await mkdir(path.join(folder, 'base', 'unfinished', 'data'), { recursive: true });
  const segments = [3, 5, 6, 10].map(
    (number) => `00000001${number.toString(16).toUpperCase().padStart(16, '0')}`,
  );
  // A later timeline continues the positions of the former one.
  segments.push(`00000002${'4'.padStart(16, '0')}`);
  for (const name of segments) {
    await wal.write(`${name}.gz`, contentOf('log'));
    await wal.write(`${name}.json`, contentOf('{}'));
  }
  await wal.write('database-x.json', contentOf('{}'));

  expect((await listBackups(base)).map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  expect(await expireBackups(base, { keep: 2, wal })).toEqual({
    removed: ['one'],
    kept: ['two', 'three'],
    segments: 6,
  });
  expect((await readdir(path.join(folder, 'base'))).toSorted()).toEqual([
    'three',
    'two',
    'unfinished',
  ]);
  expect((await wal.list()).filter((name) => name.endsWith('.gz'))).toEqual([
    `${segments[2]}.gz`,
    `${segments[3]}.gz`,
  ]);
  expect(await wal.list('database')).toHaveLength(1);
  expect(await expireBackups(base, { keep: 5, wal })).toMatchObject({ removed: [], segments: 0 });
});

test('the log of a newer backup is kept if a restore went back behind an older backup', async () => {
  const base = folderStorage(path.join(folder, 'base'));
  const wal = folderStorage(path.join(folder, 'wal'));
  await addBackup('one', 1, 3);
  await addBackup('two', 2, 9);
  // Backup “one” was restored, up to a time before backup “two”.
  await addBackup('three', 3, 5, { timeline: 2 });
  const segments = [1, 3, 5, 6].map((number) => `00000002${`${number}`.padStart(16, '0')}`);
  for (const name of segments) await wal.write(`${name}.gz`, contentOf('log'));

  expect(await expireBackups(base, { keep: 2, wal })).toMatchObject({ kept: ['two', 'three'] });
  expect(await wal.list()).toEqual([`${segments[2]}.gz`, `${segments[3]}.gz`]);
});

test('nothing is removed where backups of several databases are', async () => {
  const base = folderStorage(path.join(folder, 'base'));
  await addBackup('ours', 1, 3);
  await addBackup('theirs', 2, 6, { cluster: '8000' });
  await expect(expireBackups(base, { keep: 1, wal: undefined })).rejects.toThrow(
    'has backups of 2 databases',
  );
  expect(await readdir(path.join(folder, 'base'))).toHaveLength(2);
});
