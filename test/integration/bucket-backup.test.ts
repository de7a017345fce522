import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { takeBackupToBucket } from '../../src/platform/backup/to-bucket.ts';
import { archiveWal } from '../../src/platform/backup/wal-archive.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { openStorage } from '../../src/platform/storage/open.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { startWalArchiver } from '../../src/wal-archiver.ts';
import { startS3Emulator } from '../support/s3-emulator.ts';
import type { S3Emulator } from '../support/s3-emulator.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';
import { EmbeddedFixture, query } from './embedded-support.ts';

// Backups and the archive of the write-ahead log in a bucket that fails in every way.

const WAL = 's3://backups/wal';
const fixture = new EmbeddedFixture();
const MASTER_KEY = newMasterKey();
const KEY = Buffer.from(MASTER_KEY, 'base64');

let s3: S3Emulator;
let env: Readonly<Record<string, string>>;
let dataDir: string;
let data: string;
let serverUrl: string;
let pool: Pool;
let archive: Storage;

async function archiveNow(): Promise<readonly string[]> {
  return await archiveWal({ pool, data, archive, masterKey: KEY });
}

async function backUp(name: string): Promise<void> {
  const to = await openStorage(`s3://backups/base/${name}`, s3.settings);
  await takeBackupToBucket({ pool, data, dataDir, masterKey: KEY, masterKeyIds: [] }, to);
}

async function insert(what: string): Promise<void> {
  await pool.query('insert into marks values ($1)', [what]);
}

beforeAll(async () => {
  s3 = await startS3Emulator();
  env = { MASTER_KEY, ...s3.environment };
  const folder = await fixture.usedFolder();
  dataDir = path.dirname(folder);
  const server = await fixture.start(folder);
  serverUrl = server.url;
  data = path.join(folder, 'data');
  pool = createPool({ url: server.url, max: 2, name: 'test' });
  archive = await openStorage(WAL, s3.settings);
  await pool.query(
    `create table marks (what text);
     create table backups (started_at timestamptz, ended_at timestamptz, bytes bigint,
       stop_lsn pg_lsn, timeline integer, backup_id uuid, folder text)`,
  );
  await archiveNow();
  await insert('in the backup');
  s3.fault('unavailable', /^PUT base/, 3);
  s3.fault('cut', /^PUT base/);
  await backUp('first');
  await insert('in the log');
  await archiveNow();
}, 300_000);
afterEach(() => s3.requests.splice(0));
afterAll(async () => {
  await archive.close();
  await pool.end();
  await fixture.cleanUpAll();
  await s3.close();
});

async function restore(...more: string[]) {
  const folder = path.join(await fixture.folder(), 'new');
  const args = ['restore', 's3://backups/base/first', '--data-dir', folder, ...more];
  return { folder, ...(await inProcess(env, ...args)) };
}

describe('a backup in a bucket', () => {
  test('a backup in a bucket is complete, leaves nothing behind, and is restored with the archive', async () => {
    expect((await must(env, 'backup', 'verify', 's3://backups/base/first')).stdout).toContain(
      'is complete',
    );
    expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining('backup-'));
    const { folder, exitCode, stderr } = await restore('--wal', WAL);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const { url } = await fixture.start(path.join(folder, 'postgres'));
    expect(await query(url, 'select what from marks order by what')).toEqual([
      { what: 'in the backup' },
      { what: 'in the log' },
    ]);
  }, 240_000);

  test('an upload that could not be completed is removed and does not count as a backup', async () => {
    s3.fault('unavailable', /^PUT base\/second/, 1000);
    await expect(backUp('second')).rejects.toThrow('s3://backups/base/second did not answer');
    s3.heal();
    expect([...s3.objects.keys()].filter((key) => key.startsWith('base/second'))).toEqual([]);
    expect(await query(serverUrl, 'select folder from backups')).toEqual([
      { folder: 's3://backups/base/first' },
    ]);
  }, 240_000);

  test('a backup is refused at a place that has files', async () => {
    await expect(backUp('first')).rejects.toThrow('s3://backups/base/first is not empty');
  });

  test('a backup that was damaged or lost a file is refused', async () => {
    const key = 'base/first/data/PG_VERSION';
    const content = s3.objects.get(key) ?? Buffer.alloc(0);
    s3.objects.set(key, Buffer.concat([content, Buffer.from(' ')]));
    expect((await restore()).stderr).toContain('PG_VERSION differs');
    s3.objects.delete(key);
    expect((await restore()).stderr).toContain('PG_VERSION is missing');
    const { stdout } = await inProcess(env, 'backup', 'verify', 's3://backups/base/first');
    expect(stdout).toContain('PG_VERSION: is missing');
    s3.objects.set(key, content);
  }, 240_000);
});

