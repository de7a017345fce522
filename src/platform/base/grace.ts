import { systemTimers } from './timers.ts';

/** The remaining grace period in milliseconds. It begins with the first call. */
export function createGrace(graceMs: number): () => number {
  let endsAtMs: number | undefined;
  return () => {
    endsAtMs ??= systemTimers.nowMs() + graceMs;
    return Math.max(0, endsAtMs - systemTimers.nowMs());
  };
}
