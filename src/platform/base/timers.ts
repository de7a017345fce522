/**
 * A monotonic clock and timers. Code that waits or measures receives them as a value, so that the
 * simulation can control time.
 */
export interface Timers {
  /** Milliseconds since some fixed moment; never goes back. */
  nowMs(): number;
  /** Calls once, after at least this time. Returns a function that cancels the call. */
  after(delayMs: number, call: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after at least this time. */
export async function sleep(timers: Timers, delayMs: number): Promise<void> {
  await new Promise<void>((resolve) => timers.after(delayMs, resolve));
}

/** The promise's own result, or an error with this message if it takes longer. */
export async function within<Result>(
  timers: Timers,
  promise: Promise<Result>,
  limit: { readonly ms: number; readonly message: string },
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const forget = timers.after(limit.ms, () => late.reject(new Error(limit.message)));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    forget();
  }
}
