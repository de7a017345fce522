import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { findPostgresPackage } from '../embedded/binaries.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { openClusterFolder } from '../embedded/folder.ts';
import type { ClusterFolder } from '../embedded/folder.ts';
import { formatIdentity, identifyOurselves } from '../embedded/process.ts';
import { renameUnlessThere } from '../embedded/rename.ts';
import { findServerUser } from '../embedded/user.ts';
import { createPool } from '../db/pool.ts';
import { addArchivedWal, listArchivedWal } from './archived-wal.ts';
import type { Storage } from '../storage/storage.ts';
import { syncFolder } from '../sync-folder.ts';
import { makeFolder, writeDurably } from './copy.ts';
import type { FileOwner } from './copy.ts';
import { readManifest, totalBytes } from './manifest.ts';
import type { BackupManifest } from './manifest.ts';
import { removeMarker, writeMarker } from './marker.ts';
import { copyStored } from './stored.ts';

export interface RestoreOptions {
  readonly backup: Storage;
  /** `DATA_DIR/postgres` of the new service. It must not contain a database. */
  readonly folder: string;
  /** One of these must authenticate the backup's manifest. */
  readonly masterKeys: readonly Buffer[];
  /** True: restore the backup although its master key is not among them. */
  readonly unauthenticated?: boolean;
  /** Continues the backup with the WAL of this archive … */
  readonly wal?: Storage | undefined;
  /** … up to this time. Undefined: to its end. */
  readonly until?: Date | undefined;
  readonly log: (line: string) => void;
  readonly onProgress?: (what: string, doneBytes: number, allBytes: number) => void;
}

export interface Restored {
  readonly manifest: BackupManifest;
  readonly bytes: number;
  /** The restored database continues with this one. */
  readonly timeline: number;
  /** Segments of the WAL archive that recovery replayed. */
  readonly segments: number;
  /** When its last commit was made; undefined if nothing was committed after the backup began. */
  readonly lastCommitAt: Date | undefined;
}

