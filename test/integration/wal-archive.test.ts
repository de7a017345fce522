import { cp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findArchiveGap } from '../../src/platform/backup/archive-gap.ts';
import { archiveWal, forgetArchive } from '../../src/platform/backup/wal-archive.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { folderStorage } from '../../src/platform/storage/folder.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import { EmbeddedFixture, query } from './embedded-support.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

// A backup that is continued with the archive of the write-ahead log, up to a chosen time.

const fixture = new EmbeddedFixture();
const services = new SandboxFixture();
const MASTER_KEY = newMasterKey();
const KEY = Buffer.from(MASTER_KEY, 'base64');

let data: string;
let serverUrl: string;
let pool: Pool;
let backup: string;
let archive: string;
/** After the commit of “second” and before that of “third”. */
let between: string;

async function insert(what: string): Promise<void> {
  await pool.query('insert into marks values ($1)', [what]);
}

async function archiveNow(): Promise<readonly string[]> {
  return await archiveWal({ pool, data, archive: folderStorage(archive), masterKey: KEY });
}

beforeAll(async () => {
  const dataDir = await fixture.folder();
  const env = { DATA_DIR: dataDir, MASTER_KEY };
  await must(env, 'migrate');
  const folder = path.join(dataDir, 'postgres');
  const server = await fixture.start(folder);
  data = path.join(folder, 'data');
  serverUrl = server.url;
  pool = createPool({ url: server.url, max: 2, name: 'test' });
  archive = path.join(await fixture.folder(), 'archive');
  await pool.query('create table marks (what text)');
  await archiveNow();
  await insert('first');
  backup = path.join(await fixture.folder(), 'backup');
  await must(env, 'backup', backup);
  await insert('second');
  await archiveNow();
  const read = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  between = read.rows[0]?.now.toISOString() ?? '';
  await until('the clock shows a later millisecond', async () => {
    const passed = await pool.query(
      `select where clock_timestamp() > $1::timestamptz + interval '1 ms'`,
      [between],
    );
    return passed.rowCount === 1;
  });
  await insert('third');
  await archiveNow();
});
afterAll(async () => {
  await pool.end();
  await services.cleanUp();
  await fixture.cleanUpAll();
});

async function restore(wal: string, ...more: string[]) {
  const folder = path.join(await fixture.folder(), 'new');
  const args = ['restore', backup, '--data-dir', folder, '--wal', wal, ...more, '--json'];
  const restored = await inProcess({ MASTER_KEY }, ...args);
  return { folder, ...restored };
}

async function marksIn(folder: string): Promise<unknown[]> {
  const { url } = await fixture.start(path.join(folder, 'postgres'));
  return (await query(url, 'select what from marks order by what')).map(({ what }) => what);
}

describe('an archive', () => {
  test('has every complete segment once, and the server keeps none for it longer', async () => {
    const before = await readdir(archive);
    await insert('more');
    const archived = await archiveNow();
    expect(archived.length).toBeGreaterThan(0);
    expect((await readdir(archive)).toSorted()).toEqual(
      [...before, ...archived.flatMap((name) => [`${name}.gz`, `${name}.json`])].toSorted(),
    );
    expect(await query(serverUrl, 'select count(*)::integer from pg_replication_slots')).toEqual([
      { count: 1 },
    ]);
  });

  test('the archive of another database is not overwritten', async () => {
    const other = path.join(await fixture.folder(), 'postgres');
    const server = await fixture.start(other);
    const otherPool = createPool({ url: server.url, max: 1, name: 'test' });
    // A new server begins with a segment that the archive has.
    const first = (await readdir(archive)).find((name) => name.endsWith('.json')) ?? '';
    const folder = await fixture.folder();
    const options = { pool: otherPool, data: path.join(other, 'data'), masterKey: KEY };
    const [segment = ''] = await archiveWal({ ...options, archive: folderStorage(folder) });
    await cp(path.join(archive, first), path.join(folder, `${segment}.json`));
    await forgetArchive(otherPool);
    await expect(archiveWal({ ...options, archive: folderStorage(folder) })).rejects.toThrow(
      'is of another database',
    );
    await otherPool.end();
  });
});

