import { crashPoint } from '#crash-points';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PoolClient } from 'pg';
import { newId } from '../base/ids.ts';
import { PlainError } from '../base/plain-error.ts';
import type { Pool } from '../db/pool.ts';
import { folderStorage } from '../storage/folder.ts';
import { syncFolder } from '../sync-folder.ts';
import { copyFileDurably, makeFolder, writeDurably } from './copy.ts';
import { verifyBackup, writeManifest } from './manifest.ts';
import type { BackupContent, BackupFile, BackupManifest } from './manifest.ts';
import { markerIn, writeMarker } from './marker.ts';
import { DATA_FOLDER } from './stored.ts';
import { walSegments } from './wal.ts';

export interface BackupOptions {
  /** The server that runs on `data`. The user must be a superuser. */
  readonly pool: Pool;
  /** The data folder of that server, on this machine. */
  readonly data: string;
  /** Where the backup goes: missing or empty. */
  readonly folder: string;
  readonly masterKeyIds: readonly string[];
  /** Authenticates the manifest, so that a restore detects any change to it. */
  readonly masterKey: Buffer;
  /** Takes the complete backup to where it belongs. Default: it stays in the folder. */
  readonly deliver?: (folder: string, manifest: BackupManifest) => Promise<string>;
  readonly onProgress?: (what: string, doneBytes: number, allBytes: number | null) => void;
}

export interface Backup {
  readonly manifest: BackupManifest;
  readonly bytes: number;
}

/**
 * Copies the data folder of a running server without stopping it, together with the WAL that makes
 * the copy consistent. Then reads the copy again and compares. The backup contains everything
 * committed before it ended.
 * Throws: `PlainError` when the target is not empty or has no room, or the copy is damaged.
 */
