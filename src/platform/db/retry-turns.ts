import { sleep } from '../base/timers.ts';
import type { Timers } from '../base/timers.ts';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;
const MIN_PAUSE_MS = 50;

/**
 * Lets parts share the connections of a lane when the database behind some of them is away. Calls of a part
 * that failed are made one at a time, with a pause after each failure, so that they leave the connections to
 * the other parts. After a success the next follows at once.
 */
export interface RetryTurns {
  /** Before the next call of a failing part. */
  pauseMs(): number;
  /**
   * Makes the call now, or in its turn while the part is failing.
   * @param tooLate asked when it had to wait for its turn: the result if the call is not made any more.
   */
  make<Made>(
    part: number,
    call: () => Promise<Made>,
    hasFailed: (made: Made) => boolean,
    tooLate?: () => Made | undefined,
  ): Promise<Made>;
}

export function createRetryTurns(timers: Timers): RetryTurns {
  const failing = new Set<number>();
  let failures = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Shorter when several parts wait for their turn. */
  const pauseMs = (): number =>
    failures === 0
      ? 0
      : Math.min(
          FIRST_PAUSE_MS * 2 ** (failures - 1),
          Math.max(MIN_PAUSE_MS, MAX_PAUSE_MS / Math.max(1, failing.size)),
        );
  const note = (part: number, failed: boolean): void => {
    if (failed) {
      failing.add(part);
      failures += 1;
    } else if (failing.delete(part)) {
      failures = 0;
    }
  };
  return {
    pauseMs,
    make: async (part, call, hasFailed, tooLate) => {
      const attempt = async () => {
        const made = await call();
        note(part, hasFailed(made));
        return made;
      };
      if (!failing.has(part)) return await attempt();
      const turn = last.then(async () => {
        if (failures > 0) await sleep(timers, pauseMs());
        return tooLate?.() ?? (await attempt());
      });
      last = turn.catch(() => undefined);
      return await turn;
    },
  };
}
