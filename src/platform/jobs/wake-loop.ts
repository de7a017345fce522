import type { Timers } from '../base/timers.ts';

/** Runs work in turns, one at a time. A turn starts when it is due or when the loop is woken. */
export interface WakeLoop {
  /** Starts a turn now, or right after the current one. */
  wake(): void;
  /** Starts no further turn; resolves when the current one has ended. */
  stop(): Promise<void>;
}

export interface WakeLoopOptions {
  /** When the first turn is due. Default: now. */
  readonly firstMs?: number;
  /**
   * Does the work that is due. Returns the milliseconds until the next turn; 0: at once.
   * @param stopping aborted at the stop, for a turn that can end early.
   */
  readonly turn: (stopping: AbortSignal) => Promise<number>;
  /** Logs why a turn failed. Returns the milliseconds until the next one. */
  readonly onFailure: (error: unknown) => number;
  readonly timers: Timers;
}

export function startWakeLoop(options: WakeLoopOptions): WakeLoop {
  const { turn, onFailure, timers } = options;
  const stopping = new AbortController();
  let woken = false;
  let endWait: (() => void) | undefined;
  const wake = (): void => {
    woken = true;
    endWait?.();
  };
  const wait = (delayMs: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = timers.after(Math.max(1, delayMs), resolve);
    endWait = () => {
      forget();
      resolve();
    };
    return promise;
  };
  const run = async (): Promise<void> => {
    let nextMs = options.firstMs ?? 0;
    while (!stopping.signal.aborted) {
      if (nextMs > 0 && !woken) await wait(nextMs);
      if (stopping.signal.aborted) return;
      woken = false;
      try {
        nextMs = await turn(stopping.signal);
      } catch (error) {
        nextMs = onFailure(error);
      }
    }
  };
  const running = run();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      wake();
      await running;
    },
  };
}
