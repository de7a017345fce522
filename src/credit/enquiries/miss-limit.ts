import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { countMisses } from './misses-store.ts';

export const MISS_WINDOW_MS = 3_600_000;

/** Keeps a strict vendor from trying documents and names until some match. */
export interface MissLimit {
  /**
   * Runs an enquiry unless the vendor has reached its limit of misses in the last hour. Also
   * throws: `too_many_requests`.
   */
  within<Result>(vendorId: number, enquire: () => Promise<Result>): Promise<Result>;
}

/**
 * Counts the recorded enquiries, so the limit holds across all processes and restarts. Enquiries in
 * progress are not recorded yet: a process runs at most `perHour` of a vendor at once, so the limit
 * can be exceeded by that much.
 * @param perHour 0: no limit.
 */
export function createMissLimit(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly perHour: number;
}): MissLimit {
  const { pool, clock, perHour } = options;
  const underWay = new Map<number, number>();
  const requireWithin = async (vendorId: number): Promise<void> => {
    const now = clock.now();
    const after = new Date(now.getTime() - MISS_WINDOW_MS);
    const { count, oldest } = await countMisses(pool, { vendorId, after, atMost: perHour });
    if (count < perHour || oldest === null) return;
    throw tooMany(Math.ceil((oldest.getTime() - after.getTime()) / 1000));
  };
  return {
    within: async (vendorId, enquire) => {
      if (perHour === 0) return await enquire();
      const others = underWay.get(vendorId) ?? 0;
      if (others >= perHour) throw tooMany(1);
      underWay.set(vendorId, others + 1);
      try {
        await requireWithin(vendorId);
        return await enquire();
      } finally {
        const left = (underWay.get(vendorId) ?? 1) - 1;
        if (left === 0) underWay.delete(vendorId);
        else underWay.set(vendorId, left);
      }
    },
  };
}

function tooMany(retryAfterSeconds: number): Refusal {
  return new Refusal('too_many_requests', {
    text: 'Too many enquiries found nobody within an hour',
    retryAfterSeconds: Math.max(1, retryAfterSeconds),
  });
}
