import { systemTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/** Interval of the check that the process is running. Nothing is checked while nobody waits. */
const LOOK_EVERY_MS = 250;
/** Timers may be late by this much in a process that runs. */
const USUAL_DELAY_MS = 100;

/**
 * A clock that stands still while the process does not run, because it was stopped (SIGSTOP, a paused
 * container) or its event loop was blocked. All timers of such a process expire at once when it
 * continues, before it reads what has arrived meanwhile. A deadline for others has to be on this clock:
 * they are not silent because nobody listens.
 */
export class AwakeTimers implements Timers {
  readonly #timers: Timers;
  /** Until the last look. */
  #asleepMs = 0;
  #lookedAtMs = 0;
  #waiting = 0;
  #endLooking: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Stands still only while somebody waits; otherwise nobody looks. */
  nowMs(): number {
    return this.#timers.nowMs() - this.#asleepMs - this.#sleepSinceLookMs();
  }

  after(delayMs: number, call: () => void): () => void {
    this.#begin();
    const dueMs = this.nowMs() + delayMs;
    let forget: () => void;
    const wait = (waitMs: number): void => {
      forget = this.#timers.after(waitMs, () => {
        const leftMs = dueMs - this.nowMs();
        if (leftMs > USUAL_DELAY_MS) return wait(leftMs);
        end();
        call();
      });
    };
    let waits = true;
    const end = (): void => {
      if (waits) this.#end();
      waits = false;
    };
    wait(delayMs);
    return () => {
      forget();
      end();
    };
  }

  #begin(): void {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#look();
  }

  #end(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#asleepMs += this.#sleepSinceLookMs();
    this.#endLooking?.();
    this.#endLooking = undefined;
  }

  #look(): void {
    this.#asleepMs += this.#sleepSinceLookMs();
    this.#lookedAtMs = this.#timers.nowMs();
    this.#endLooking = this.#timers.after(LOOK_EVERY_MS, () => this.#look());
  }

  /** A look that is overdue: the process did not run. */
  #sleepSinceLookMs(): number {
    if (this.#endLooking === undefined) return 0;
    const overdueMs = this.#timers.nowMs() - this.#lookedAtMs - LOOK_EVERY_MS;
    return overdueMs > USUAL_DELAY_MS ? overdueMs : 0;
  }
}

export const awakeTimers: Timers = new AwakeTimers(systemTimers);
