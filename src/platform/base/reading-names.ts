import { systemTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/** Longest rest after a read. */
const MAX_REST_MS = 250;

/**
 * The names that read at the moment. Several pools may share them: then a vendor reads from one of them at a
 * time, whatever its people and its programs ask for. While payments are created, a name rests after each read
 * for as long as the read took, so that its reads take half of the time of one connection at most.
 */
export class ReadingNames {
  readonly #names = new Map<string, { readonly sinceMs: number; readonly creates: number }>();
  readonly #whenFree: (() => void)[] = [];
  readonly #creates: () => number;
  readonly #timers: Timers;

  /** @param creates how many creates there have been. Default: there are none. */
  constructor(creates: () => number = () => 0, timers: Timers = systemTimers) {
    this.#creates = creates;
    this.#timers = timers;
  }

  isFree(name: string): boolean {
    return !this.#names.has(name);
  }

  begin(name: string): void {
    this.#names.set(name, { sinceMs: this.#timers.nowMs(), creates: this.#creates() });
  }

  /** @param startNext starts what waits where the name has read. */
  end(name: string, startNext: () => void): void {
    const begun = this.#names.get(name);
    const free = (): void => {
      this.#names.delete(name);
      for (const start of this.#whenFree) if (start !== startNext) start();
      // Last, because the name may have waited elsewhere meanwhile.
      startNext();
    };
    if (begun === undefined || begun.creates === this.#creates()) {
      free();
      return;
    }
    this.#timers.after(Math.min(MAX_REST_MS, this.#timers.nowMs() - begun.sinceMs), free);
    startNext();
  }

  /** @param start called when a name has read. */
  onFree(start: () => void): void {
    this.#whenFree.push(start);
  }
}
