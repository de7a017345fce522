import { systemTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/** Longest rest after a read. */
const MAX_REST_MS = 500;
/** A name reads for this part of the time, */
const SHARE = 0.2;
/** and for about this long at once without a rest. */
const BURST_MS = 100;
/** At most so much reading beyond the share is remembered. */
const MAX_EXCESS_MS = BURST_MS + MAX_REST_MS * SHARE;

type StartNext = () => void;

/**
 * The names that read at the moment. Several places may share them: then a vendor reads in one of them at a
 * time, whatever its people and its programs ask for, and where it waits in several of them, they take turns. While payments are created, a name that has read for longer
 * than a page of the console takes rests after each read, so that its reads take a fifth of the time of one
 * connection at most.
 */
export class ReadingNames {
  readonly #names = new Map<string, { readonly sinceMs: number; readonly creates: number }>();
  /** Each place starts what waits there. */
  readonly #places: StartNext[] = [];
  /** Where a name has read, longest ago first. */
  readonly #turns = new Map<string, readonly StartNext[]>();
  /** Milliseconds that a name has read beyond its share, and the time at which they were counted. */
  readonly #excess = new Map<string, { readonly ms: number; readonly atMs: number }>();
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
    const restMs = this.#restAfter(name, begun.sinceMs);
    if (restMs === 0) {
      free();
      return;
    }
    this.#timers.after(restMs, free);
    place();
  }

  /** Reading beyond the share wears off with time. */
  #restAfter(name: string, sinceMs: number): number {
    const nowMs = this.#timers.nowMs();
    const { ms, atMs } = this.#excess.get(name) ?? { ms: 0, atMs: sinceMs };
    const beforeMs = Math.max(0, ms - (sinceMs - atMs) * SHARE);
    const excessMs = Math.min(MAX_EXCESS_MS, beforeMs + (nowMs - sinceMs) * (1 - SHARE));
    this.#excess.set(name, { ms: excessMs, atMs: nowMs });
    return Math.max(0, Math.round((excessMs - BURST_MS) / SHARE));
  }

  /** Adds a place where names wait. */
  add(place: StartNext): void {
    this.#places.push(place);
  }
}
