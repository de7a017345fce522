import type { Queryable } from '../db/pool.ts';
import type { Storage } from '../storage/storage.ts';
import { readArchivedRange } from './store.ts';
import { hex, segmentNames } from './wal.ts';
import { recordFile, segmentFile } from './wal-archive.ts';

/** Segments of the log that the archive should have. */
interface ArchiveGap {
  readonly missing: number;
  /** The name of the first missing segment. */
  readonly first: string;
}

/**
 * The segments that the archive lacks between the last backup and what was archived last: nothing after
 * the first of them can be restored. Undefined: it lacks none, or there is no backup that it continues.
 */
export async function findArchiveGap(
  db: Queryable,
  archive: Storage,
): Promise<ArchiveGap | undefined> {
  const range = await readArchivedRange(db);
  if (range === undefined) return undefined;
  const there = new Set(await archive.list(hex(range.timeline)));
  const missing = segmentNames(range).filter(
    (name) => !there.has(recordFile(name)) || !there.has(segmentFile(name)),
  );
  const [first] = missing;
  return first === undefined ? undefined : { missing: missing.length, first };
}
