import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { masterKeyId } from '../base/sealing.ts';
import { writeDurably } from './copy.ts';
import type { FileOwner } from './copy.ts';
import type { BackupManifest } from './manifest.ts';
import type { Storage } from '../storage/storage.ts';
import { SEGMENT_BYTES, hex, segmentNames } from './wal.ts';
import { macOfSegment, readSegment, recordFile, segmentFile, sha256Of } from './wal-archive.ts';
import type { SegmentRecord } from './wal-archive.ts';

const PER_PART = 0x1_0000_0000 / SEGMENT_BYTES;

export interface ArchivedWalOptions {
  readonly archive: Storage;
  /** The copy of the backup that is about to be recovered. */
  readonly data: string;
  readonly manifest: BackupManifest;
  readonly masterKeys: readonly Buffer[];
  readonly owner: FileOwner | undefined;
}

/**
 * The segments that continue a backup, in their order.
 * Throws: `PlainError` when one is missing.
 */
export async function listArchivedWal(
  archive: Storage,
  manifest: BackupManifest,
): Promise<readonly string[]> {
  const { timeline, start_lsn: startLsn, stop_lsn: stopLsn } = manifest;
  const range = { timeline, startLsn, stopLsn, segmentBytes: SEGMENT_BYTES };
  const first = segmentNames(range).at(-1) ?? '';
  const files = await archive.list(first.slice(0, 8)).catch((error: Error) => {
    throw new PlainError(`${archive.place} cannot be read: ${error.message}`, {
      cause: error,
      field: 'wal',
    });
  });
  const names = files
    .flatMap((file) => /^([0-9A-F]{24})\.json$/.exec(file)?.[1] ?? [])
    .filter((name) => name >= first)
    .toSorted();
  if (names.length === 0) {
    throw new PlainError(
      `${archive.place} lacks ${first}, with which the backup ends. Check the address. Without --wal the backup alone is restored.`,
      { field: 'wal' },
    );
  }
  const there = new Set(files);
  let wanted = first;
  for (const name of names) {
    const missing = name === wanted ? segmentFile(name) : wanted;
    if (name !== wanted || !there.has(missing)) {
      throw new PlainError(`The archive has a gap: ${missing} is missing in ${archive.place}.`);
    }
    wanted = following(name);
  }
  return names;
}

/**
 * Adds archived segments to the copy of a backup, so that recovery replays them. Each is authenticated.
 * Throws: `PlainError` when one is missing, was changed, or is not of this database.
 */
export async function addArchivedWal(
  options: ArchivedWalOptions,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await addSegment(options, name);
}

async function addSegment(options: ArchivedWalOptions, segment: string): Promise<void> {
  const record = await readRecord(options, segment);
  const content = await readSegment(options.archive, segment);
  if (content === undefined) {
    throw new PlainError(
      `The archive has a gap: ${segmentFile(segment)} is missing in ${options.archive.place}.`,
    );
  }
  if (content.length !== SEGMENT_BYTES || sha256Of(content) !== record.sha256) {
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
  { archive, manifest, masterKeys }: ArchivedWalOptions,
  segment: string,
): Promise<SegmentRecord> {
  const file = `${archive.place}/${recordFile(segment)}`;
  let found: SegmentRecord & { readonly mac: string };
  const content = await archive.read(recordFile(segment));
  try {
    found = JSON.parse(content?.toString('utf8') ?? '') as typeof found;
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
    throw new PlainError(`${archive.place} belongs to a different database from the backup.`, {
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