describe('a restore with the archive', () => {
  test('has everything up to the time, and is in quarantine from the last commit on', async () => {
    const { folder, stdout, exitCode, stderr } = await restore(archive, '--until', between);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const answer = JSON.parse(stdout) as { readonly last_commit_at: string };
    expect(Date.parse(answer.last_commit_at)).toBeLessThanOrEqual(Date.parse(between));
    expect(await marksIn(folder)).toEqual(['first', 'second']);
    const status = await must({ DATA_DIR: folder }, 'quarantine', 'status', '--json');
    const { quarantine } = status.json<{ quarantine: { lost_from: string } }>();
    expect(Date.parse(quarantine.lost_from)).toBeLessThan(Date.parse(answer.last_commit_at));
  });

  test('has everything that was archived if no time is given', async () => {
    const { folder, exitCode, stderr } = await restore(archive);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(await marksIn(folder)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
  });

  /** A copy of the archive to be damaged, and the names of its segments. */
  async function copyOfArchive() {
    const folder = path.join(await fixture.folder(), 'archive');
    await cp(archive, folder, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
    return { folder, segments: names.map((name) => name.slice(0, -'.json'.length)) };
  }

  test('refuses a gap', async () => {
    const { folder, segments } = await copyOfArchive();
    const missing = segments.at(-2) ?? '';
    await rename(path.join(folder, `${missing}.json`), path.join(folder, 'elsewhere'));
    const { exitCode, stderr } = await restore(folder);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`gap: ${missing} is missing`);
  });

  test('needs each segment since the backup: missing ones are found before', async () => {
    const { folder, segments } = await copyOfArchive();
    const find = async () => await findArchiveGap(pool, folderStorage(folder));
    expect(await find()).toBeUndefined();
    const [first = '', last = '', former = ''] = [segments[0], ...segments.toReversed()];
    // The first one is older than the backup.
    await rm(path.join(folder, `${first}.gz`));
    expect(await find()).toBeUndefined();
    await rm(path.join(folder, `${last}.gz`));
    expect(await find()).toEqual({ missing: 1, first: last });
    await rm(path.join(folder, `${former}.json`));
    expect(await find()).toEqual({ missing: 2, first: former });
  });

  test('refuses a segment that was changed, also together with its checksum', async () => {
    const { folder, segments } = await copyOfArchive();
    const [last = '', former = ''] = segments.toReversed();
    await cp(path.join(folder, `${former}.gz`), path.join(folder, `${last}.gz`));
    expect((await restore(folder)).stderr).toContain(`${last}.gz is not what was archived`);
    const record = JSON.parse(await readFile(path.join(folder, `${last}.json`), 'utf8'));
    const { sha256 } = JSON.parse(await readFile(path.join(folder, `${former}.json`), 'utf8'));
    await writeFile(path.join(folder, `${last}.json`), JSON.stringify({ ...record, sha256 }));
    expect((await restore(folder)).stderr).toContain('was not written with this MASTER_KEY');
  });

  test('refuses a time that it cannot reach, or that is in the backup', async () => {
    const late = await restore(archive, '--until', '2099-01-01 00:00:00');
    expect(late.stderr).toContain('The archive ends before 2098-12-31T21:00:00.000Z');
    const early = await restore(archive, '--until', '2020-01-01 00:00:00');
    expect(early.stderr).toContain('before the end of this backup');
    expect(early.exitCode).toBe(1);
  });
});

test('a service archives what it wrote when it stops, and keeps no log for an archive that it no longer has', async () => {
  const dataDir = await fixture.folder();
  const folder = path.join(await fixture.folder(), 'archive');
  const serve = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const port = await findFreePort();
    const service = services.launch('serve', {
      DATA_DIR: dataDir,
      MASTER_KEY,
      PORT: String(port),
      ...env,
    });
    const origin = `http://127.0.0.1:${port}`;
    await until(
      'it is ready',
      async () =>
        service.ending !== undefined ||
        (await send(origin, { method: 'GET', path: '/health/ready' })).status === 200,
      120_000,
    );
    service.signal('SIGTERM', 'process');
    expect(await service.ended(), service.stdout).toEqual({ code: 0, signal: null });
    expect(service.stdout).not.toContain('the WAL was not archived');
  };
  const slots = async (): Promise<unknown[]> => {
    const server = await fixture.start(path.join(dataDir, 'postgres'));
    const found = await query(server.url, 'select slot_name from pg_replication_slots');
    await server.stop();
    return found;
  };
  await serve({ WAL_ARCHIVE: folder });
  expect((await readdir(folder)).length).toBeGreaterThan(0);
  expect(await slots()).toHaveLength(1);
  await serve({});
  expect(await slots()).toEqual([]);
}, 300_000);
