import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { syncFolder, writeDurably } from './copy.ts';
import type { Digest, FileOwner } from './copy.ts';

/**
 * Lies in the data folder of every backup, never in one that is served: whoever starts on the copy,
 * restored by command or by hand, finds it and enters quarantine before anything is sent.
 */
const MARKER_FILE = 'malipo.quarantine';

export interface Marker {
  /** Of the backup: its quarantine is entered once. */
  readonly backupId: string;
  /** The books of the copy lack what was done from then on. */
  readonly lostFrom: Date;
}

export function markerIn(data: string): string {
  return path.join(data, MARKER_FILE);
}

export async function writeMarker(
  data: string,
  marker: Marker,
  owner?: FileOwner,
): Promise<{ readonly path: string } & Digest> {
  const text = JSON.stringify({
    backup_id: marker.backupId,
    lost_from: marker.lostFrom.toISOString(),
  });
  return { path: MARKER_FILE, ...(await writeDurably(markerIn(data), `${text}\n`, owner)) };
}

/** The marker in a data folder, or undefined. Throws: `PlainError` when it is damaged. */
export async function readMarker(data: string): Promise<Marker | undefined> {
  const file = markerIn(data);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { backup_id: backupId, lost_from: from } = JSON.parse(text) as Record<string, unknown>;
    const lostFrom = new Date(String(from));
    if (typeof backupId === 'string' && !Number.isNaN(lostFrom.getTime())) {
      return { backupId, lostFrom };
    }
  } catch {
    // Said below.
  }
  throw new PlainError(
    `${file} is damaged. It says since when the restored books lack what was done; restore the backup again.`,
  );
}

/** Once the quarantine is in the database. */
export async function removeMarker(data: string): Promise<void> {
  await rm(markerIn(data), { force: true });
  await syncFolder(data);
}
