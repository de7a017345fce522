import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readStatuses } from './store.ts';
import type { StatusKey, StatusRow } from './store.ts';

export interface StatusReader {
  /**
   * Where a transaction stands now, or undefined when the vendor has no such one.
   * Throws: `overloaded`, `unavailable`.
   */
  read(key: StatusKey): Promise<StatusRow | undefined>;
}

/** Reads of many requests are one query: those that come while it is under way are the next. */
export function createStatusReader(options: {
  /** Of one connection. */
  readonly pool: Pool;
  readonly deadlineMs: number;
}): StatusReader {
  const lane = createLane<StatusKey, { row?: StatusRow }>({
    ...options,
    name: 'statuses',
    readOnly: true,
    maxBatch: LIMITS.readBatchRows,
    maxWaiting: LIMITS.readQueueRows,
    call: async (db, wanted) => {
      const rows = await readStatuses(db, wanted);
      return rows.map((row) => (row === undefined ? {} : { row }));
    },
  });
  return {
    read: async (key) => (await lane.add(key)).row,
  };
}
