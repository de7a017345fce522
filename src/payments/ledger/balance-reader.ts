import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readFloats } from './store.ts';

export interface BalanceReader {
  /**
   * What the vendor can spend now, in cents: no create or fund that was answered before is missing.
   * Throws: `overloaded`, `unavailable`.
   */
  float(vendorId: number): Promise<bigint>;
}

/** Reads of many requests are one query: those that come while it is under way are the next. */
export function createBalanceReader(options: {
  /** Of one connection. */
  readonly pool: Pool;
  readonly deadlineMs: number;
}): BalanceReader {
  const lane = createLane<number, bigint>({
    ...options,
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
