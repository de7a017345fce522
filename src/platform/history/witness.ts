import { contentOf } from '../storage/storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { Beat } from './compare-history.ts';

/** One file for each database, so that several may use the same folder or bucket. */
function fileOf(installationId: string): string {
  return `database-${installationId}.json`;
}

/**
 * The last beat that the file records; undefined: none, or the file is not readable.
 * Throws any error from reading.
 */
export async function readWitness(
  storage: Storage,
  installationId: string,
): Promise<Beat | undefined> {
  const content = await storage.read(fileOf(installationId));
  if (content === undefined) return undefined;
  try {
    const found = JSON.parse(content.toString('utf8')) as Record<string, unknown>;
    const seenAt = new Date(String(found['seen_at']));
    const beats = BigInt(String(found['beats']));
    const epoch = Number(found['epoch']);
    return Number.isSafeInteger(epoch) && !Number.isNaN(seenAt.getTime())
      ? { epoch, beats, seenAt }
      : undefined;
  } catch {
    return undefined;
  }
}

export async function writeWitness(
  storage: Storage,
  installationId: string,
  { epoch, beats, seenAt }: Beat,
): Promise<void> {
  const text = JSON.stringify({ epoch, beats: String(beats), seen_at: seenAt.toISOString() });
  await storage.write(fileOf(installationId), contentOf(`${text}\n`));
}