/**
 * Creates a data folder from a backup. It copies the files into a temporary folder, compares each
 * with the manifest, and runs a server there until recovery has finished. If the cluster has the
 * same identifier and a new timeline, it renames the folder into place. A failure or a kill before
 * that leaves no database behind. The marker in the folder puts the first start into quarantine.
 * Throws: `PlainError` or `EmbeddedDatabaseError` when the target holds a database, the backup is
 * damaged or of another version of PostgreSQL, or the disk is full.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { manifest, authenticity } = await readManifest(options.backup, options.masterKeys);
  const authentic = authenticity === 'authentic';
  if (!authentic && options.unauthenticated !== true) throw unknownAuthor(manifest);
  refuseUnreachable(options, manifest, authentic);
  const folder = await prepareTarget(options.folder, manifest);
  const { wal, until, masterKeys, log } = options;
  // Before the copy, which takes long.
  const segments = wal === undefined ? [] : await listArchivedWal(wal, manifest);
  const user = await findServerUser(folder.data);
  const unique = `${formatIdentity(await identifyOurselves())}-${randomBytes(4).toString('hex')}`;
  // The name that an unfinished first start has, so that the next start clears it away after a
  // kill.
  const temporary = path.join(folder.path, `new-${unique}`);
  try {
    await mkdir(temporary, { mode: 0o700 });
    if (user !== undefined) {
      await chown(folder.path, user.uid, user.gid);
      await chown(temporary, user.uid, user.gid);
    }
    const data = path.join(temporary, 'data');
    await copyBack(manifest, data, { ...options, owner: user });
    if (!authentic) await replaceConfiguration(data, user);
    const copy = { data, manifest, masterKeys, owner: user };
    if (wal !== undefined) await addArchivedWal({ ...copy, archive: wal }, segments);
    await writeDurably(path.join(data, 'recovery.signal'), '', user);
    const { timeline, lastCommitAt } = await recover(temporary, manifest, { until, log });
    if (wal !== undefined) await moveMarker(data, { manifest, lastCommitAt, owner: user });
    if (!(await renameUnlessThere(data, folder.data))) throw refusal(folder.path);
    await syncFolder(folder.path);
    const bytes = totalBytes(manifest);
    return { manifest, bytes, timeline, segments: segments.length, lastCommitAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new PlainError(`There is not enough space for the database in ${folder.path}.`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    // The next start clears away what cannot be removed now.
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function prepareTarget(folder: string, manifest: BackupManifest): Promise<ClusterFolder> {
  const { major } = await findPostgresPackage(undefined);
  if (major !== manifest.postgres) {
    throw new PlainError(
      `The backup is of PostgreSQL ${manifest.postgres}, but this version of Malipo includes ${major}. Restore it with the version of Malipo that took it.`,
    );
  }
  const target = await openClusterFolder(path.resolve(folder), major);
  if (target.initialised) throw refusal(target.path);
  return target;
}

function refusal(folder: string): PlainError {
  return new PlainError(
    `${folder} already holds a database, and a restore never replaces one. Use another --data-dir, or move the database away.`,
    { field: 'data_dir' },
  );
}

async function copyBack(
  manifest: BackupManifest,
  data: string,
  options: RestoreOptions & { readonly owner: FileOwner | undefined },
): Promise<void> {
  const allBytes = totalBytes(manifest);
  await makeFolder(data, options.owner);
  for (const folder of manifest.folders) await makeFolder(path.join(data, folder), options.owner);
  let doneBytes = 0;
  for (const file of manifest.files) {
    const to = path.join(data, file.path);
    const digest = await copyStored(options.backup, file, to, options.owner);
    if (digest === undefined) {
      throw new PlainError(`The backup is damaged: ${file.path} is missing.`);
    }
    if (digest.bytes !== file.bytes || digest.sha256 !== file.sha256) {
      throw new PlainError(
        `The backup is damaged: ${file.path} differs from what was backed up. \`malipo backup verify\` lists everything that is wrong.`,
      );
    }
    doneBytes += file.bytes;
    options.onProgress?.('copying', doneBytes, allBytes);
  }
}

function unknownAuthor(manifest: BackupManifest): PlainError {
  return new PlainError(
    `The backup cannot be authenticated: that needs the MASTER_KEY with id ${manifest.authenticated_with}, under which it was taken. Set MASTER_KEY (or MASTER_KEY_PREVIOUS) to it, or copy the former DATA_DIR's file master-key into the new one. If that key is lost and you are sure that nobody changed the backup, add --unauthenticated.`,
  );
}

/**
 * The backup's server configuration is not used. Anyone may have changed it, and it can name
 * commands and libraries that every later start would run. Our own settings are arguments.
 */
async function replaceConfiguration(data: string, owner: FileOwner | undefined): Promise<void> {
  const texts = {
    'postgresql.conf': '# Replaced by a restore: the backup could not be authenticated.\n',
    'postgresql.auto.conf': '',
    'pg_hba.conf': 'host all all 127.0.0.1/32 scram-sha-256\n',
    'pg_ident.conf': '',
  };
  for (const [name, text] of Object.entries(texts)) {
    await rm(path.join(data, name), { recursive: true, force: true });
    await writeDurably(path.join(data, name), text, owner);
  }
}

/**
 * Runs as an archive recovery from the WAL in the backup, so that it ends on a new timeline. The
 * backup's configuration files must not run anything: every PostgreSQL setting that names a
 * command, a library or another server is set here, and arguments override files.
 */
export const RECOVERY_SETTINGS = {
  restore_command: 'false',
  recovery_end_command: '',
  archive_cleanup_command: '',
  archive_mode: 'off',
  archive_command: '',
  archive_library: '',
  shared_preload_libraries: '',
  session_preload_libraries: '',
  local_preload_libraries: '',
  dynamic_library_path: '$libdir',
  jit_provider: 'llvmjit',
  ssl: 'off',
  ssl_passphrase_command: '',
  primary_conninfo: '',
  oauth_validator_libraries: '',
  // Event triggers, such as on login, that a changed catalog may hold.
  event_triggers: 'off',
  external_pid_file: '',
  logging_collector: 'off',
  // Nobody may connect before recovery has finished.
  hot_standby: 'off',
};