describe('an archive in a bucket', () => {
  const segments = (): string[] =>
    [...s3.objects.keys()]
      .filter((key) => key.startsWith('wal/') && key.endsWith('.gz'))
      .toSorted();

  test.each(['unavailable', 'cut', 'damaged', 'lost_answer'] as const)(
    'has each segment once, after %s too',
    async (fault) => {
      await insert(fault);
      s3.fault(fault, /^PUT wal/, 2);
      const archived = await archiveNow();
      expect(archived.length).toBeGreaterThan(0);
      for (const name of archived) expect(segments()).toContain(`wal/${name}.gz`);
      expect(await archiveNow()).not.toEqual(expect.arrayContaining([...archived]));
    },
  );

  test('an archive is complete again after its bucket was away', async () => {
    await insert('away');
    s3.fault('unavailable', /^PUT wal/, 1000);
    await expect(archiveNow()).rejects.toThrow('did not answer');
    s3.heal();
    await archiveNow();
    const { exitCode, stderr } = await restore('--wal', WAL);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  }, 240_000);

  test('never replaces a segment of another database', async () => {
    const [first = ''] = segments();
    const before = s3.objects.get(first);
    const other = path.join(await fixture.folder(), 'postgres');
    const server = await fixture.start(other);
    const otherPool = createPool({ url: server.url, max: 1, name: 'test' });
    const otherData = path.join(other, 'data');
    const options = { pool: otherPool, data: otherData, archive, masterKey: KEY };
    // A new server begins with a segment that the archive has.
    await expect(archiveWal(options)).rejects.toThrow('is of another database');
    expect(s3.objects.get(first)?.equals(before ?? Buffer.alloc(0))).toBe(true);
    await otherPool.end();
  }, 240_000);

  test('restore names the segment, or all of them, that the archive lacks', async () => {
    const kept = new Map(s3.objects);
    const missing = segments().at(-2) ?? '';
    s3.objects.delete(missing);
    expect((await restore('--wal', WAL)).stderr).toContain(
      `${missing.slice('wal/'.length)} is missing in s3://backups/wal`,
    );
    expect((await restore('--wal', 's3://backups/empty')).stderr).toMatch(
      /s3:\/\/backups\/empty lacks [0-9A-F]{24}/,
    );
    for (const [key, content] of kept) s3.objects.set(key, content);
  }, 240_000);

  test('a bucket that does not answer delays a stop only for the grace period', async () => {
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    s3.fault('silence', /^PUT wal/, 1000);
    const settings = { ...s3.settings, timing: { pauseMs: 1, deadlineMs: 600_000 } };
    const archiver = await startWalArchiver({
      config: { walArchive: WAL, s3: settings, shutdownGraceMs: 50 },
      database: {
        ...{ url: serverUrl, ownerUrl: serverUrl, data, started: false },
        onUnexpectedExit: () => undefined,
        close: async () => {},
      },
      masterKey: KEY,
      log,
    });
    await insert('at the stop');
    expect(archiver?.ageSeconds()).toBeGreaterThan(0);
    await archiver?.stop();
    s3.heal();
    expect(warnings.join('')).toContain('did not answer within the grace period');
    await archiveNow();
  }, 240_000);
});
