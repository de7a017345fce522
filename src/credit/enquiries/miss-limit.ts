import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { countMisses } from './misses-store.ts';

const WINDOW_MS = 3_600_000;

/** Keeps a strict vendor from trying documents and names until some fit. */
export interface MissLimit {
  /**
   * Runs an enquiry unless the vendor has had its misses of the last hour. Throws also:
   * `too_many_requests`.
   */
  within<Result>(vendorId: number, enquire: () => Promise<Result>): Promise<Result>;
}

/**
 * The enquiries on record are what is counted, so the limit holds over all processes and restarts.
 * Enquiries under way are on no record yet: a process has at most `perHour` of a vendor under way,
 * and that is how far the limit can be exceeded.
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
    const after = new Date(now.getTime() - WINDOW_MS);
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
