import { PlainError } from '../base/plain-error.ts';
import type { Storage } from '../storage/storage.ts';
import { MANIFEST_FILE, readManifest, totalBytes } from './manifest.ts';
import type { BackupManifest } from './manifest.ts';
import { inParallel } from './stored.ts';
import { SEGMENT_BYTES, segmentNames } from './wal.ts';

/** A complete backup in a folder or bucket. */
export interface StoredBackup {
  /** Relative to that folder or bucket. */
  readonly name: string;
  readonly backupId: string;
  readonly endedAt: string;
  readonly bytes: number;
  readonly manifest: BackupManifest;
}

/** The complete backups directly below a folder or a bucket's prefix, oldest first. Throws: `PlainError` if one is damaged. */
export async function listBackups(place: Storage): Promise<StoredBackup[]> {
  const end = `/${MANIFEST_FILE}`;
  const found = (await place.list()).filter(
    (name) => name.split('/').length === 2 && name.endsWith(end),
  );
  const backups: StoredBackup[] = [];
  for (const file of found) {
    const name = file.slice(0, -end.length);
    const { manifest } = await readManifest(below(place, name), []);
    const { backup_id: backupId, ended_at: endedAt } = manifest;
    backups.push({ name, backupId, endedAt, bytes: totalBytes(manifest), manifest });
  }
  return backups.toSorted((one, other) => (one.endedAt < other.endedAt ? -1 : 1));
}

function below(place: Storage, folder: string): Storage {
  return {
    ...place,
    place: `${place.place}/${folder}`,
    read: async (name, range) => await place.read(`${folder}/${name}`, range),
  };
}

export interface Expired {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Files of segments that no kept backup needs. */
  readonly segments: number;
}

/**
 * Removes all but the newest backups, and from the archive what only they needed. A backup loses its
 * manifest first, so that a half removed one is never taken for a backup.
 * Throws: `PlainError` if the backups are of several databases.
 */
export async function expireBackups(
  place: Storage,
  options: { readonly keep: number; readonly wal: Storage | undefined },
): Promise<Expired> {
  const backups = await listBackups(place);
  const clusters = new Set(backups.map(({ manifest }) => manifest.system_identifier));
  if (clusters.size > 1) {
    throw new PlainError(
      `${place.place} has backups of ${clusters.size} databases. Give each database a place of its own.`,
    );
  }
  const kept = backups.slice(-options.keep);
  const removed = backups.slice(0, -options.keep);
  for (const { name } of removed) {
    await place.remove(`${name}/${MANIFEST_FILE}`);
    await place.removeFolder(name);
  }
  const segments =
    options.wal === undefined || kept.length === 0 ? 0 : await removeSegments(options.wal, kept);
  return {
    removed: removed.map(({ name }) => name),
    kept: kept.map(({ name }) => name),
    segments,
  };
}

/**
 * The name without its timeline decides. A restore goes back to an earlier position of the log, so
 * that a newer backup may begin before an older one: the earliest position of all is kept.
 */
async function removeSegments(archive: Storage, kept: readonly StoredBackup[]): Promise<number> {
  const [first = ''] = kept.map(({ manifest }) => firstSegment(manifest)).toSorted();
  const old = (await archive.list()).filter((name) => {
    const [, segment] = /^[0-9A-F]{8}([0-9A-F]{16})\.(?:gz|json)$/.exec(name) ?? [];
    return segment !== undefined && segment < first;
  });
  // A record first: a segment without one is not in the archive.
  const records = old.filter((name) => name.endsWith('.json'));
  await inParallel(records, async (name) => await archive.remove(name));
  await inParallel(
    old.filter((name) => !name.endsWith('.json')),
    async (name) => await archive.remove(name),
  );
  return old.length;
}

/** Without its timeline. */
function firstSegment({
  timeline,
  start_lsn: startLsn,
  stop_lsn: stopLsn,
}: BackupManifest): string {
  const range = { timeline, startLsn, stopLsn, segmentBytes: SEGMENT_BYTES };
  return (segmentNames(range)[0] ?? '').slice(8);
}
