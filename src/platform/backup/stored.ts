import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Storage } from '../storage/storage.ts';
import type { Digest, FileOwner } from './copy.ts';

/** Within a backup: PostgreSQL's data folder as it was copied. */
export const DATA_FOLDER = 'data';

const CHUNK_BYTES = 16 * 1024 * 1024;
const AT_A_TIME = 6;

/** A file below `DATA_FOLDER`. */
interface StoredFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Reads a file of a backup, in pieces, and at most one byte more than it should have. Undefined if
 * it is missing.
 */
export async function readStored(
  storage: Storage,
  file: StoredFile,
  write: (chunk: Buffer) => Promise<void> = async () => {},
): Promise<Digest | undefined> {
  const name = `${DATA_FOLDER}/${file.path}`;
  const hash = createHash('sha256');
  let bytes = 0;
  while (bytes <= file.bytes) {
    const range = { from: bytes, bytes: Math.min(CHUNK_BYTES, file.bytes - bytes + 1) };
    const chunk = await storage.read(name, file.bytes === 0 ? undefined : range);
    if (chunk === undefined) return undefined;
    hash.update(chunk);
    await write(chunk);
    bytes += chunk.length;
    if (chunk.length < range.bytes) break;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file of a backup into a new file, and flushes it. Undefined if it is missing. */
export async function copyStored(
  storage: Storage,
  file: StoredFile,
  to: string,
  owner?: FileOwner,
): Promise<Digest | undefined> {
  const target = await open(to, 'wx', 0o600);
  try {
    const digest = await readStored(storage, file, async (chunk) => await target.writeFile(chunk));
    if (owner !== undefined) await target.chown(owner.uid, owner.gid);
    await target.sync();
    return digest;
  } finally {
    await target.close();
  }
}

/** Runs the work for a few items at a time. The first failure ends it, after what is under way. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const runs = Array.from({ length: AT_A_TIME }, run);
  await Promise.allSettled(runs);
  await Promise.all(runs);
}
