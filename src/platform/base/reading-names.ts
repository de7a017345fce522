import { systemTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/** Longest rest after a read. */
const MAX_REST_MS = 250;

type StartNext = () => void;

/**
 * The names that read at the moment. Several places may share them: then a vendor reads in one of them at a
 * time, whatever its people and its programs ask for, and where it waits in several of them, they take turns. While payments are created, a name rests after each read
 * for as long as the read took, so that its reads take half of the time of one connection at most.
 */
export class ReadingNames {
  readonly #names = new Map<string, { readonly sinceMs: number; readonly creates: number }>();
  /** Each place starts what waits there. */
  readonly #places: StartNext[] = [];
  /** Where a name has read, longest ago first. */
  readonly #turns = new Map<string, readonly StartNext[]>();
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

  /** @param place where the name reads. */
  begin(name: string, place: StartNext): void {
    const others = this.#turns.get(name)?.filter((each) => each !== place) ?? [];
    this.#turns.set(name, [...others, place]);
    this.#names.set(name, { sinceMs: this.#timers.nowMs(), creates: this.#creates() });
  }

  /** @param place where the name has read; another name may read there at once. */
  end(name: string, place: StartNext): void {
    const begun = this.#names.get(name);
    const free = (): void => {
      this.#names.delete(name);
      const turns = this.#turns.get(name) ?? [];
      // First where the name has not read for longest, or never.
      const startAll = this.#places.toSorted((a, b) => turns.indexOf(a) - turns.indexOf(b));
      for (const startNext of startAll) startNext();
      if (this.isFree(name)) this.#turns.delete(name);
    };
    if (begun === undefined || begun.creates === this.#creates()) {
      free();
      return;
    }
    this.#timers.after(Math.min(MAX_REST_MS, this.#timers.nowMs() - begun.sinceMs), free);
    place();
  }

  /** Adds a place where names wait. */
  add(place: StartNext): void {
    this.#places.push(place);
  }
}
