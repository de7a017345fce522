/**
 * A monotonic clock and timers. Whatever waits or measures takes them as a value, so that the
 * simulation can own time.
 */
export interface Timers {
  /** Milliseconds since some fixed moment; never goes back. */
  nowMs(): number;
  /** Calls once, after at least so long. Returns what takes it back. */
  after(delayMs: number, call: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after at least so long. */
export async function sleep(timers: Timers, delayMs: number): Promise<void> {
  await new Promise<void>((resolve) => timers.after(delayMs, resolve));
}
