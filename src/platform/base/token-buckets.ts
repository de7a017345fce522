/** A rate limit per second for each of many names, in bounded memory. */
export interface TokenBuckets {
  /**
   * Takes one token of the name. Returns 0 if there was one, otherwise the seconds until there will
   * be.
   */
  take(name: string): number;
  /** Returns the seconds that `take` would return, without taking a token. */
  wait(name: string): number;
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
  const secondsWithout = (tokens: number): number =>
    tokens < 1 ? Math.ceil((1 - tokens) / perSecond) : 0;
  const tokensOf = ({ tokens, filledAtMs }: Bucket, now: number): number =>
    Math.min(burst, tokens + ((now - filledAtMs) / 1000) * perSecond);
  return {
    get size() {
      return buckets.size;
    },
    wait: (name) => {
      const known = buckets.get(name);
      return known === undefined ? 0 : secondsWithout(tokensOf(known, nowMs()));
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
      bucket.tokens = tokensOf(bucket, now);
      bucket.filledAtMs = now;
      const waitSeconds = secondsWithout(bucket.tokens);
      if (waitSeconds === 0) bucket.tokens -= 1;
      return waitSeconds;
    },
  };
}
