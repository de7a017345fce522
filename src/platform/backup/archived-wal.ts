import { createHash } from 'node:crypto';
import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PlainError } from '../base/plain-error.ts';
import { masterKeyId } from '../base/sealing.ts';
import { writeDurably } from './copy.ts';
import type { FileOwner } from './copy.ts';
import type { BackupManifest } from './manifest.ts';
import { hex, segmentNames } from './wal.ts';
import { macOfSegment, recordFile, segmentFile } from './wal-archive.ts';
import type { SegmentRecord } from './wal-archive.ts';

/** That of a server whose `initdb` was not told otherwise, as ours never is. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
const PER_PART = 0x1_0000_0000 / SEGMENT_BYTES;

export interface ArchivedWalOptions {
  /** The archive. */
  readonly folder: string;
  /** The copy of the backup that is about to be recovered. */
  readonly data: string;
  readonly manifest: BackupManifest;
  readonly masterKeys: readonly Buffer[];
  readonly owner: FileOwner | undefined;
}

/**
 * Adds the archived WAL that continues a backup to its copy, so that recovery replays it. Each
 * segment is authenticated. Returns the number of segments.
 * Throws: `PlainError` when one is missing, was changed, or is not of this database.
 */
export async function addArchivedWal(options: ArchivedWalOptions): Promise<number> {
  const { folder, manifest } = options;
  const { timeline, start_lsn: startLsn, stop_lsn: stopLsn } = manifest;
  const range = { timeline, startLsn, stopLsn, segmentBytes: SEGMENT_BYTES };
  const first = segmentNames(range).at(-1) ?? '';
  const files = await readdir(folder).catch((error: Error) => {
    throw new PlainError(`${folder} cannot be read: ${error.message}`, {
      cause: error,
      field: 'wal',
    });
  });
  const names = files
    .flatMap((file) => /^([0-9A-F]{24})\.json$/.exec(file)?.[1] ?? [])
    .filter((name) => name.slice(0, 8) === first.slice(0, 8) && name >= first)
    .toSorted();
  let wanted = first;
  for (const name of names) {
    if (name !== wanted) {
      throw new PlainError(`The archive has a gap: ${wanted} is missing in ${folder}.`);
    }
    await addSegment(options, name);
    wanted = following(name);
  }
  return names.length;
}

async function addSegment(options: ArchivedWalOptions, segment: string): Promise<void> {
  const record = await readRecord(options, segment);
  const compressed = await readFile(path.join(options.folder, segmentFile(segment)));
  const limits = { maxOutputLength: SEGMENT_BYTES };
  const content = await promisify(gunzip)(compressed, limits).catch(() => Buffer.alloc(0));
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (content.length !== SEGMENT_BYTES || sha256 !== record.sha256) {
    throw new PlainError(
      `The archive is damaged: ${segmentFile(segment)} is not what was archived.`,
    );
  }
  const target = path.join(options.data, 'pg_wal', segment);
  // The last segment of the backup was not complete yet.
  await rm(target, { force: true });
  await writeDurably(target, content, options.owner);
}

async function readRecord(
  { folder, manifest, masterKeys }: ArchivedWalOptions,
  segment: string,
): Promise<SegmentRecord> {
  const file = path.join(folder, recordFile(segment));
  let found: SegmentRecord & { readonly mac: string };
  try {
    found = JSON.parse(await readFile(file, 'utf8')) as typeof found;
  } catch (error) {
    throw new PlainError(`${file} is damaged.`, { cause: error });
  }
  const key = masterKeys.find((one) => masterKeyId(one) === found.authenticated_with);
  if (key === undefined) {
    throw new PlainError(
      `${file} cannot be authenticated: that needs the MASTER_KEY with id ${found.authenticated_with}. Set MASTER_KEY or MASTER_KEY_PREVIOUS to it.`,
    );
  }
  if (found.segment !== segment || macOfSegment(found, key) !== found.mac) {
    throw new PlainError(`${file} was not written with this MASTER_KEY: the archive was changed.`);
  }
  if (found.system_identifier !== manifest.system_identifier) {
    throw new PlainError(`${folder} is the archive of another database than the backup.`, {
      field: 'wal',
    });
  }
  return found;
}

/** The name of the next segment of the timeline. */
function following(name: string): string {
  const [high, low] = [name.slice(8, 16), name.slice(16)].map((part) => Number.parseInt(part, 16));
  const next = (high ?? 0) * PER_PART + (low ?? 0) + 1;
  return name.slice(0, 8) + hex(Math.floor(next / PER_PART)) + hex(next % PER_PART);
}
