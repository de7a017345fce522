import type { Timers } from '../base/timers.ts';

/** Tasks that were started and not awaited; a stop waits for all of them. */
export interface Tasks {
  readonly size: number;
  /** True once the grace period of the stop has ended. */
  readonly cutOff: boolean;
  /**
   * Starts a task.
   * @param work its signal is aborted when the grace period of the stop ends.
   * @param onEnd called once the task has ended and is no longer counted.
   */
  start(work: (signal: AbortSignal) => Promise<void>, onEnd: () => void): void;
  /** Waits for every task, and aborts those that are still running after the grace period. */
  finish(graceMs: number): Promise<void>;
}

export function createTasks(timers: Timers): Tasks {
  // Each task has its own signal: Node walks a signal's listeners whenever one is added or removed.
  const underWay = new Map<Promise<void>, AbortController>();
  let cutOff = false;
  return {
    get size() {
      return underWay.size;
    },
    get cutOff() {
      return cutOff;
    },
    start: (work, onEnd) => {
      const controller = new AbortController();
      if (cutOff) controller.abort();
      const started = async (): Promise<void> => await work(controller.signal);
      const whole = started().finally(() => {
        underWay.delete(whole);
        onEnd();
      });
      underWay.set(whole, controller);
    },
    finish: async (graceMs) => {
      const forget = timers.after(graceMs, () => {
        cutOff = true;
        for (const controller of underWay.values()) controller.abort();
      });
      await Promise.allSettled(underWay.keys());
      forget();
    },
  };
}
