import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { LaneSettings } from '../../platform/db/lane.ts';
import { readStatuses } from './status-store.ts';
import type { StatusKey, StatusRow } from './status-store.ts';

export interface StatusReader {
  /**
   * The current state of a payment, or undefined if the vendor has no such payment.
   * Throws: `overloaded`, `unavailable`.
   */
  read(key: StatusKey): Promise<StatusRow | undefined>;
}

/** Reads of many requests share one query: reads that arrive while it runs form the next one. */
export function createStatusReader(options: Omit<LaneSettings, 'atOnce'>): StatusReader {
  const { bucketOf } = options;
  const lane = createLane<StatusKey, { row?: StatusRow }>({
    ...options,
    partOf: bucketOf && (({ vendorId }) => bucketOf(vendorId)),
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
