import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Check } from 'typebox/value';
import { PlainError } from '../../base/plain-error.ts';
import { hashFile, writeDurably } from './copy.ts';

const MANIFEST_FILE = 'manifest.json';

/** Within a backup: PostgreSQL's data folder as it was copied. */
export const DATA_FOLDER = 'data';

const moment = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+Z$' });

const MANIFEST = Type.Object({
  format: Type.Literal(1),
  backup_id: Type.String(),
  /** Major version of PostgreSQL. */
  postgres: Type.String(),
  /** Of the cluster: the same in every copy of it. */
  system_identifier: Type.String(),
  timeline: Type.Integer(),
  /** By the database's clock. What was committed before `ended_at` is in it. */
  started_at: moment,
  ended_at: moment,
  start_lsn: Type.String(),
  stop_lsn: Type.String(),
  /** Ids, not keys: which MASTER_KEY opens the stored secrets. */
  master_key_ids: Type.Array(Type.String()),
  /** Below `data`, parents before children. */
  folders: Type.Array(Type.String()),
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});

export type BackupManifest = Static<typeof MANIFEST>;
export type BackupFile = BackupManifest['files'][number];

/** Written last: a folder without it is no backup. */
export async function writeManifest(backup: string, manifest: BackupManifest): Promise<void> {
  const text = JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, undefined, 1);
  await writeDurably(path.join(backup, MANIFEST_FILE), `${text}\n`);
}

/** Throws: `PlainError` when the folder holds no whole backup, or its list was changed. */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const file = path.join(backup, MANIFEST_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new PlainError(
      `${backup} is no backup, or one that was not finished: it has no ${MANIFEST_FILE}.`,
      { cause: error },
    );
  }
  const { checksum, ...manifest } = parse(text, file);
  if (!Check(MANIFEST, manifest) || !manifest.files.every((entry) => isInside(entry.path))) {
    throw new PlainError(`${file} is not the list of a backup that this version can read.`);
  }
  if (checksum !== checksumOf(manifest)) {
    throw new PlainError(`${file} was changed after it had been written.`);
  }
  return manifest;
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new PlainError(`${file} is damaged.`);
}

function checksumOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** A changed list must not make a restore write elsewhere. */
function isInside(file: string): boolean {
  return !path.isAbsolute(file) && !file.split(/[\\/]/).includes('..');
}

export interface Verification {
  readonly manifest: BackupManifest;
  readonly bytes: number;
  /** What is wrong, one line each; empty: the backup is whole. */
  readonly problems: readonly string[];
}

/**
 * Reads every file of the backup and compares it with the manifest.
 * Throws: `PlainError` when there is no manifest to compare with.
 */
export async function verifyBackup(
  backup: string,
  onProgress: (doneBytes: number, allBytes: number) => void = () => {},
): Promise<Verification> {
  const manifest = await readManifest(backup);
  const data = path.join(backup, DATA_FOLDER);
  const allBytes = totalBytes(manifest);
  const problems: string[] = [];
  let doneBytes = 0;
  for (const file of manifest.files) {
    const found = await hashFile(path.join(data, file.path)).catch((error: Error) => error);
    if (found instanceof Error) {
      problems.push(`${file.path}: ${(found as NodeJS.ErrnoException).code ?? found.message}`);
    } else if (found.bytes !== file.bytes || found.sha256 !== file.sha256) {
      problems.push(`${file.path}: differs from what was backed up`);
    }
    doneBytes += file.bytes;
    onProgress(doneBytes, allBytes);
  }
  const known = new Set([...manifest.folders, ...manifest.files.map((file) => file.path)]);
  // Without the folder every file of it was missing above.
  for (const name of await readdir(data, { recursive: true }).catch((): string[] => [])) {
    if (!known.has(name)) problems.push(`${name}: does not belong to the backup`);
  }
  return { manifest, bytes: allBytes, problems };
}

export function totalBytes(manifest: Pick<BackupManifest, 'files'>): number {
  return manifest.files.reduce((sum, file) => sum + file.bytes, 0);
}
