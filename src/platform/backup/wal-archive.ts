import { readFile } from 'node:fs/promises';
import { createHash, createSecretKey } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { hmac } from '../base/mac.ts';
import { PlainError } from '../base/plain-error.ts';
import { deriveKey, masterKeyId } from '../base/sealing.ts';
import type { Pool } from '../db/pool.ts';
import { contentOf } from '../storage/storage.ts';
import type { Storage } from '../storage/storage.ts';
import { ARCHIVE_SLOT } from './store.ts';
import { SEGMENT_BYTES, segmentNames } from './wal.ts';

export interface WalArchiveOptions {
  /** The server that runs on `data`. The user must be a superuser. */
  readonly pool: Pool;
  readonly data: string;
  readonly archive: Storage;
  /** Authenticates each segment, as that of a backup. */
  readonly masterKey: Buffer;
}

/** The JSON file that lies next to each archived segment and describes it. */
export interface SegmentRecord {
  readonly segment: string;
  readonly system_identifier: string;
  readonly bytes: number;
  /** Covers the segment itself, not the compressed file. */
  readonly sha256: string;
  readonly authenticated_with: string;
}

export const recordFile = (segment: string): string => `${segment}.json`;
export const segmentFile = (segment: string): string => `${segment}.gz`;

export function macOfSegment(record: SegmentRecord, masterKey: Buffer): string {
  const key = createSecretKey(deriveKey(masterKey, 'malipo wal archive'));
  const { segment, system_identifier, bytes, sha256, authenticated_with } = record;
  const parts = [segment, system_identifier, bytes, sha256, authenticated_with];
  return hmac(key, JSON.stringify(parts), 'hex');
}

interface Position {
  readonly timeline: number;
  readonly systemIdentifier: string;
  readonly segmentBytes: number;
  /** Everything before this position is in the archive. */
  readonly archivedLsn: string;
  /** The end of the last segment that is complete. */
  readonly completeLsn: string;
}

/**
 * Ends the current segment of the WAL and copies every complete segment into the archive. Called
 * every minute, it bounds what a lost machine can lose to about that. The server keeps what is not
 * archived yet. Returns the names of the segments copied now.
 * Throws: `PlainError` when the archive belongs to another database, or was away for so long that the
 * server had to remove WAL; any error from reading or writing.
 */
export async function archiveWal(options: WalArchiveOptions): Promise<readonly string[]> {
  const { pool, archive } = options;
  const hasGap = await keepWal(pool);
  await pool.query('select pg_switch_wal()');
  const position = await readPosition(pool);
  const names =
    position.archivedLsn === position.completeLsn
      ? []
      : segmentNames({
          ...position,
          startLsn: position.archivedLsn,
          stopLsn: position.completeLsn,
        });
  for (const name of names) await archiveSegment(options, position, name);
  if (names.length > 0) {
    await pool.query('select pg_replication_slot_advance($1, $2)', [
      ARCHIVE_SLOT,
      position.completeLsn,
    ]);
  }
  if (hasGap) {
    throw new PlainError(
      `The archive of the WAL in ${archive.place} has a gap: it was unavailable for so long that the server had to remove WAL. Take a new backup now; only backups that are taken from now on can be restored with the archive.`,
    );
  }
  return names;
}

/** Creates the slot. Returns whether it was there and the WAL that it was to keep is lost. */
async function keepWal(pool: Pool): Promise<boolean> {
  const found = await pool.query<{ lost: boolean }>(
    `select wal_status = 'lost' as lost from pg_replication_slots where slot_name = $1`,
    [ARCHIVE_SLOT],
  );
  const isLost = found.rows[0]?.lost === true;
  if (isLost) await pool.query('select pg_drop_replication_slot($1)', [ARCHIVE_SLOT]);
  if (isLost || found.rowCount === 0) {
    await pool.query('select pg_create_physical_replication_slot($1, true)', [ARCHIVE_SLOT]);
  }
  return isLost;
}

/** Without an archive, the server need not keep its WAL for it. */
export async function forgetArchive(pool: Pool): Promise<void> {
  await pool.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
    [ARCHIVE_SLOT],
  );
}

async function readPosition(pool: Pool): Promise<Position> {
  const read = await pool.query<Position>(
    `with server as (
       select (select setting::integer from pg_settings where name = 'wal_segment_size') as size,
         pg_current_wal_flush_lsn() as flushed)
     select ('x' || left(pg_walfile_name(flushed), 8))::bit(32)::integer as timeline,
       (select system_identifier::text from pg_control_system()) as "systemIdentifier",
       size as "segmentBytes",
       (select restart_lsn::text from pg_replication_slots where slot_name = $1) as "archivedLsn",
       ('0/0'::pg_lsn + floor((flushed - '0/0'::pg_lsn) / size) * size)::text as "completeLsn"
     from server`,
    [ARCHIVE_SLOT],
  );
  const [position] = read.rows;
  if (position === undefined) throw new Error('the position of the WAL is not known');
  return position;
}

async function archiveSegment(
  { data, archive, masterKey }: WalArchiveOptions,
  position: Position,
  segment: string,
): Promise<void> {
  const content = await readFile(path.join(data, 'pg_wal', segment));
  const record: SegmentRecord = {
    segment,
    system_identifier: position.systemIdentifier,
    bytes: content.length,
    sha256: sha256Of(content),
    authenticated_with: masterKeyId(masterKey),
  };
  // The rest of a segment that was ended early is zeros.
  const compressed = await promisify(gzip)(content, { level: 1 });
  const name = segmentFile(segment);
  if (!(await archive.create(name, contentOf(compressed)))) {
    const found = await readSegment(archive, segment);
    if (found === undefined || sha256Of(found) !== record.sha256) throw another(archive, name);
  }
  const text = JSON.stringify({ ...record, mac: macOfSegment(record, masterKey) });
  // The record comes last: a segment without one is not in the archive.
  if (await archive.create(recordFile(segment), contentOf(`${text}\n`))) return;
  const recorded = await archive.read(recordFile(segment));
  const { sha256 } = JSON.parse(recorded?.toString('utf8') ?? '{}') as Partial<SegmentRecord>;
  if (sha256 !== record.sha256) throw another(archive, recordFile(segment));
}

function another({ place }: Storage, name: string): PlainError {
  return new PlainError(
    `${place}/${name} is of another database, or of a service that runs on a copy of this one. Give each database an archive of its own.`,
  );
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The content of an archived segment; empty if it is damaged, undefined if it is missing. */
export async function readSegment(archive: Storage, segment: string): Promise<Buffer | undefined> {
  const compressed = await archive.read(segmentFile(segment));
  if (compressed === undefined) return undefined;
  const limits = { maxOutputLength: SEGMENT_BYTES };
  return await promisify(gunzip)(compressed, limits).catch(() => Buffer.alloc(0));
}
