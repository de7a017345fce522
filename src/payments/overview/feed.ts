import type { ActivitySince } from './figures.ts';
import { createOverviewReader } from './overview.ts';
import type { Overview, OverviewReader } from './overview.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';

/** Interval of reading the figures while a browser shows them. */
const EVERY_MS = 3_000;
/** A reading younger than this is reused; one that took long, for up to `EVERY_MS`. */
const RECENT_MS = 1_000;
/** A stream reads the figures at most 2 % of the time, whatever the load: they are read less often instead. */
const PAUSE_FACTOR = 50;
/** Streamed figures get no older because of that. */
const MAX_PAUSE_MS = 30_000;
/** Vendors whose counts of the last day are kept after the last of their people has left. */
const MAX_IDLE_SCOPES = 50;

export interface OverviewFeedOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

interface Scope {
  readonly reader: OverviewReader;
  readonly listeners: Set<(overview: Overview) => void>;
  reading: Promise<Overview> | undefined;
  last: Overview | undefined;
  /** Duration of the last reading. */
  tookMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The figures, for many readers. They are read once for the staff and once for each vendor, however
 * many browsers show them, and not at all while none does. If a reading takes long, the next one is later.
 */
export class OverviewFeed {
  readonly #options: OverviewFeedOptions;
  /** By vendor; undefined: the staff. The one used last comes last. */
  readonly #scopes = new Map<number | undefined, Scope>();

  constructor(options: OverviewFeedOptions) {
    this.#options = options;
  }

  /** The figures now. */
  async read(vendorId: number | undefined): Promise<Overview> {
    const scope = this.#scopeOf(vendorId);
    const ageMs = this.#options.clock.now().getTime() - (scope.last?.at.getTime() ?? 0);
    const recentMs = Math.max(RECENT_MS, Math.min(EVERY_MS, this.#pauseOf(scope)));
    if (scope.last !== undefined && ageMs < recentMs) return scope.last;
    return await this.#readNow(scope);
  }

  /** The payments of all vendors since a time, as of the figures now. */
  async activity(from: Date): ReturnType<ActivitySince> {
    const { activity } = await this.read(undefined);
    return activity.filter(({ begin }) => begin >= from);
  }

  /** Calls `listener` with the figures now and every few seconds. Returns a function that ends this. */
  subscribe(vendorId: number | undefined, listener: (overview: Overview) => void): () => void {
    const scope = this.#scopeOf(vendorId);
    scope.listeners.add(listener);
    if (scope.last !== undefined) listener(scope.last);
    if (scope.listeners.size === 1) this.#turn(scope);
    return () => {
      scope.listeners.delete(listener);
      if (scope.listeners.size === 0) clearTimeout(scope.timer);
    };
  }

  #turn(scope: Scope): void {
    clearTimeout(scope.timer);
    void this.#readNow(scope)
      // The browsers show how old the last figures are.
      .catch(() => undefined)
      .finally(() => {
        if (scope.listeners.size === 0) return;
        const pauseMs = Math.max(EVERY_MS, this.#pauseOf(scope));
        scope.timer = setTimeout(() => this.#turn(scope), pauseMs);
      });
  }

  /** Scopes that are watched at the same time share the 2 %. */
  #pauseOf({ tookMs }: Scope): number {
    const watched = [...this.#scopes.values()].filter(({ listeners }) => listeners.size > 0);
    return Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * tookMs * Math.max(1, watched.length));
  }

  /** Callers that arrive during a reading wait for it. */
  async #readNow(scope: Scope): Promise<Overview> {
    const startedMs = performance.now();
    scope.reading ??= scope.reader
      .read(this.#options.clock.now())
      .then((overview) => {
        // oxlint-disable-next-line no-param-reassign
        scope.last = overview;
        for (const listener of scope.listeners) listener(overview);
        return overview;
      })
      .finally(() => {
        // oxlint-disable-next-line no-param-reassign
        scope.tookMs = performance.now() - startedMs;
        scope.reading = undefined;
      });
    return await scope.reading;
  }

  #scopeOf(vendorId: number | undefined): Scope {
    const scope = this.#scopes.get(vendorId) ?? {
      reader: createOverviewReader({ ...this.#options, vendorId }),
      listeners: new Set(),
      reading: undefined,
      last: undefined,
      tookMs: 0,
      timer: undefined,
    };
    this.#scopes.delete(vendorId);
    this.#scopes.set(vendorId, scope);
    for (const [key, { listeners }] of this.#scopes) {
      if (this.#scopes.size <= MAX_IDLE_SCOPES) break;
      if (listeners.size === 0 && key !== vendorId) this.#scopes.delete(key);
    }
    return scope;
  }
}
