import { createHash, createSecretKey, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import { PlainError } from '../base/plain-error.ts';
import { hmac } from '../base/mac.ts';
import { deriveKey, masterKeyId } from '../base/sealing.ts';
import type { Storage } from '../storage/storage.ts';
import { writeDurably } from './copy.ts';
import { DATA_FOLDER, readStored } from './stored.ts';

export const MANIFEST_FILE = 'manifest.json';

const moment = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+Z$' });

const MANIFEST = Type.Object({
  format: Type.Literal(2),
  backup_id: Type.String(),
  /** Major version of PostgreSQL. */
  postgres: Type.String(),
  /** The cluster's system identifier, the same in every copy of it. */
  system_identifier: Type.String(),
  timeline: Type.Integer(),
  /** By the database's clock. The backup contains everything committed before `ended_at`. */
  started_at: moment,
  ended_at: moment,
  start_lsn: Type.String(),
  stop_lsn: Type.String(),
  /** Id of the MASTER_KEY that the manifest is authenticated with. */
  authenticated_with: Type.String(),
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
/** A manifest before it is authenticated. */
export type BackupContent = Omit<BackupManifest, 'authenticated_with'>;
export type BackupFile = BackupManifest['files'][number];

/** Written last: a folder without a manifest is not a backup. @param masterKey 32 bytes. */
export async function writeManifest(
  backup: string,
  content: BackupContent,
  masterKey: Buffer,
): Promise<BackupManifest> {
  const manifest = { ...content, authenticated_with: masterKeyId(masterKey) };
  const sealed = { ...manifest, checksum: checksumOf(manifest), mac: macOf(manifest, masterKey) };
  await writeDurably(path.join(backup, MANIFEST_FILE), `${JSON.stringify(sealed, undefined, 1)}\n`);
  return manifest;
}

/** `authentic`: an installation that had one of our master keys wrote the manifest. */
export type Authenticity = 'authentic' | 'key_missing';

export interface ReadManifest {
  readonly manifest: BackupManifest;
  /** `key_missing`: its master key is not among the given ones, so anyone could have written it. */
  readonly authenticity: Authenticity;
}

/**
 * Reads the manifest and checks it as far as the master keys allow.
 * Throws: `PlainError` when the folder holds no whole backup, or its manifest was changed.
 */
export async function readManifest(
  backup: Storage,
  masterKeys: readonly Buffer[],
): Promise<ReadManifest> {
  const file = `${backup.place}/${MANIFEST_FILE}`;
  const content = await backup.read(MANIFEST_FILE);
  if (content === undefined) {
    throw new PlainError(
      `${backup.place} is not a backup, or the backup was not finished: ${MANIFEST_FILE} is missing.`,
    );
  }
  const { checksum, mac, ...manifest } = parse(content.toString('utf8'), file);
  if (!Check(MANIFEST, manifest) || !pathsOf(manifest).every(isInside)) {
    throw new PlainError(`${file} is not a backup manifest that this version can read.`);
  }
  if (checksum !== checksumOf(manifest)) {
    throw new PlainError(`${file} was changed after it had been written.`);
  }
  const key = masterKeys.find((one) => masterKeyId(one) === manifest.authenticated_with);
  if (key === undefined) return { manifest, authenticity: 'key_missing' };
  if (!isMac(mac, macOf(manifest, key))) {
    throw new PlainError(`${file} was not written with this MASTER_KEY: the backup was changed.`);
  }
  return { manifest, authenticity: 'authentic' };
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The error is reported below.
  }
  throw new PlainError(`${file} is damaged.`);
}

function checksumOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** The checksum detects damage; only this check detects a deliberate change. */
function macOf(manifest: BackupManifest, masterKey: Buffer): string {
  const key = createSecretKey(deriveKey(masterKey, 'malipo backup manifest'));
  return hmac(key, JSON.stringify(manifest), 'hex');
}

function isMac(found: unknown, expected: string): boolean {
  const claimed = Buffer.from(String(found));
  return claimed.length === expected.length && timingSafeEqual(claimed, Buffer.from(expected));
}

function pathsOf(manifest: BackupManifest): string[] {
  return [...manifest.folders, ...manifest.files.map((file) => file.path)];
}

/** A changed manifest must not make a restore write outside the target folder. */
function isInside(name: string): boolean {
  return name.split(/[\\/]/).every((part) => part !== '' && part !== '.' && part !== '..');
}

export interface Verification extends ReadManifest {
  readonly bytes: number;
  /** The problems found, one line each; empty if the backup is complete. */
  readonly problems: readonly string[];
}

/**
 * Reads every file of the backup and compares it with the manifest.
 * Throws: `PlainError` when there is no manifest to compare with.
 */
export async function verifyBackup(
  backup: Storage,
  masterKeys: readonly Buffer[],
  onProgress: (doneBytes: number, allBytes: number) => void = () => {},
): Promise<Verification> {
  const { manifest, authenticity } = await readManifest(backup, masterKeys);
  const allBytes = totalBytes(manifest);
  const problems: string[] = [];
  let doneBytes = 0;
  for (const file of manifest.files) {
    const found = await readStored(backup, file).catch((error: Error) => error);
    if (found === undefined) problems.push(`${file.path}: is missing`);
    else if (found instanceof Error) {
      problems.push(`${file.path}: ${(found as NodeJS.ErrnoException).code ?? found.message}`);
    } else if (found.bytes !== file.bytes || found.sha256 !== file.sha256) {
      problems.push(`${file.path}: differs from what was backed up`);
    }
    doneBytes += file.bytes;
    onProgress(doneBytes, allBytes);
  }
  const known = new Set(manifest.files.map((file) => file.path));
  for (const name of await backup.list(`${DATA_FOLDER}/`)) {
    const below = name.slice(DATA_FOLDER.length + 1);
    if (!known.has(below)) problems.push(`${below}: does not belong to the backup`);
  }
  return { manifest, authenticity, bytes: allBytes, problems };
}

export function totalBytes(manifest: Pick<BackupManifest, 'files'>): number {
  return manifest.files.reduce((sum, file) => sum + file.bytes, 0);
}
