import {
  appendFile,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { EmbeddedDatabase } from '../../src/platform/embedded/embedded.ts';
import { verifyBackup } from '../../src/platform/backup/manifest.ts';
import { RECOVERY_SETTINGS } from '../../src/platform/backup/restore.ts';
import { takeBackup } from '../../src/platform/backup/take.ts';
import { folderStorage } from '../../src/platform/storage/folder.ts';
import { inProcess, malipo, must, newMasterKey } from './cli-support.ts';
import { isRoot, query, until, EmbeddedFixture } from './embedded-support.ts';

// A backup of a server under write load, and its restore.

const fixture = new EmbeddedFixture();
const MASTER_KEY = newMasterKey();
const KEY = Buffer.from(MASTER_KEY, 'base64');

let dataDir: string;
let environment: { DATA_DIR: string; MASTER_KEY: string };
let server: EmbeddedDatabase;
let pool: Pool;
/** A complete backup of a database under load. */
let backup: string;
/** The output of the command. */
let output: string;
/** Rows that were committed before it began, and when it had ended. */
let rowsBefore = 0;
let rowsAfter = 0;

beforeAll(async () => {
  dataDir = await fixture.folder();
  environment = { DATA_DIR: dataDir, MASTER_KEY };
  await must(environment, 'migrate');
  server = await fixture.start(path.join(dataDir, 'postgres'));
  pool = createPool({ url: server.url, max: 4, name: 'test' });
  await must(environment, 'vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'bank');
  await pool.query('create table load (number bigint primary key)');
  await pool.query('checkpoint');

  const stop = new AbortController();
  const write = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await pool.query('insert into load select $1 + generate_series(0, 99)', [rowsAfter]);
      rowsAfter += 100;
    }
  };
  const writing = write();
  await until(() => rowsAfter >= 1_000);
  rowsBefore = rowsAfter;
  backup = path.join(await fixture.folder(), 'backup');
  output = (await must(environment, 'backup', backup)).stdout;
  stop.abort();
  await writing;
});
afterAll(async () => {
  await pool.end();
  await fixture.cleanUpAll();
});

/** A copy of the backup to be damaged. */
async function copyOfBackup(): Promise<string> {
  const copy = path.join(await fixture.folder(), 'copy');
  await cp(backup, copy, { recursive: true });
  return copy;
}

async function newDataDir(): Promise<string> {
  return path.join(await fixture.folder(), 'new');
}

/** Restores, starts a server on it and returns its URL and folder. */
async function restored(): Promise<{
  folder: string;
  url: string;
  answer: Record<string, unknown>;
}> {
  const folder = await newDataDir();
  const env = { MASTER_KEY };
  const answer = (await must(env, 'restore', backup, '--data-dir', folder, '--json')).json();
  const { url } = await fixture.start(path.join(folder, 'postgres'));
  return { folder, url, answer };
}

