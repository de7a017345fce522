import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../../base/plain-error.ts';
import { findPostgresPackage } from '../embedded/binaries.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { openClusterFolder } from '../embedded/folder.ts';
import type { ClusterFolder } from '../embedded/folder.ts';
import { formatIdentity, identifyOurselves } from '../embedded/process.ts';
import { renameUnlessThere } from '../embedded/rename.ts';
import { findServerUser } from '../embedded/user.ts';
import { createPool } from '../pool.ts';
import { copyFileDurably, makeFolder, syncFolder, writeDurably } from './copy.ts';
import type { FileOwner } from './copy.ts';
import { DATA_FOLDER, readManifest, totalBytes } from './manifest.ts';
import type { BackupManifest } from './manifest.ts';

export interface RestoreOptions {
  readonly backup: string;
  /** `DATA_DIR/postgres` of the service to be: without a database. */
  readonly folder: string;
  readonly log: (line: string) => void;
  readonly onProgress?: (what: string, doneBytes: number, allBytes: number) => void;
}

export interface Restored {
  readonly manifest: BackupManifest;
  readonly bytes: number;
  /** The one that the restored database goes on with. */
  readonly timeline: number;
}

/**
 * Makes a data folder of a backup: copies it beside its place, comparing every file with the
 * manifest, lets a server recover it there, and renames it into place when it came up as the same
 * cluster on a timeline of its own. Whatever fails or is killed before leaves no database behind.
 * The marker in it puts the first start into quarantine.
 * Throws: `PlainError` or `EmbeddedDatabaseError`: the target holds a database, the backup is
 * damaged or of another version of PostgreSQL, no room.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const manifest = await readManifest(path.resolve(options.backup));
  const folder = await prepareTarget(options.folder, manifest);
  const user = await findServerUser(folder.data);
  const unique = `${formatIdentity(await identifyOurselves())}-${randomBytes(4).toString('hex')}`;
  // The name of an unfinished first start: one that was killed is cleared away by the next start.
  const temporary = path.join(folder.path, `new-${unique}`);
  try {
    await mkdir(temporary, { mode: 0o700 });
    if (user !== undefined) {
      await chown(folder.path, user.uid, user.gid);
      await chown(temporary, user.uid, user.gid);
    }
    const data = path.join(temporary, 'data');
    await copyBack(manifest, data, { ...options, owner: user });
    await writeDurably(path.join(data, 'recovery.signal'), '', user);
    const timeline = await recover(temporary, manifest, options.log);
    if (!(await renameUnlessThere(data, folder.data))) throw refusal(folder.path);
    await syncFolder(folder.path);
    return { manifest, bytes: totalBytes(manifest), timeline };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new PlainError(`There is no room for the database in ${folder.path}.`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    // What cannot be removed now is cleared away by the next start.
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function prepareTarget(folder: string, manifest: BackupManifest): Promise<ClusterFolder> {
  const { major } = await findPostgresPackage(undefined);
  if (major !== manifest.postgres) {
    throw new PlainError(
      `The backup is of PostgreSQL ${manifest.postgres}, but this version of Malipo brings ${major}. Restore it with the version of Malipo that took it.`,
    );
  }
  const target = await openClusterFolder(path.resolve(folder), major);
  if (target.initialised) throw refusal(target.path);
  return target;
}

function refusal(folder: string): PlainError {
  return new PlainError(
    `${folder} holds a database already, and a restore replaces none. Give another --data-dir, or move it away.`,
    { field: 'data_dir' },
  );
}

async function copyBack(
  manifest: BackupManifest,
  data: string,
  options: RestoreOptions & { readonly owner: FileOwner | undefined },
): Promise<void> {
  const source = path.join(path.resolve(options.backup), DATA_FOLDER);
  const allBytes = totalBytes(manifest);
  await makeFolder(data, options.owner);
  for (const folder of manifest.folders) await makeFolder(path.join(data, folder), options.owner);
  let doneBytes = 0;
  for (const file of manifest.files) {
    const [from, to] = [path.join(source, file.path), path.join(data, file.path)];
    const digest = await copyFileDurably(from, to, options.owner).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new PlainError(`The backup is damaged: ${file.path} is missing.`, { cause: error });
    });
    if (digest.bytes !== file.bytes || digest.sha256 !== file.sha256) {
      throw new PlainError(
        `The backup is damaged: ${file.path} is not what was backed up. \`malipo backup verify\` lists everything that is wrong.`,
      );
    }
    doneBytes += file.bytes;
    options.onProgress?.('copying', doneBytes, allBytes);
  }
}

/** As an archive recovery, whose archive is what the backup holds: it ends on a timeline of its own. */
const RECOVERY_SETTINGS = {
  restore_command: 'false',
  // Nobody connects before it is done.
  hot_standby: 'off',
  archive_mode: 'off',
};

/** Runs a server on the copy until it is recovered, and stops it. Returns its timeline. */
async function recover(
  temporary: string,
  manifest: BackupManifest,
  log: (line: string) => void,
): Promise<number> {
  const server = await startEmbedded({ folder: temporary, log, settings: RECOVERY_SETTINGS });
  const pool = createPool({ url: server.url, max: 1, name: 'restore' });
  try {
    const read = await pool.query<{ timeline: number; system_identifier: string }>(
      `select (pg_split_walfile_name(pg_walfile_name(pg_current_wal_lsn()))).timeline_id::integer as timeline,
         (select system_identifier::text from pg_control_system()) as system_identifier`,
    );
    const [now] = read.rows;
    if (now === undefined || now.system_identifier !== manifest.system_identifier) {
      throw new PlainError('What was recovered is not the database that was backed up.');
    }
    return now.timeline;
  } finally {
    await pool.end();
    await server.stop();
  }
}
