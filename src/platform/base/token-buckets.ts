/** A rate limit per second for each of many names, in bounded memory. */
export interface TokenBuckets {
  /**
   * Takes one token of the name. Returns 0 if there was one, otherwise the seconds until there will
   * be.
   */
  take(name: string): number;
  readonly size: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * Each name has a bucket of `burst` tokens that is refilled at `perSecond`. When there are more
 * than `maxNames` names, the least recently used one is forgotten and starts again with a full
 * bucket.
 * @param nowMs a monotonic clock in milliseconds.
 */
export function createTokenBuckets(options: {
  readonly perSecond: number;
  readonly burst: number;
  readonly maxNames: number;
  readonly nowMs: () => number;
}): TokenBuckets {
  const { perSecond, burst, maxNames, nowMs } = options;
  // In order of addition; while more than half of them are taken, a name that is used moves to the end.
  const buckets = new Map<string, Bucket>();
  return {
    get size() {
      return buckets.size;
    },
    take: (name) => {
      const now = nowMs();
      const known = buckets.get(name);
      const bucket = known ?? { tokens: burst, filledAtMs: now };
      if (known === undefined || buckets.size > maxNames / 2) {
        buckets.delete(name);
        buckets.set(name, bucket);
      }
      if (buckets.size > maxNames) {
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest);
          break;
        }
      }
      const gained = ((now - bucket.filledAtMs) / 1000) * perSecond;
      bucket.tokens = Math.min(burst, bucket.tokens + gained);
      bucket.filledAtMs = now;
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
