import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { LaneSettings } from '../../platform/db/lane.ts';
import { readFloats } from './read-balances.ts';

export interface BalanceReader {
  /**
   * The amount that the vendor can spend now, in cents, including every create and fund answered
   * before the call.
   * Throws: `overloaded`, `unavailable`.
   */
  float(vendorId: number): Promise<bigint>;
}

/** Reads of many requests share one query: reads that arrive while it runs form the next one. */
export function createBalanceReader(options: Omit<LaneSettings, 'atOnce'>): BalanceReader {
  const lane = createLane<number, bigint>({
    ...options,
    partOf: options.bucketOf,
    name: 'balances',
    readOnly: true,
    maxBatch: LIMITS.readBatchRows,
    maxWaiting: LIMITS.readQueueRows,
    call: async (db, vendorIds) => {
      const floats = await readFloats(db, [...new Set(vendorIds)]);
      return vendorIds.map((vendorId) => floats.get(vendorId) ?? 0n);
    },
  });
  return { float: (vendorId) => lane.add(vendorId) };
}
