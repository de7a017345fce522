import { createHash } from 'node:crypto';
import { open, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { findPart, insertPart } from './store.ts';

const PART_BYTES = 1024 * 1024;

/** A file that is kept, as the content of a proposal names it. */
export interface KeptFile {
  /** Digest of the bytes, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Keeps a file in the database, so that what is approved is what was proposed, on whatever machine. */
export async function keepFile(pool: Pool, file: string): Promise<KeptFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const content of partsOf(file)) {
    hash.update(content);
    bytes += content.length;
  }
  const sha256 = hash.digest();
  await databaseTransaction(pool, async (client) => {
    let part = 0;
    for await (const content of partsOf(file)) {
      await insertPart(client, { sha256, part, content });
      part += 1;
    }
  });
  return { sha256: sha256.toString('hex'), bytes };
}

async function* partsOf(file: string): AsyncGenerator<Buffer> {
  const opened = await open(file);
  try {
    for (;;) {
      const { bytesRead, buffer } = await opened.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await opened.close();
  }
}

/**
 * Writes a kept file to the disk while `work` lasts.
 * Throws: `PlainError` if its content is not that of its hash: it was changed in the database.
 */
export async function withKeptFile<Result>(
  db: Queryable,
  { sha256, bytes }: KeptFile,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-kept-'));
  try {
    const file = path.join(folder, 'statement');
    const hash = createHash('sha256');
    const written = await open(file, 'w', 0o600);
    try {
      for (let part = 0; part * PART_BYTES < bytes; part += 1) {
        const content = await findPart(db, Buffer.from(sha256, 'hex'), part);
        if (content === undefined) break;
        hash.update(content);
        await written.write(content);
      }
    } finally {
      await written.close();
    }
    if (hash.digest('hex') === sha256) return await work(file);
    throw new PlainError('The file was changed in the database, or is gone. Propose it again.');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
