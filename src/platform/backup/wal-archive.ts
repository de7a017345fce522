import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createHash, createSecretKey } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { hmac } from '../base/mac.ts';
import { PlainError } from '../base/plain-error.ts';
import { deriveKey, masterKeyId } from '../base/sealing.ts';
import type { Pool } from '../db/pool.ts';
import { syncFolder, writeDurably } from './copy.ts';
import { segmentNames } from './wal.ts';

/** The slot keeps the WAL on the server until it is in the archive. */
const SLOT = 'malipo_wal_archive';

export interface WalArchiveOptions {
  /** The server that runs on `data`. The user must be a superuser. */
  readonly pool: Pool;
  readonly data: string;
  /** Of the archive: on another machine, or mounted from there. Created if missing. */
  readonly folder: string;
  /** Authenticates each segment, as that of a backup. */
  readonly masterKey: Buffer;
}

/** What is known about an archived segment, in a file next to it. */
export interface SegmentRecord {
  readonly segment: string;
  readonly system_identifier: string;
  readonly bytes: number;
  /** Of the segment, not of the compressed file. */
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
  /** What is before it is in the archive. */
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
  const { pool, folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
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
    await syncFolder(folder);
    await pool.query('select pg_replication_slot_advance($1, $2)', [SLOT, position.completeLsn]);
  }
  if (hasGap) {
    throw new PlainError(
      `The archive of the WAL in ${folder} has a gap: it was away for so long that the server had to remove WAL. Take a new backup now; only backups from now on can be continued with the archive.`,
    );
  }
  return names;
}

/** Creates the slot. Returns whether it was there and the WAL that it was to keep is lost. */
async function keepWal(pool: Pool): Promise<boolean> {
  const found = await pool.query<{ lost: boolean }>(
    `select wal_status = 'lost' as lost from pg_replication_slots where slot_name = $1`,
    [SLOT],
  );
  const isLost = found.rows[0]?.lost === true;
  if (isLost) await pool.query('select pg_drop_replication_slot($1)', [SLOT]);
  if (isLost || found.rowCount === 0) {
    await pool.query('select pg_create_physical_replication_slot($1, true)', [SLOT]);
  }
  return isLost;
}

/** Without an archive, the server need not keep its WAL for it. */
export async function forgetArchive(pool: Pool): Promise<void> {
  await pool.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
    [SLOT],
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
    [SLOT],
  );
  const [position] = read.rows;
  if (position === undefined) throw new Error('the position of the WAL is not known');
  return position;
}

async function archiveSegment(
  { data, folder, masterKey }: WalArchiveOptions,
  position: Position,
  segment: string,
): Promise<void> {
  const content = await readFile(path.join(data, 'pg_wal', segment));
  const record: SegmentRecord = {
    segment,
    system_identifier: position.systemIdentifier,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    authenticated_with: masterKeyId(masterKey),
  };
  await refuseAnother(folder, record);
  // The rest of a segment that was ended early is zeros.
  const compressed = await promisify(gzip)(content, { level: 1 });
  await replace(path.join(folder, segmentFile(segment)), compressed);
  const text = JSON.stringify({ ...record, mac: macOfSegment(record, masterKey) });
  // The record comes last: a segment without one is not in the archive.
  await replace(path.join(folder, recordFile(segment)), `${text}\n`);
}

/** Throws: `PlainError` if the archive has a segment of this name from another database. */
async function refuseAnother(folder: string, record: SegmentRecord): Promise<void> {
  const file = path.join(folder, recordFile(record.segment));
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const { sha256 } = JSON.parse(text) as Partial<SegmentRecord>;
  if (sha256 === undefined || sha256 === record.sha256) return;
  throw new PlainError(
    `${file} is of another database, or of a service that runs on a copy of this one. Give each database an archive of its own.`,
  );
}

async function replace(file: string, content: string | Buffer): Promise<void> {
  const part = `${file}.part`;
  await rm(part, { force: true });
  await writeDurably(part, content);
  await rename(part, file);
}
