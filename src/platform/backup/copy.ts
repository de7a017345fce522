import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

/** Size and SHA-256 of what was read. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** The owner of the files written, when we are root and PostgreSQL runs as another user. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Throws any error from reading. */
export async function hashFile(file: string): Promise<Digest> {
  const source = await open(file, 'r');
  try {
    return await pump(source, undefined);
  } finally {
    await source.close();
  }
}

/**
 * Copies a file and flushes the copy to disk. If the file grows meanwhile, only the bytes it had at
 * the beginning are copied; the WAL has the rest. Throws any error from reading or writing.
 */
export async function copyFileDurably(
  from: string,
  to: string,
  owner?: FileOwner,
): Promise<Digest> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const digest = await pump(source, target);
      if (owner !== undefined) await target.chown(owner.uid, owner.gid);
      await target.sync();
      return digest;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function pump(source: FileHandle, target: FileHandle | undefined): Promise<Digest> {
  const { size } = await source.stat();
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size, 1)));
  let bytes = 0;
  while (bytes < size) {
    const wanted = Math.min(buffer.length, size - bytes);
    const { bytesRead } = await source.read(buffer, 0, wanted, bytes);
    // It was truncated meanwhile.
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await target?.writeFile(chunk);
    bytes += bytesRead;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes a new file and flushes it. Throws if the file exists. */
export async function writeDurably(
  file: string,
  content: string | Buffer,
  owner?: FileOwner,
): Promise<Digest> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return {
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}

export async function makeFolder(folder: string, owner?: FileOwner): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (owner === undefined) return;
  const handle = await open(folder, 'r');
  try {
    await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
}