export async function takeBackup(options: BackupOptions): Promise<Backup> {
  const folder = path.resolve(options.folder);
  if (`${folder}${path.sep}`.startsWith(`${options.data}${path.sep}`)) {
    throw new PlainError(`${folder} is inside the data folder that it would copy.`);
  }
  const existed = await requireEmpty(folder);
  if (!existed) await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const content = await copyOnline({ ...options, folder });
    crashPoint('backup:before-manifest');
    const manifest = await writeManifest(folder, content, options.masterKey);
    await syncFolder(folder);
    await syncFolder(path.dirname(folder));
    const { problems, bytes } = await verifyBackup(
      folderStorage(folder),
      [options.masterKey],
      (done, all) => options.onProgress?.('verifying', done, all),
    );
    if (problems.length > 0) {
      throw new PlainError(`The backup is damaged: ${problems.slice(0, 5).join('; ')}`);
    }
    const place = (await options.deliver?.(folder, manifest)) ?? folder;
    await recordBackup(options.pool, { manifest, folder: place, bytes });
    return { manifest, bytes };
  } catch (error) {
    // Report the first error, even if part of the copy cannot be removed.
    for (const name of await readdir(folder).catch((): string[] => [])) {
      await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
    }
    if (!existed) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new PlainError(`There is not enough space for the backup in ${folder}.`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Returns whether the folder existed. */
async function requireEmpty(folder: string): Promise<boolean> {
  try {
    if ((await readdir(folder)).length === 0) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new PlainError(`${folder} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  throw new PlainError(`${folder} is not empty. Use a new folder for each backup.`);
}

async function copyOnline(options: BackupOptions): Promise<BackupContent> {
  const client = await options.pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await copyWithin(client, options);
  } catch (error) {
    throw broken === undefined
      ? error
      : new PlainError(
          'The database was stopped during the backup, and the backup was discarded.',
          {
            cause: error,
          },
        );
  } finally {
    client.off('error', onError);
    // When the session ends, PostgreSQL drops an unfinished backup and the slot that keeps the WAL.
    client.release(true);
  }
}

interface Started {
  readonly startedAt: Date;
  readonly startLsn: string;
  readonly timeline: number;
  readonly systemIdentifier: string;
  readonly major: string;
  readonly segmentBytes: number;
}

async function copyWithin(client: PoolClient, options: BackupOptions): Promise<BackupContent> {
  const backupId = newId();
  const started = await startBackup(client, backupId);
  const target = path.join(options.folder, DATA_FOLDER);
  await makeFolder(target);
  const copied = await copyData(options.data, target, (bytes) =>
    options.onProgress?.('copying', bytes, null),
  );
  const stopped = await client.query<{
    endedAt: Date;
    stopLsn: string;
    labelfile: string;
    spcmapfile: string;
  }>(
    `select clock_timestamp() as "endedAt", lsn::text as "stopLsn", labelfile, spcmapfile
     from pg_backup_stop(wait_for_archive => false)`,
  );
  const [end] = stopped.rows;
  if (end === undefined) throw new Error('the backup did not end');
  const files = [...copied.files];
  for (const name of await walSegments(options.data, { ...started, stopLsn: end.stopLsn })) {
    const digest = await copyFileDurably(
      path.join(options.data, 'pg_wal', name),
      path.join(target, 'pg_wal', name),
    );
    files.push({ path: `pg_wal/${name}`, ...digest });
  }
  const label = await writeDurably(path.join(target, 'backup_label'), end.labelfile);
  files.push({ path: 'backup_label', ...label });
  // The start of the backup, not its end, because operators' clocks differ from ours.
  files.push(await writeMarker(target, { backupId, lostFrom: started.startedAt }));
  for (const name of copied.folders) await syncFolder(path.join(target, name));
  await syncFolder(target);
  return {
    format: 2,
    backup_id: backupId,
    postgres: started.major,
    system_identifier: started.systemIdentifier,
    timeline: started.timeline,
    started_at: started.startedAt.toISOString(),
    ended_at: end.endedAt.toISOString(),
    start_lsn: started.startLsn,
    stop_lsn: end.stopLsn,
    master_key_ids: [...options.masterKeyIds],
    folders: [...copied.folders],
    files,
  };
}

async function startBackup(client: PoolClient, backupId: string): Promise<Started> {
  await client.query('set statement_timeout = 0');
  await client.query('set lock_timeout = 0');
  // Keeps the WAL from now on. The slot is temporary: it disappears with this session, even if we
  // are killed.
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [
    `malipo_backup_${backupId.replaceAll('-', '')}`,
  ]);
  const begun = await client.query<Started>(
    `select clock_timestamp() as "startedAt", pg_backup_start($1, fast => true)::text as "startLsn",
       (select timeline_id from pg_control_checkpoint()) as timeline,
       (select system_identifier::text from pg_control_system()) as "systemIdentifier",
       (current_setting('server_version_num')::integer / 10000)::text as major,
       (select setting::integer from pg_settings
         where name = 'wal_segment_size') as "segmentBytes"`,
    [`malipo ${backupId}`],
  );
  const [started] = begun.rows;
  if (started === undefined) throw new Error('the backup did not begin');
  return started;
}

/** Their content belongs to this run of the server only; the folders themselves must exist. */
const EMPTIED = new Set(
  'pg_dynshmem pg_notify pg_replslot pg_serial pg_snapshots pg_stat_tmp pg_subtrans pg_wal'.split(
    ' ',
  ),
);
/** PostgreSQL's documentation, "Making a Base Backup Using the Low Level API". */
const LEFT_OUT = /^(postmaster\.(pid|opts)|backup_label|tablespace_map|current_logfiles)$/;
const LEFT_OUT_EVERYWHERE = /^(pgsql_tmp|pg_internal\.init)/;

async function copyData(
  from: string,
  to: string,
  onProgress: (bytes: number) => void,
): Promise<{ readonly files: readonly BackupFile[]; readonly folders: readonly string[] }> {
  const files: BackupFile[] = [];
  const folders: string[] = [];
  let bytes = 0;
  const copyFolder = async (below: string): Promise<void> => {
    for (const entry of await readdir(path.join(from, below), { withFileTypes: true })) {
      const name = path.posix.join(below, entry.name);
      if (LEFT_OUT_EVERYWHERE.test(entry.name) || LEFT_OUT.test(name)) continue;
      if (path.join(from, name) === markerIn(from)) continue;
      if (entry.isDirectory()) {
        await makeFolder(path.join(to, name));
        folders.push(name);
        if (!EMPTIED.has(name)) await copyFolder(name);
      } else if (entry.isFile()) {
        const copied = await copyUnlessGone(path.join(from, name), path.join(to, name));
        if (copied === undefined) continue;
        files.push({ path: name, ...copied });
        bytes += copied.bytes;
        onProgress(bytes);
      } else {
        throw new PlainError(
          `${path.join(from, name)} is a link: tablespaces and other links are not backed up.`,
        );
      }
    }
  };
  await copyFolder('');
  return { files, folders };
}

/** Tables and temporary files appear and disappear during the copy; the WAL replays it. */
async function copyUnlessGone(
  from: string,
  to: string,
): Promise<Omit<BackupFile, 'path'> | undefined> {
  try {
    if (path.basename(from) === 'pg_control') return await copyControlFile(from, to);
    return await copyFileDurably(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const CONTROL_READS = 100;

/** PostgreSQL rewrites this file in place; two equal reads in a row are a complete copy. */
async function copyControlFile(from: string, to: string): Promise<Omit<BackupFile, 'path'>> {
  let content = await readFile(from);
  for (let reads = 0; reads < CONTROL_READS; reads += 1) {
    const again = await readFile(from);
    if (again.equals(content)) break;
    content = again;
  }
  return await writeDurably(to, content);
}

async function recordBackup(
  pool: Pool,
  backup: { readonly manifest: BackupManifest; readonly folder: string; readonly bytes: number },
): Promise<void> {
  const { manifest } = backup;
  await pool.query(
    `insert into backups (backup_id, started_at, ended_at, folder, bytes, timeline, stop_lsn)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      manifest.backup_id,
      manifest.started_at,
      manifest.ended_at,
      backup.folder,
      backup.bytes,
      manifest.timeline,
      manifest.stop_lsn,
    ],
  );
}
