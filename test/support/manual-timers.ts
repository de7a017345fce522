import type { Timers } from '../../src/platform/base/timers.ts';

/** Time that passes only when the test advances it. */
export function manualTimers(): Timers & { pass: (ms: number) => void } {
  let nowMs = 0;
  const timers = new Map<number, { readonly atMs: number; readonly call: () => void }>();
  let next = 0;
  return {
    nowMs: () => nowMs,
    after: (delayMs, call) => {
      next += 1;
      const key = next;
      timers.set(key, { atMs: nowMs + delayMs, call });
      return () => timers.delete(key);
    },
    pass: (ms) => {
      nowMs += ms;
      for (const [key, timer] of timers) {
        if (timer.atMs > nowMs) continue;
        timers.delete(key);
        timer.call();
      }
    },
  };
}
