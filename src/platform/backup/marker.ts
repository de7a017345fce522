import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { syncFolder } from '../sync-folder.ts';
import { writeDurably } from './copy.ts';
import type { Digest, FileOwner } from './copy.ts';

/**
 * This file is in the data folder of every backup, and never in a folder that is being served. A
 * service that starts on a restored copy finds the marker and enters quarantine before it sends
 * anything. It makes no difference whether a command or a person restored the copy.
 */
const MARKER_FILE = 'malipo.quarantine';

export interface Marker {
  /** Identifies the backup, so that its quarantine is entered only once. */
  readonly backupId: string;
  /** The copy lacks everything done after this time. */
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
    // The error is reported below.
  }
  throw new PlainError(
    `${file} is damaged. It contains the time from which the restored ledger is incomplete. Restore the backup again.`,
  );
}

/** Called once the quarantine is in the database. */
export async function removeMarker(data: string): Promise<void> {
  await rm(markerIn(data), { force: true });
  await syncFolder(data);
}