describe('a backup', () => {
  test('a backup of a running server is complete, and leaves nothing behind in it', async () => {
    const { problems, manifest } = await verifyBackup(folderStorage(backup), [KEY]);
    expect(problems).toEqual([]);
    expect(manifest.files.map((file) => file.path)).toEqual(
      expect.arrayContaining(['backup_label', 'global/pg_control', 'malipo.quarantine']),
    );
    expect(await query(server.url, 'select slot_name from pg_replication_slots')).toEqual([]);
    expect(await query(server.url, 'select backup_id, folder from backups')).toEqual([
      { backup_id: manifest.backup_id, folder: backup },
    ]);
    expect(await readdir(path.join(dataDir, 'postgres', 'data'))).not.toContain(
      'malipo.quarantine',
    );
  });

  test('does not hold the master key, only its id', async () => {
    const { manifest } = await verifyBackup(folderStorage(backup), [KEY]);
    expect(manifest.master_key_ids).toHaveLength(1);
    for (const file of manifest.files) {
      const content = await readFile(path.join(backup, 'data', file.path));
      expect(content.includes(KEY) || content.includes(MASTER_KEY), file.path).toBe(false);
    }
    expect(output).toContain(`Not included: MASTER_KEY (id ${manifest.master_key_ids[0]})`);
  });

  test('a backup is refused in a folder with files, and for a database that is not ours', async () => {
    const refused = await inProcess(environment, 'backup', backup);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('is not empty');
    const inside = path.join(dataDir, 'postgres', 'data', 'backup');
    expect((await inProcess(environment, 'backup', inside)).stderr).toContain(
      'inside the data folder',
    );
    const external = await inProcess({ DATABASE_URL: server.url }, 'backup', '/nowhere');
    expect(external.stderr).toContain('pg_basebackup');
  });

  test('a failed backup leaves the folder empty and the server undisturbed', async () => {
    const folder = await fixture.folder();
    const data = path.join(dataDir, 'postgres', 'data');
    const stuck = { pool, data, folder, masterKey: KEY, masterKeyIds: [] };
    let asked = 0;
    const failing = takeBackup({
      ...stuck,
      onProgress: () => {
        asked += 1;
        if (asked === 5) throw new Error('no more');
      },
    });
    await expect(failing).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual([]);
    await until(
      async () => (await query(server.url, 'select from pg_replication_slots')).length === 0,
    );
  });

  test('a backup that loses its server has failed, and says why', async () => {
    const folder = await fixture.folder();
    const data = path.join(dataDir, 'postgres', 'data');
    const own = createPool({ url: server.url, max: 1, name: 'lost' });
    const backend = await own.query<{ pid: number }>('select pg_backend_pid() as pid');
    let cut = false;
    const failing = takeBackup({
      pool: own,
      data,
      folder,
      masterKey: KEY,
      masterKeyIds: [],
      onProgress: () => {
        if (!cut) process.kill(backend.rows[0]?.pid ?? 0, 'SIGTERM');
        cut = true;
      },
    });
    await expect(failing).rejects.toThrow('stopped during the backup');
    await own.end();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('verify', () => {
  test.each([
    ['a changed byte', 'base/1/1259', async (file: string) => await appendFile(file, 'x')],
    ['a cut file', 'global/pg_control', async (file: string) => await truncate(file, 100)],
    ['a missing file', 'backup_label', async (file: string) => await rm(file)],
    ['a file too many', 'standby.signal', async (file: string) => await writeFile(file, '')],
  ])('finds %s', async (_what, name, damage) => {
    const copy = await copyOfBackup();
    await damage(path.join(copy, 'data', name));
    const found = await inProcess({}, 'backup', 'verify', copy, '--json');
    expect(found.exitCode).toBe(1);
    expect(found.json()).toMatchObject({ whole: false, problems: [expect.stringContaining(name)] });
  });

  test('finds a changed list, and a backup that was not finished', async () => {
    const copy = await copyOfBackup();
    const list = path.join(copy, 'manifest.json');
    await writeFile(list, (await readFile(list, 'utf8')).replace('"bytes": 1', '"bytes": 2'));
    const changed = await inProcess({}, 'backup', 'verify', copy);
    expect(changed.stderr).toContain('was changed after it had been written');
    await rm(list);
    const unfinished = await inProcess({}, 'backup', 'verify', copy);
    expect(unfinished.stderr).toContain('not finished');
  });

  test('finds nothing wrong with a complete one', async () => {
    const done = await malipo({}, 'backup', 'verify', backup);
    expect(done).toMatchObject({ exitCode: 0 });
    expect(done.stdout).toContain('is complete');
  });
});

describe('a restore', () => {
  test('has everything that was committed before, on a new timeline', async () => {
    const { url, answer } = await restored();
    expect(answer).toMatchObject({ timeline: 2, quarantine: true, master_key: 'right' });
    const rows = await query(
      url,
      'select count(*)::integer, max(number)::integer as last from load',
    );
    const count = Number(rows[0]?.['count']);
    expect(count).toBeGreaterThanOrEqual(rowsBefore);
    expect(count).toBeLessThanOrEqual(rowsAfter);
    // Without gaps: complete commits, in their order.
    expect(rows[0]?.['last']).toBe(count - 1);
  });

  test('enters quarantine before anything else, once', async () => {
    const { folder, url } = await restored();
    const env = { DATA_DIR: folder };
    const { manifest } = await verifyBackup(folderStorage(backup), [KEY]);
    const listed = await must(env, 'quarantine', 'status', '--json');
    expect(listed.json()).toMatchObject({
      quarantine: {
        lost_from: manifest.started_at,
        reason: expect.stringContaining(manifest.backup_id),
      },
      events: [{ action: 'entered', actor: 'restore' }],
    });
    const data = path.join(folder, 'postgres', 'data');
    expect(await readdir(data)).not.toContain('malipo.quarantine');
    // As after a start that was killed before it removed the marker.
    await cp(path.join(backup, 'data', 'malipo.quarantine'), path.join(data, 'malipo.quarantine'));
    await must(env, 'quarantine', 'status');
    expect(await query(url, 'select action from quarantine_events')).toHaveLength(1);
  });

  test('made without the command is in quarantine too', async () => {
    const folder = await newDataDir();
    await mkdir(path.join(folder, 'postgres'), { recursive: true });
    await cp(path.join(backup, 'data'), path.join(folder, 'postgres', 'data'), {
      recursive: true,
    });
    await handOver(path.join(folder, 'postgres'));
    const listed = await must({ DATA_DIR: folder }, 'quarantine', 'status', '--json');
    expect(listed.json()).toMatchObject({ quarantine: { reason: expect.any(String) } });
  });

  test('replaces no database, running or not', async () => {
    const refused = await inProcess({ MASTER_KEY }, 'restore', backup, '--data-dir', dataDir);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('already holds a database');
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('restore refuses a damaged backup, and leaves nothing behind', async () => {
    const copy = await copyOfBackup();
    await appendFile(path.join(copy, 'data', 'base', '1', '1259'), 'x');
    const folder = await newDataDir();
    const refused = await inProcess({ MASTER_KEY }, 'restore', copy, '--data-dir', folder);
    expect(refused.stderr).toContain('The backup is damaged: base/1/1259');
    expect(await readdir(path.join(folder, 'postgres'))).toEqual([]);
  });

  test.each([
    ['another master key', { MASTER_KEY: newMasterKey() }],
    ['no master key', {}],
  ])('restoring with %s is refused, unless asked for', async (_what, env) => {
    const folder = await newDataDir();
    const refused = await inProcess(env, 'restore', backup, '--data-dir', folder);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('cannot be authenticated');
    const forced = ['restore', backup, '--data-dir', folder, '--unauthenticated', '--json'];
    const answer = (await must(env, ...forced)).json();
    expect(answer).toMatchObject({
      master_key: 'MASTER_KEY' in env ? 'another' : 'missing',
      quarantine: true,
    });
    const { url } = await fixture.start(path.join(folder, 'postgres'));
    expect(await query(url, `select count(*) > 0 as there from load`)).toEqual([{ there: true }]);
  });
});

// An attacker who can write to the folder of backups, and knows the format but no key.
describe('a tampered backup', () => {
  /** Puts PostgreSQL settings into a copy and makes its manifest agree. */
  async function tamper(
    change: (manifest: Manifest) => void,
    settings = '',
  ): Promise<{ copy: string }> {
    const copy = await copyOfBackup();
    const name = 'postgresql.auto.conf';
    const text = `${await readFile(path.join(copy, 'data', name), 'utf8')}${settings}`;
    await writeFile(path.join(copy, 'data', name), text);
    const list = path.join(copy, 'manifest.json');
    const { checksum: _old, mac, ...manifest } = JSON.parse(await readFile(list, 'utf8'));
    for (const file of manifest.files) {
      if (file.path !== name) continue;
      file.bytes = Buffer.byteLength(text);
      file.sha256 = createHash('sha256').update(text).digest('hex');
    }
    change(manifest);
    const checksum = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
    await writeFile(list, JSON.stringify({ ...manifest, checksum, mac }));
    return { copy };
  }

  interface Manifest {
    authenticated_with: string;
    folders: string[];
    files: { path: string; bytes: number; sha256: string }[];
  }

  test('restore and verify refuse a tampered backup', async () => {
    const { copy } = await tamper(() => {}, `recovery_end_command = 'true'\n`);
    const env = { MASTER_KEY };
    const restore = await inProcess(env, 'restore', copy, '--data-dir', await newDataDir());
    expect(restore.stderr).toContain('was not written with this MASTER_KEY');
    const verify = await inProcess(env, 'backup', 'verify', copy);
    expect(verify).toMatchObject({ exitCode: 1 });
    expect(verify.stderr).toContain('was not written with this MASTER_KEY');
    // Without the key this cannot be detected, and verify says so.
    const unknown = await inProcess({}, 'backup', 'verify', copy, '--json');
    expect(unknown.json()).toMatchObject({ whole: true, authenticated: false });
  });

  test('runs no command, even when it is restored unauthenticated', async () => {
    const trace = path.join(await fixture.folder(), 'trace');
    const settings = [
      `recovery_end_command = 'touch ${trace}'`,
      `archive_cleanup_command = 'touch ${trace}'`,
      `shared_preload_libraries = 'no_such_library'`,
      `archive_mode = 'on'`,
      `archive_command = 'touch ${trace}'`,
      '',
    ].join('\n');
    const { copy } = await tamper((manifest) => {
      manifest.authenticated_with = '0'.repeat(16);
    }, settings);
    const folder = await newDataDir();
    await must({ MASTER_KEY }, 'restore', copy, '--data-dir', folder, '--unauthenticated');
    const { url } = await fixture.start(path.join(folder, 'postgres'));
    expect(
      await query(
        url,
        `select name from pg_settings where name in ('recovery_end_command', 'archive_command',
           'archive_cleanup_command', 'shared_preload_libraries') and setting not in ('', '(disabled)')`,
      ),
    ).toEqual([]);
    await expect(stat(trace)).rejects.toThrow('ENOENT');
  });

  test.each(['../evil', '/tmp/evil', 'base/../../evil', 'base//x', '.'])(
    'nothing is written anywhere if a tampered backup names the folder %s',
    async (name) => {
      const { copy } = await tamper((manifest) => {
        manifest.authenticated_with = '0'.repeat(16);
        manifest.folders.push(name);
      });
      const folder = await newDataDir();
      const args = ['restore', copy, '--data-dir', folder, '--unauthenticated'];
      const refused = await inProcess({ MASTER_KEY }, ...args);
      expect(refused.stderr).toContain('is not a backup manifest');
    },
  );

  test('the server that recovers a tampered backup overrides every setting that could run a program', async () => {
    const settings = await query(
      server.url,
      `select name from pg_settings where vartype = 'string' and context <> 'internal'
         and name ~ 'command|librar|conninfo|provider|external_pid_file'`,
    );
    const names = settings.map((row) => String(row['name']));
    expect(names).toContain('recovery_end_command');
    const overridden = new Set(Object.keys(RECOVERY_SETTINGS));
    expect(names.filter((name) => !overridden.has(name))).toEqual([]);
  });
});

/** Does what an administrator does with `chown -R` after `cp -r` as root. */
async function handOver(folder: string): Promise<void> {
  if (!isRoot) return;
  const { uid, gid } = await stat(path.join(dataDir, 'postgres', 'data'));
  await chown(folder, uid, gid);
  for (const name of await readdir(folder, { recursive: true })) {
    await chown(path.join(folder, name), uid, gid);
  }
}