/** Throws: `PlainError` if the archive cannot be used, or the time is not one that it can reach. */
function refuseUnreachable(
  { wal, until }: RestoreOptions,
  manifest: BackupManifest,
  authentic: boolean,
): void {
  if (wal !== undefined && !authentic) {
    throw new PlainError(
      '--wal needs the MASTER_KEY: an archive is never replayed unauthenticated.',
    );
  }
  if (until === undefined) return;
  if (wal === undefined) throw new PlainError('--until needs --wal, the archive of the WAL.');
  if (until.getTime() < Date.parse(manifest.ended_at)) {
    throw new PlainError(
      `--until is before the end of this backup, ${manifest.ended_at}. Restore an earlier one.`,
      { field: 'until' },
    );
  }
}

/** Operators' clocks differ from ours. */
const CLOCK_MARGIN_MS = 5 * 60_000;

/** The missing period begins with the last commit that was replayed, not with the backup. */
async function moveMarker(
  data: string,
  of: {
    readonly manifest: BackupManifest;
    readonly lastCommitAt: Date | undefined;
    readonly owner: FileOwner | undefined;
  },
): Promise<void> {
  const startedAt = Date.parse(of.manifest.started_at);
  const lastAt = (of.lastCommitAt?.getTime() ?? startedAt) - CLOCK_MARGIN_MS;
  await removeMarker(data);
  const lostFrom = new Date(Math.max(startedAt, lastAt));
  await writeMarker(data, { backupId: of.manifest.backup_id, lostFrom }, of.owner);
}

/** The settings of a recovery that stops at a time. */
function untilSettings(until: Date | undefined): Readonly<Record<string, string>> {
  if (until === undefined) return {};
  // Names of time zones, even Z, are not known yet when the server reads its settings.
  const time = until.toISOString().replace('Z', '+00');
  return { recovery_target_time: time, recovery_target_action: 'promote' };
}

interface Recovered {
  readonly timeline: number;
  readonly lastCommitAt: Date | undefined;
}

/** Runs a server on the copy until recovery has finished, then stops it. */
async function recover(
  temporary: string,
  manifest: BackupManifest,
  { until, log }: { readonly until: Date | undefined; readonly log: (line: string) => void },
): Promise<Recovered> {
  const settings = { ...RECOVERY_SETTINGS, ...untilSettings(until) };
  const server = await startEmbedded({ folder: temporary, log, settings }).catch(
    (error: unknown) => {
      if (!/before configured recovery target was reached/.test(String(error))) throw error;
      throw new PlainError(
        `The archive ends before ${until?.toISOString()}. Give an earlier --until, or leave it out for everything that the archive has.`,
        { cause: error, field: 'until' },
      );
    },
  );
  const pool = createPool({ url: server.url, max: 1, name: 'restore' });
  try {
    const read = await pool.query<{
      timeline: number;
      systemIdentifier: string;
      lastCommitAt: Date | null;
    }>(
      `select pg_last_xact_replay_timestamp() as "lastCommitAt", (pg_split_walfile_name(pg_walfile_name(pg_current_wal_lsn()))).timeline_id::integer as timeline,
         (select system_identifier::text from pg_control_system()) as "systemIdentifier"`,
    );
    const [now] = read.rows;
    if (now === undefined || now.systemIdentifier !== manifest.system_identifier) {
      throw new PlainError('The recovered database is not the one that was backed up.');
    }
    return { timeline: now.timeline, lastCommitAt: now.lastCommitAt ?? undefined };
  } finally {
    await pool.end();
    await server.stop();
  }
}
