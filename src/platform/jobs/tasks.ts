import type { Timers } from '../base/timers.ts';

/** Tasks that were started and not awaited; a stop waits for all of them. */
export interface Tasks {
  readonly size: number;
  /** Aborted when the grace period of the stop ends. */
  readonly cutOff: AbortSignal;
  /** @param onEnd called once the task has ended and is no longer counted. */
  add(task: Promise<void>, onEnd: () => void): void;
  /** Waits for every task, and aborts those that are still running after the grace period. */
  finish(graceMs: number): Promise<void>;
}

export function createTasks(timers: Timers): Tasks {
  const underWay = new Set<Promise<void>>();
  const cutOff = new AbortController();
  return {
    get size() {
      return underWay.size;
    },
    cutOff: cutOff.signal,
    add: (task, onEnd) => {
      const whole = task.finally(() => {
        underWay.delete(whole);
        onEnd();
      });
      underWay.add(whole);
    },
    finish: async (graceMs) => {
      const forget = timers.after(graceMs, () => cutOff.abort());
      await Promise.allSettled(underWay);
      forget();
    },
  };
}
